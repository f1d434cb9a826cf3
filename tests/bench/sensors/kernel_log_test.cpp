#include "bench/sensors/kernel_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temp_dir.h"

namespace linkburn {
namespace {

std::optional<KernelTopic> topic(std::string_view text) { return topic_of(parse_dmesg(text)); }

std::string where(const std::optional<KernelTopic>& topic) {
  return topic && topic->component ? topic->component->text() : "";
}

TEST(Kmsg, ARecordWithDictionary) {
  const auto record = parse_kmsg(
      "4,1234,56789,-,caller=T12;pcieport 0000:00:1c.0: PCIe Bus Error: severity=Corrected\n"
      " SUBSYSTEM=pci\n DEVICE=+pci:0000:5e:00.0\n");
  ASSERT_TRUE(record);
  EXPECT_EQ(record->level, 4);
  EXPECT_EQ(record->facility, 0);
  EXPECT_EQ(record->sequence, 1234);
  EXPECT_EQ(record->time_us, 56789);
  const auto topic = topic_of(*record);
  ASSERT_TRUE(topic);
  EXPECT_EQ(topic->topic, "aer_corrected");
  EXPECT_EQ(topic->component->text(), "0000:5e:00.0");
}

TEST(Kmsg, UserSpaceCannotSpeakForTheKernel) {
  const auto record =
      parse_kmsg("12,1,2,-;pcieport 0000:00:1c.0: PCIe Bus Error: severity=Uncorrected (Fatal)\n");
  ASSERT_TRUE(record);
  EXPECT_EQ(record->facility, 1);
  EXPECT_FALSE(topic_of(*record));
}

TEST(Kmsg, NonsenseIsNothing) {
  for (const char* text : {"", ";", "a,b,c;x", "1,2;x", "-1,2,3;x", "6,1,2,-"})
    EXPECT_FALSE(parse_kmsg(text)) << text;
}

TEST(Dmesg, TimeAndLevelAreOptional) {
  const KmsgRecord timed = parse_dmesg("<4>[74785.660366] pcieport 0000:00:02.0: x");
  EXPECT_EQ(timed.time_us, 74785660366);
  EXPECT_EQ(timed.level, 4);
  EXPECT_EQ(timed.text, "pcieport 0000:00:02.0: x");
  EXPECT_EQ(parse_dmesg("[    1.500000] kernel: x").text, "x");
  const KmsgRecord logged = parse_dmesg("Sep 19 16:18:02 host1 kernel: [   10.000001] x");
  EXPECT_EQ(logged.time_us, 10000001);
  EXPECT_EQ(logged.text, "x");
  EXPECT_EQ(parse_dmesg("  pcieport 0000:00:02.0: x").time_us, 0);
  EXPECT_EQ(parse_dmesg("[no time] x").time_us, 0);
  EXPECT_EQ(parse_dmesg("<12>[1.0] x").facility, 1);
}

TEST(KernelTopics, OtherLinesAreNone) {
  EXPECT_FALSE(topic("usb 1-1: new high-speed USB device number 4 using xhci_hcd"));
  EXPECT_FALSE(topic("ata1: SATA link down (SStatus 0 SControl 300)"));
  EXPECT_FALSE(topic("mlx5_core 0000:17:00.0: PCIe slot advertised sufficient power (75W)."));
  EXPECT_FALSE(topic("pcieport 0000:00:1c.0: pciehp: Slot(1): Link Down/Up ignored"));
  EXPECT_FALSE(topic("pciehp 0000:00:1c.0:pcie004: Slot(1): Link Up event ignored; already"));
}

TEST(KernelTopics, ErrorsOfAllEras) {
  for (const char* text :
       {"pcieport 0000:00:1c.0: PCIe Bus Error: severity=Corrected, type=Data Link Layer, id=00e0",
        "pcieport 0000:00:1c.0: AER: PCIe Bus Error: severity=Correctable, type=Physical Layer"}) {
    EXPECT_EQ(topic(text)->topic, "aer_corrected");
    EXPECT_EQ(where(topic(text)), "0000:00:1c.0");
  }
  EXPECT_EQ(
      topic("pcieport 0000:00:02.0: PCIe Bus Error: severity=Uncorrected (Fatal), type=T")->topic,
      "aer_fatal");
  EXPECT_EQ(
      topic("nvme 0000:01:00.0: PCIe Bus Error: severity=Uncorrectable (Non-Fatal), t")->topic,
      "aer_nonfatal");
  EXPECT_EQ(topic("pcieport 0000:00:1c.5: can't find device of ID00e5")->topic,
            "aer_unknown_source");
}

TEST(KernelTopics, XidsHaveANumberAndNoFunction) {
  auto found =
      topic("NVRM: Xid (PCI:0000:17:00): 79, pid='<unknown>', GPU has fallen off the bus.");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->topic, "xid");
  EXPECT_EQ(found->number, 79);
  EXPECT_EQ(where(found), "0000:17:00.0");
  found = topic("NVRM: Xid (0000:17:00): 31, Ch 00000010");
  EXPECT_EQ(found->number, 31);
  EXPECT_EQ(where(found), "0000:17:00.0");
  found = topic("nvidia-nvswitch3: SXid (PCI:0000:c1:00.0): 12028, Non-fatal, Link 32 egress");
  EXPECT_EQ(found->topic, "sxid");
  EXPECT_EQ(found->number, 12028);
  EXPECT_EQ(where(found), "0000:c1:00.0");
  EXPECT_FALSE(topic("NVRM: Xid (PCI:0000:17:00): garbled")->number);
}

TEST(KernelTopics, SlotsAndPorts) {
  EXPECT_EQ(topic("pcieport 0000:02:01.0: pciehp: Slot(1): Link Up")->topic, "slot_up");
  const auto old = topic("pciehp 0000:00:1c.0:pcie004: Slot(4): Link Down");
  EXPECT_EQ(old->topic, "slot_down");
  EXPECT_EQ(where(old), "0000:00:1c.0");
  EXPECT_EQ(topic("mlx5_core 0000:17:00.0 ens1np0: Link down")->topic, "port_down");
  EXPECT_EQ(topic("ice 0000:17:00.0: eth0: NIC Link is up 100 Gbps Full Duplex")->topic, "port_up");
  EXPECT_EQ(
      topic("mlx5_core 0000:5c:00.0: mlx5_pcie_event:299:(pid 2): Detected insufficient power "
            "on the PCIe slot (27W).")
          ->topic,
      "slot_power");
}

TEST(KernelLines, AStatusLineIsToldByTheSeverityAboveIt) {
  KernelLines lines;
  const auto take = [&](const char* text) { return lines.take(parse_dmesg(text), Phase::idle); };
  EXPECT_EQ(take("a 0000:00:02.0:   device [8086:6f04] error status/mask=00001000/00002000")->topic,
            "aer_status");
  (void)take("a 0000:00:02.0: PCIe Bus Error: severity=Uncorrected (Fatal), type=T");
  EXPECT_EQ(take("a 0000:00:02.0:   device [8086:6f04] error status/mask=00000020/00000000")->topic,
            "aer_fatal_status");
}

TEST(KernelLines, FirmwareTellsTheSeverityOfItsErrorsInALineOfItsOwn) {
  KernelLines lines;
  const auto take = [&](std::string_view text) {
    return lines.take(parse_dmesg(text), Phase::passive);
  };
  constexpr auto kStatus = "pcieport 0000:16:01.0: aer_status: 0x00000040, aer_mask: 0x00002000";
  EXPECT_EQ(take(kStatus)->topic, "aer_status");  // of what severity is not known
  for (const auto& [severity, topic] :
       {std::pair("corrected", "aer_corrected_status"),
        std::pair("recoverable", "aer_nonfatal_status"), std::pair("fatal", "aer_fatal_status")}) {
    EXPECT_FALSE(take(std::string("{1}[Hardware Error]: event severity: ") + severity));
    const auto line = take(kStatus);
    ASSERT_TRUE(line);
    EXPECT_EQ(line->topic, topic);
    EXPECT_EQ(line->component->text(), "0000:16:01.0");
  }
}

/// Takes a corrected error at each of these times; true for those that are kept.
int take_errors(KernelLines& lines, std::int64_t from_us, std::int64_t step_us, int count) {
  int kept = 0;
  for (int i = 0; i < count; ++i) {
    KmsgRecord record;
    record.time_us = from_us + i * step_us;
    record.text = "a 0000:00:02.0: PCIe Bus Error: severity=Corrected, type=Physical Layer";
    kept += lines.take(record, Phase::passive) ? 1 : 0;
  }
  return kept;
}

TEST(KernelLines, AStormIsKeptSmallAndCounted) {
  KernelLines lines;
  EXPECT_EQ(take_errors(lines, 0, 1000, 1000), 8);
  EXPECT_TRUE(lines.take(
      parse_dmesg("a 0000:00:02.0: PCIe Bus Error: severity=Uncorrected (Fatal)"), Phase::passive));
  const std::vector<Body> rest = lines.left_out(Phase::passive);
  ASSERT_EQ(rest.size(), 10U);
  EXPECT_EQ(std::get<KernelLine>(rest[8]).kernel_us, 999'000);
  const Counter& count = std::get<Counter>(rest[9]);
  EXPECT_EQ(count.name, "kernel_log/aer_corrected");
  EXPECT_EQ(count.component.text(), "0000:00:02.0");
  EXPECT_EQ(count.value, 1000);
  EXPECT_TRUE(lines.left_out(Phase::passive).empty());
}

TEST(KernelLines, ABurstBetweenLoneLinesIsKept) {
  KernelLines lines;
  take_errors(lines, 0, 3600'000'000, 10);
  take_errors(lines, 50'000'000'000, 1000, 8);
  take_errors(lines, 60'000'000'000, 3600'000'000, 10);
  const std::vector<Body> rest = lines.left_out(Phase::passive);
  ASSERT_EQ(rest.size(), 10U);
  EXPECT_EQ(std::get<KernelLine>(rest[0]).kernel_us, 50'000'000'000);
  EXPECT_EQ(std::get<KernelLine>(rest[7]).kernel_us, 50'000'007'000);
}

class CapturedLog : public testing::Test {
 protected:
  std::vector<Body> read() { return kernel_log_since_boot(*Sysroot::open(dir_.path())); }
  static const Part& part(const std::vector<Body>& records) { return std::get<Part>(records[0]); }

  test::TempDir dir_;
};

TEST_F(CapturedLog, NoneIsSaid) {
  const auto records = read();
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(part(records).name, "kernel_log");
  EXPECT_EQ(part(records).status, "absent");
}

TEST_F(CapturedLog, DmesgServes) {
  dir_.write("var/log/dmesg",
             "[    1.0] Linux version\n[    2.5] NVRM: Xid (PCI:0000:17:00): 79, x\n");
  const auto records = read();
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(part(records).path, "var/log/dmesg");
  const auto& line = std::get<KernelLine>(records[1]);
  EXPECT_EQ(line.number, 79);
  EXPECT_EQ(line.kernel_us, 2500000);
}

TEST_F(CapturedLog, RecordsOfKmsgGoFirst) {
  dir_.write("var/log/dmesg", "[    2.5] NVRM: Xid (PCI:0000:17:00): 79, x\n");
  dir_.write("linkburn/kmsg",
             "6,1,100,-;Linux version\n3,2,200,-;EDR: EDR event received\n SUBSYSTEM=pci\n"
             " DEVICE=+pci:0000:30:03.0\n6,3,300,-;other\n");
  const auto records = read();
  ASSERT_EQ(records.size(), 3U);
  EXPECT_EQ(std::get<KernelLine>(records[1]).topic, "lost_lines");  // its first number is not 0
  const auto& line = std::get<KernelLine>(records[2]);
  EXPECT_EQ(line.topic, "containment");
  EXPECT_EQ(line.component->text(), "0000:30:03.0");
}

}  // namespace
}  // namespace linkburn
