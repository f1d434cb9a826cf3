#include <gtest/gtest.h>

#include "tests/report/rules/apply_rule.h"
#include "tests/support/evidence_builder.h"

namespace linkburn {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
constexpr auto kCard = "0000:17:00.0";
constexpr auto kPort = "0000:16:00.0";

KernelLine xid(int number, std::string text = "NVRM: Xid", std::string topic = "xid") {
  return {id(kCard), std::move(topic), 4, 100'000'000, std::move(text), Phase::passive, number};
}

RuleOutput judge_xids(EvidenceBuilder builder, std::vector<KernelLine> lines) {
  builder.link(make_link(kCard, kPort)).device(make_device(kCard, {kPort}));
  for (KernelLine& line : lines) builder.record(std::move(line));
  return apply_rule(xids_rule, builder.finish());
}

std::vector<Finding> since_boot(std::vector<KernelLine> lines) {
  return judge_xids(EvidenceBuilder::inspect(), std::move(lines)).findings;
}

std::vector<Finding> in_run(std::vector<KernelLine> lines) {
  return judge_xids(EvidenceBuilder::run(), std::move(lines)).findings;
}

TEST(Xids, ProgramsAndNotesAreNoFinding) {
  for (const int number : {8, 13, 31, 43, 45, 63, 92, 154}) {
    EXPECT_THAT(since_boot({xid(number)}), IsEmpty()) << number;
    EXPECT_THAT(in_run({xid(number)}), IsEmpty()) << number;
  }
  EXPECT_THAT(in_run({xid(79)}), IsEmpty());  // device_drops speaks
}

TEST(Xids, UnknownNumbersAreMentioned) {
  const RuleOutput out = judge_xids(EvidenceBuilder::inspect(), {xid(999)});
  EXPECT_THAT(out.findings, IsEmpty());
  ASSERT_EQ(out.not_judged.size(), 1U);
  EXPECT_EQ(out.not_judged[0].what, "Xid 999 of 0000:17:00.0");
}

TEST(Xids, WithoutANumberThereIsNothingToSay) {
  KernelLine garbled = xid(0);
  garbled.number.reset();
  const RuleOutput out = judge_xids(EvidenceBuilder::inspect(), {garbled});
  EXPECT_THAT(out.findings, IsEmpty());
  EXPECT_THAT(out.not_judged, IsEmpty());
}

TEST(Xids, TheBusIsAFault) {
  EXPECT_THAT(in_run({xid(167)}), ElementsAre(Is("LB-XID-BUS", FindingClass::degraded)));
  EXPECT_THAT(in_run({xid(176)}), ElementsAre(Is("LB-XID-BUS", FindingClass::marginal)));
}

TEST(Xids, OfTheBusSinceBootWarnsWhereTheDeviceAnswers) {
  EXPECT_THAT(since_boot({xid(167)}), ElementsAre(Is("LB-XID-BUS", FindingClass::marginal)));
  Link unread = make_link(kCard, kPort);
  unread.device_end = unread.peer_end = {};
  EvidenceBuilder builder = EvidenceBuilder::inspect().link(unread).record(xid(167));
  EXPECT_THAT(apply_rule(xids_rule, builder.finish()).findings,
              ElementsAre(Is("LB-XID-BUS", FindingClass::degraded)));
}

TEST(Xids, NvlinkIsAFaultInARunAndAWarningFromBefore) {
  const std::string text =
      "NVRM: Xid (PCI:0000:17:00): 74, NVLink: fatal error detected on link 3(0x10000, 0x0)";
  EXPECT_THAT(since_boot({xid(74, text)}),
              ElementsAre(Is("LB-XID-NVLINK", FindingClass::marginal)));
  const auto findings = in_run({xid(74, text), xid(74, text)});
  ASSERT_THAT(findings, ElementsAre(Is("LB-XID-NVLINK", FindingClass::degraded)));
  EXPECT_THAT(findings[0].links, ElementsAre(3));
  EXPECT_THAT(findings[0].detail, HasSubstr("Xid 74 (2 times)"));
  EXPECT_THAT(in_run({xid(145, "RLW_REMAP Nonfatal XC0 i0 Link 12 (0x1)")}),
              ElementsAre(Is("LB-XID-NVLINK", FindingClass::marginal)));
}

TEST(Xids, MemoryAndFirmwareAreOneWarningThatIsNoLinkFault) {
  EXPECT_THAT(in_run({xid(48), xid(95), xid(119)}),
              ElementsAre(Is("LB-XID-DEVICE", FindingClass::marginal)));
}

TEST(Xids, SwitchesReportFatalErrorsOfTheirLinks) {
  EXPECT_THAT(in_run({xid(23001, "SXid (PCI:0000:17:00.0): 23001, Fatal, Link 12", "sxid")}),
              ElementsAre(Is("LB-XID-NVLINK", FindingClass::degraded)));
  EXPECT_THAT(in_run({xid(20009, "SXid (PCI:0000:17:00.0): 20009, Non-fatal, Link 12", "sxid")}),
              IsEmpty());
}

TEST(Xids, AStrangerIsMentioned) {
  EvidenceBuilder builder =
      EvidenceBuilder::inspect().link(make_link("0000:65:00.0", "0000:64:00.0"));
  builder.record(xid(74));
  const RuleOutput out = apply_rule(xids_rule, builder.finish());
  EXPECT_THAT(out.findings, IsEmpty());
  EXPECT_EQ(out.not_judged.size(), 1U);
}

}  // namespace
}  // namespace linkburn
