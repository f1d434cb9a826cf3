#include <gtest/gtest.h>

#include "bench/captures/collector.h"
#include "bench/captures/kernel_log_clock.h"
#include "bench/captures/kernel_log_line.h"
#include "bench/captures/kernel_log_time.h"

namespace linkburn {
namespace {

constexpr std::int64_t kSecondUs = 1000000;

TEST(LogLine, WhatStandsBeforeTheText) {
  for (const char* text :
       {"x 0000:00:02.0: y",
        "[74785.660366] x 0000:00:02.0: y",
        "<4>[74785.660366] x 0000:00:02.0: y",
        "[74785.660366][  T123] x 0000:00:02.0: y",
        "kern  :err   : [74785.660366] x 0000:00:02.0: y",
        "[Tue Sep 19 16:18:02 2023] x 0000:00:02.0: y",
        "[  +0.000020] x 0000:00:02.0: y",
        "[Sep19 16:18] x 0000:00:02.0: y",
        "[74785.660366 <    0.000020>] x 0000:00:02.0: y",
        "Sep 19 16:18:02 node07 kernel: x 0000:00:02.0: y",
        "Sep  9 16:18:02 node07 kernel: [74785.660366] x 0000:00:02.0: y",
        "2023-09-19T16:18:02.123456+02:00 node07 kernel: x 0000:00:02.0: y",
        "2023-09-19T16:18:02,123456+02:00 x 0000:00:02.0: y",
        "<4>1 2023-09-19T16:18:02.123456Z node07 kernel - - - x 0000:00:02.0: y",
        "Tue 2023-09-19 16:18:02 CEST node07 kernel: x 0000:00:02.0: y",
        "1695140282.123456 node07 kernel: x 0000:00:02.0: y",
        "[74785.660366] node07 kernel: x 0000:00:02.0: y",
        "kernel: x 0000:00:02.0: y",
        "\"[74785.660366] x 0000:00:02.0: y\",",
        "4,17,74785660366,-,caller=T1;x 0000:00:02.0: y",
        "/var/log/syslog:Sep 19 16:18:02 node07 kernel: [1.5] x 0000:00:02.0: y"}) {
    const LogLine line = split_log_line(text);
    EXPECT_EQ(line.text, "x 0000:00:02.0: y") << text;
    EXPECT_EQ(line.facility, 0) << text;
  }
}

TEST(LogLine, ProgramsAreNotTheKernel) {
  for (const char* text :
       {"Sep 19 16:18:02 node07 sshd[12]: x", "user  :warn  : [1.5] x", "<12>[1.5] x",
        "[1.5] node07 sshd[12]: x", "2023-09-19T16:18:02+02:00 node07 sshd[12]: x"}) {
    const LogLine line = split_log_line(text);
    EXPECT_TRUE(line.is_log) << text;
    EXPECT_NE(line.facility, 0) << text;
  }
}

TEST(LogLine, OtherTextsAreNoLogs) {
  for (const char* text :
       {"", "[", "[1] NCCL INFO x", "GPU 00000000:17:00.0",
        "0000:17:00.0 VGA compatible controller: x", "2023-09-19 16:18:02 INFO x: y",
        "Sep 19 is a day", "12,3,x;y", "\"", "<", "-- text", ":", "{", "bus-info: 0000:17:00.0"}) {
    const LogLine line = split_log_line(text);
    EXPECT_FALSE(line.is_log) << text;
    EXPECT_FALSE(is_driver_line(line.text)) << text;
  }
}

TEST(LogLine, HostsAreToldByLogsThatHaveThem) {
  EXPECT_EQ(host_of_log_line("Sep 19 16:18:02 node07 kernel: [1.5] x"), "node07");
  EXPECT_EQ(host_of_log_line("2023-09-19T16:18:02+02:00 node07 sshd[12]: x"), "node07");
  EXPECT_EQ(host_of_log_line("[  1.5] node07 kernel: x"), "node07");
  EXPECT_FALSE(host_of_log_line("[  1.5] pcieport 0000:00:02.0: x"));
  EXPECT_FALSE(host_of_log_line("Sep 19 16:18:02 kernel: x"));
  EXPECT_FALSE(host_of_log_line("2023-09-19T16:18:02.1Z INFO kernel: [ 1.5] x"));
  EXPECT_FALSE(host_of_log_line("any words: here"));
}

TEST(LogLine, RepeatsAreCounted) {
  EXPECT_EQ(split_log_line("Sep 19 16:18:02 node07 last message repeated 5 times").repeats, 5);
  const LogLine line = split_log_line(
      "Sep 19 16:18:02 node07 kernel: [9.5] message repeated 3 times: [ [9.25] x 0000:00:02.0: y]");
  EXPECT_EQ(line.repeats, 3);
  EXPECT_EQ(line.text, "x 0000:00:02.0: y");
}

TEST(LogTime, FormsAgree) {
  const auto iso = wall_time_at("2023-09-19T16:18:02.5+02:00 x");
  const auto human = wall_time_at("Tue Sep 19 14:18:02 2023");
  ASSERT_TRUE(iso && human);
  EXPECT_EQ(iso->us, human->us + kSecondUs / 2);
  EXPECT_EQ(wall_time_at("1695133082.500000")->us, iso->us);
  EXPECT_EQ(wall_time_at("Tue 2023-09-19 14:18:02 UTC x")->us, human->us);
  EXPECT_FALSE(wall_time_at("Sep 19 16:18:02 x")->has_year);
  for (const char* text :
       {"Sep", "Sep 40 16:18:02", "Sep 19 25:18:02", "2023-13-01T00:00:00", "1695"})
    EXPECT_FALSE(wall_time_at(text)) << text;
}

std::int64_t us_of(LogClock& clock, const char* line) { return clock.of(split_log_line(line)).us; }

TEST(LogClock, DifferencesHoldOverMidnightAndNewYear) {
  LogClock clock;
  const std::int64_t before = us_of(clock, "Dec 31 23:59:58 node07 kernel: x");
  EXPECT_EQ(us_of(clock, "Jan  1 00:00:03 node07 kernel: x") - before, 5 * kSecondUs);
  EXPECT_EQ(us_of(clock, "no time"), 0);
}

TEST(LogClock, TimesSinceBootGoFirst) {
  LogClock clock;
  EXPECT_EQ(us_of(clock, "Sep 19 16:18:02 node07 kernel: [10.5] x"),
            10 * kSecondUs + kSecondUs / 2);
  EXPECT_EQ(us_of(clock, "Sep 19 16:18:04 node07 kernel: x"), 12 * kSecondUs + kSecondUs / 2);
}

TEST(LogClock, ABootBeginsWhereTimeDoes) {
  const auto boots = [](std::initializer_list<const char*> lines) {
    LogClock clock;
    int count = 0;
    for (const char* line : lines) count += clock.of(split_log_line(line)).new_boot ? 1 : 0;
    return count;
  };
  EXPECT_EQ(boots({"[68183.6] x", "[1.0] x"}), 1);
  EXPECT_EQ(boots({"[68183.6] x", "[68183.5] x", "[67000.0] x"}), 0);  // put together by hand
  EXPECT_EQ(boots({"Sep 19 16:18:02 n kernel: [9000.0] x", "Sep 19 16:20:02 n kernel: [300.0] x"}),
            1);
  EXPECT_EQ(boots({"Sep 19 16:18:02 n kernel: [9000.0] x", "Sep 19 16:10:02 n kernel: [8520.0] x"}),
            0);
}

NodeDraft draft_of(std::string_view text) {
  Collector collector;
  collector.begin("log");
  collector.take(text);
  collector.end();
  return collector.node();
}

TEST(KernelLog, EnumerationTellsFunctionsAndWiring) {
  const NodeDraft draft = draft_of(
      "[    0.2] pci 0000:00:01.0: [8086:1901] type 01 class 0x060400 PCIe Root Port\n"
      "[    0.3] pci 0000:01:00.0: [10de:1f95] type 00 class 0x030000 PCIe Legacy Endpoint\n"
      "[    0.4] pci 0000:00:01.0: PCI bridge to [bus 01-05]\n");
  ASSERT_EQ(draft.functions.size(), 2U);
  const PciFunction& port = draft.functions[0].function;
  EXPECT_EQ(port.port_type, PortType::root_port);
  EXPECT_EQ(port.secondary_bus, 1);
  const PciFunction& gpu = draft.functions[1].function;
  EXPECT_EQ(gpu.vendor_id, "0x10de");
  EXPECT_EQ(gpu.device_id, "0x1f95");
  EXPECT_EQ(gpu.class_code, "0x030000");
  EXPECT_EQ(gpu.link_end.source, kFromKernelLog);
  EXPECT_EQ(draft.parents.at(gpu.address), port.address);
}

TEST(KernelLog, OnlyWhatIsCertainIsWired) {
  constexpr std::string_view kPort =
      "[9.1] pcieport 0000:00:03.1: AER: Corrected error received: 0000:00:03.1\n"
      "[9.1] pcieport 0000:00:03.1: PCIe Bus Error: severity=Corrected, type=Data Link Layer\n";
  constexpr std::string_view kCard =
      "[9.1] nvidia 0000:07:00.0: PCIe Bus Error: severity=Corrected, type=Data Link Layer\n";
  constexpr std::string_view kOther =
      "[9.1] nvme 0000:08:00.0: PCIe Bus Error: severity=Corrected, type=Data Link Layer\n";
  const std::string together = std::string(kPort) + std::string(kCard);
  EXPECT_EQ(draft_of(together).parents.size(), 1U);
  EXPECT_TRUE(draft_of(together + std::string(kOther)).parents.empty());  // below a switch
  EXPECT_TRUE(draft_of(kCard).parents.empty());
  EXPECT_TRUE(  // another bus
      draft_of("[0.4] pci 0000:00:03.1: PCI bridge to [bus 05-09]\n" + together).parents.empty());
}

TEST(KernelLog, DevicesOfRecordsStandBehindThem) {
  const NodeDraft draft =
      draft_of("3,2,200,-;EDR: EDR event received\n SUBSYSTEM=pci\n DEVICE=+pci:0000:30:03.0\n");
  ASSERT_EQ(draft.logs.size(), 1U);
  ASSERT_EQ(draft.logs[0].records.size(), 1U);
  EXPECT_EQ(std::get<KernelLine>(draft.logs[0].records[0]).component->text(), "0000:30:03.0");
  EXPECT_EQ(draft.parts[0].not_understood, 0);
}

}  // namespace
}  // namespace linkburn
