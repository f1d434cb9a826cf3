#include "bench/captures/join_logs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "bench/captures/collector.h"

namespace linkburn {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

const std::string kDown = "pcieport 0000:16:01.0: pciehp: Slot(1): Link Down\n";
const std::string kUp = "pcieport 0000:16:01.0: pciehp: Slot(1): Link Up\n";
const std::string kGone = "NVRM: Xid (PCI:0000:17:00): 79, GPU has fallen off the bus.\n";
const std::string kBegin = "Linux version 5.14.0 (gcc 11)\n";

/// The kernel lines of one node of which these texts are, by time.
std::vector<KernelLine> lines_of(const std::vector<std::string>& texts) {
  Collector collector;
  for (std::size_t at = 0; at < texts.size(); ++at) {
    collector.begin("log" + std::to_string(at));
    collector.take(texts[at]);
    collector.end();
  }
  std::vector<KernelLine> lines;
  for (const NodeDraft& node : std::move(collector).finish()) {
    EXPECT_THAT(node.logs, IsEmpty());
    for (const Body& body : node.records)
      if (const auto* line = std::get_if<KernelLine>(&body)) lines.push_back(*line);
  }
  std::stable_sort(lines.begin(), lines.end(), [](const KernelLine& a, const KernelLine& b) {
    return a.kernel_us < b.kernel_us;
  });
  return lines;
}

std::vector<std::string> topics(const std::vector<std::string>& texts) {
  std::vector<std::string> topics;
  for (const KernelLine& line : lines_of(texts)) topics.push_back(line.topic);
  return topics;
}

std::string of_system(const std::string& when, const std::string& text) {
  return when + " node07 kernel: " + text;
}

TEST(JoinLogs, WhatTwoLogsTellCountsOnce) {
  const std::string log = "[812.3] " + kDown + "[813.3] " + kUp;
  EXPECT_THAT(topics({log, log, log}), ElementsAre("slot_down", "slot_up"));
  const std::string longer = log + "[900.3] " + kDown + "[901.3] " + kUp;
  EXPECT_THAT(topics({log, longer}), SizeIs(4));
  EXPECT_THAT(topics({longer, log}), SizeIs(4));
  EXPECT_THAT(topics({longer}), SizeIs(4)) << "of one log every line counts";
}

TEST(JoinLogs, ALineThatTwoClocksTellJoinsThem) {
  const std::string of_boot = "[812.3] " + kDown + "[813.3] " + kUp;
  const std::string of_wall = of_system("Jan  2 09:13:45", kDown) +
                              of_system("Jan  2 09:13:46", kUp) +
                              of_system("Jan  2 09:15:46", kDown);
  for (const auto& texts : {std::vector{of_boot, of_wall}, std::vector{of_wall, of_boot}}) {
    const auto lines = lines_of(texts);
    ASSERT_THAT(lines, SizeIs(3));
    for (const KernelLine& line : lines) EXPECT_EQ(line.when, "");
    EXPECT_NEAR(static_cast<double>(lines[2].kernel_us), 933e6, 2e6);
  }
}

TEST(JoinLogs, RotatedLogsOfOneBootGoOn) {
  const std::string first =
      of_system("Dec 31 23:59:01", kDown) + of_system("Dec 31 23:59:02", "usb 1-1: new\n");
  const std::string second = of_system("Jan  1 00:00:01", kUp);
  EXPECT_THAT(topics({second, first}), ElementsAre("slot_down", "slot_up"));
  EXPECT_THAT(topics({first, second}), ElementsAre("slot_down", "slot_up"));
}

TEST(JoinLogs, ALogOfAnEarlierBootIsPutAside) {
  const std::string before = of_system("Jan  1 09:13:46", "[  813.3] " + kGone);
  const std::string since = of_system("Jan  2 09:00:12", "[    0.0] " + kBegin);
  EXPECT_THAT(topics({since, before}), ElementsAre("earlier_boot"));
  EXPECT_THAT(topics({before, since}), ElementsAre("earlier_boot"));
  const std::string stamped_late =
      of_system("Jan  2 09:00:12", kBegin) + of_system("Jan  2 09:00:50", "usb 1-1: new\n");
  EXPECT_THAT(topics({of_system("Jan  1 09:13:46", kGone), stamped_late}),
              ElementsAre("earlier_boot"));
}

TEST(JoinLogs, AClockThatWasSetAfterBootTellsNoBoot) {
  const std::string set_back =
      of_system("Jan  2 17:00:12", kBegin) + of_system("Jan  2 09:00:30", "usb 1-1: new\n");
  EXPECT_THAT(topics({of_system("Jan  2 09:13:46", kGone), set_back}), ElementsAre("xid"));
}

TEST(JoinLogs, WithoutTimesOrCommonLinesNothingIsLost) {
  EXPECT_THAT(topics({kDown + kUp, "[812.3] " + kDown + "[813.3] " + kUp}), SizeIs(2));
  EXPECT_THAT(topics({"[812.3] " + kDown, of_system("Jan  2 09:13:45", kUp)}), SizeIs(2));
}

TEST(JoinLogs, ManyPiecesAreTakenAsTheyAre) {
  std::vector<std::string> texts(200, "[812.3] " + kDown);
  EXPECT_THAT(topics(texts), SizeIs(200));
}

}  // namespace
}  // namespace linkburn
