#include <gtest/gtest.h>

#include "report/verdict.h"
#include "tests/report/rules/apply_rule.h"
#include "tests/support/evidence_builder.h"

namespace linkburn {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
constexpr auto kCard = "0000:17:00.0";
constexpr auto kPort = "0000:16:00.0";

Link link_with(std::int64_t port_lanes) {
  Link link = make_link(kCard, kPort);
  link.peer_end.registers.emplace().lane_errors = port_lanes;
  return link;
}

std::vector<Finding> judge_lanes(const Link& link) {
  return apply_rule(lane_errors_rule, EvidenceBuilder::inspect().link(link).finish()).findings;
}

TEST(LaneErrors, AbsentNoneAndAllSayNothing) {
  EXPECT_THAT(judge_lanes(make_link(kCard, kPort)), IsEmpty());
  EXPECT_THAT(judge_lanes(link_with(0)), IsEmpty());
  EXPECT_THAT(judge_lanes(link_with(0xffff)), IsEmpty());
  EXPECT_THAT(judge_lanes(link_with(0x10000)), IsEmpty());  // beyond the link's lanes
}

TEST(LaneErrors, AloneTheyAreOnlyTold) {
  const auto findings = judge_lanes(link_with(0x88));
  ASSERT_THAT(findings, ElementsAre(Is("LB-HEALTHY", FindingClass::healthy)));
  EXPECT_THAT(findings[0].detail, HasSubstr("lanes 3 and 7 at 0000:16:00.0"));
}

TEST(LaneErrors, TheyNameTheLanesOfANarrowLink) {
  Link link = link_with(0xff00);
  link.device_end.width = link.peer_end.width = LinkWidth{8};
  EXPECT_THAT(judge_lanes(link), ElementsAre(Is("LB-PCIE-LANES", FindingClass::marginal)));
  const Verdict verdict = judge(EvidenceBuilder::inspect().link(link).finish());
  ASSERT_THAT(verdict.findings, ElementsAre(Is("LB-PCIE-WIDTH", FindingClass::degraded)));
  EXPECT_THAT(verdict.findings[0].detail, HasSubstr("lanes 8 to 15 at 0000:16:00.0"));
}

TEST(LaneErrors, TheyNameTheLanesOfALinkThatDamagesPackets) {
  EvidenceBuilder builder = EvidenceBuilder::inspect().link(link_with(1));
  builder.part("uptime", "found", "86400");
  builder.counter(kCard, "aer_correctable/BadTLP", 1, false, Phase::passive);
  const Verdict verdict = judge(builder.finish());
  ASSERT_THAT(verdict.findings, ElementsAre(Is("LB-AER-CORRECTED", FindingClass::marginal)));
  EXPECT_THAT(verdict.findings[0].detail, HasSubstr("lane 0 at 0000:16:00.0"));
}

}  // namespace
}  // namespace linkburn
