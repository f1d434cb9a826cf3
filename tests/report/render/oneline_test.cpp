#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/report/render/samples.h"

namespace linkburn {
namespace {

using samples::rendered;
using testing::HasSubstr;
using testing::StartsWith;

std::string line_of(const Report& report) { return rendered("oneline", report); }

/// The line of a report with this one failure.
std::string line_of(const Finding& finding) {
  Report report = samples::fail();
  report.verdict.findings = {finding};
  return line_of(report);
}

TEST(Oneline, FailGivesSlotAndShortfallInTheFirstTwentyCharacters) {
  EXPECT_EQ(line_of(samples::fail()), "lb slot7 x8<x16 FAIL 0000:1b:00.0 LB-PCIE-WIDTH\n");
}

TEST(Oneline, SlotLabelThatDoesNotFitGivesWayToTheAddress) {
  Finding finding = samples::narrow_link();
  finding.place = Slot{"PCIE7", "site"};
  EXPECT_THAT(line_of(finding), StartsWith("lb PCIE7 x8<x16 "));
  finding.place = Slot{"RISER2_PCIE7", "site"};
  EXPECT_THAT(line_of(finding), StartsWith("lb 1b:00.0 x8<x16 "));
  finding.place = Slot{"second from left", "site"};
  EXPECT_THAT(line_of(finding), StartsWith("lb 1b:00.0 x8<x16 "));
  finding.place.reset();
  EXPECT_THAT(line_of(finding), StartsWith("lb 1b:00.0 x8<x16 "));
}

TEST(Oneline, EachKindOfTroubleHasItsWords) {
  Finding finding = samples::narrow_link();
  finding.place.reset();
  finding.cls = FindingClass::lost;
  EXPECT_THAT(line_of(finding), StartsWith("lb 1b:00.0 LOST "));
  finding.cls = FindingClass::misconfigured;
  EXPECT_THAT(line_of(finding), StartsWith("lb 1b:00.0 MISCONFIG "));
  finding.cls = FindingClass::degraded;
  finding.aspect = Aspect::speed;
  finding.negotiated = quantity(LinkSpeed{8000}, LinkWidth{16});
  EXPECT_THAT(line_of(finding), StartsWith("lb 1b:00.0 8<16GT/s "));
  finding.aspect = Aspect::errors;
  EXPECT_THAT(line_of(finding), StartsWith("lb 1b:00.0 DEGRADED "));
  finding.aspect = Aspect::data;
  EXPECT_THAT(line_of(finding), StartsWith("lb 1b:00.0 WRONG DATA "));
}

TEST(Oneline, WhatTheSiteAcceptsIsNotTheReason) {
  Report report = samples::fail();
  Finding accepted = samples::narrow_link();
  accepted.cls = FindingClass::lost;
  accepted.accepted = "until 2027-01-31: on order (site.toml:7)";
  report.verdict.findings.insert(report.verdict.findings.begin(), accepted);
  EXPECT_EQ(line_of(report), "lb slot7 x8<x16 FAIL 0000:1b:00.0 LB-PCIE-WIDTH\n");
}

TEST(Oneline, PortRatesAreInGigabits) {
  Finding finding = samples::narrow_link();
  finding.component = ComponentId::port("mlx5_0", 1);
  finding.place.reset();
  finding.aspect = Aspect::ports;
  finding.limit = {};
  finding.negotiated = {"25 Gb/s", {}, {}, 3.125};
  finding.rated = {"100 Gb/s", {}, {}, 12.5};
  EXPECT_THAT(line_of(finding), StartsWith("lb mlx5_0/1 25<100Gb/s "));
  finding.aspect = Aspect::rate;
  EXPECT_THAT(line_of(finding), StartsWith("lb mlx5_0/1 3.12<12.5GB/s "));
}

TEST(Oneline, TheWorstIsNamedAndTheOthersCounted) {
  Report report = samples::fail();
  Finding lost = samples::finding(FindingClass::lost, 0x1c);
  report.verdict.findings.push_back(lost);
  const std::string line = line_of(report);
  EXPECT_THAT(line, StartsWith("lb 1c:00.0 LOST FAIL"));
  EXPECT_THAT(line, HasSubstr("+1 more"));
}

TEST(Oneline, PassCountsWhatWasJudged) {
  EXPECT_EQ(line_of(samples::pass()), "lb PASS 2 links 1 port\n");
  Report report = samples::pass();
  report.verdict.findings.push_back(samples::finding(FindingClass::marginal, 0x1b));
  EXPECT_THAT(line_of(report), StartsWith("lb PASS 2 links 1 marginal"));
}

TEST(Oneline, IncompleteSaysWhy) {
  EXPECT_EQ(line_of(samples::no_links()), "lb INCOMPLETE no PCIe links\n");
  EXPECT_EQ(line_of(Report{}), "lb INCOMPLETE no evidence\n");
  EXPECT_THAT(line_of(samples::incomplete()), StartsWith("lb INCOMPLETE The speed of 0000:1b"));
}

TEST(Oneline, SeveralNodesNameTheWorst) {
  EXPECT_THAT(line_of(samples::several_nodes()),
              StartsWith("lb FAIL 1/2 nodes gpu017 slot7 x8<x16"));
}

TEST(Oneline, AtMostEightyBytesOfAsciiInOneLine) {
  for (const Report& report :
       {Report{}, samples::pass(), samples::fail(), samples::incomplete(), samples::drill(),
        samples::no_links(), samples::several_nodes(), samples::hostile()}) {
    const std::string line = line_of(report);
    EXPECT_LE(line.size(), 80U) << line;
    EXPECT_EQ(line.find('\n'), line.size() - 1) << line;
    EXPECT_THAT(line, StartsWith("lb "));
    for (const char c : line.substr(0, line.size() - 1)) EXPECT_TRUE(c >= ' ' && c <= '~') << line;
  }
}

TEST(Oneline, ACutLineEndsWithAWholeWord) {
  Report report = samples::incomplete();
  report.verdict.reasons = {
      "The speed of the links of all eight accelerators is required and could not be judged"};
  EXPECT_EQ(line_of(report),
            "lb INCOMPLETE The speed of the links of all eight accelerators is required and\n");
}

}  // namespace
}  // namespace linkburn
