#include <gtest/gtest.h>

#include "tests/report/rules/apply_rule.h"
#include "tests/support/evidence_builder.h"

namespace linkburn {
namespace {

using testing::HasSubstr;

RuleOutput judge_port(std::string_view state, std::string_view phys_state,
                      std::string_view layer = "InfiniBand") {
  Port port = make_port("mlx5_0/1");
  port.state = state;
  port.phys_state = phys_state;
  port.link_layer = layer;
  return apply_rule(port_state_rule, EvidenceBuilder::inspect().port(port).finish());
}

TEST(PortState, ActiveIsHealthyAndItsRateIsNotJudged) {
  const RuleOutput out = judge_port("ACTIVE", "LinkUp");
  ASSERT_EQ(out.findings.size(), 1U);
  EXPECT_THAT(out.findings[0], Is("LB-HEALTHY", FindingClass::healthy));
  EXPECT_EQ(out.findings[0].negotiated.text, "400 Gb/sec (4X NDR)");
  EXPECT_EQ(out.findings[0].negotiated.rate_gbs, 50);
  ASSERT_EQ(out.not_judged.size(), 1U);
  EXPECT_EQ(out.not_judged[0].what, "rate of mlx5_0/1");
}

TEST(PortState, WordsAreReadInAnyCase) {
  EXPECT_THAT(judge_port("active", "linkup").findings[0], Is("LB-HEALTHY", FindingClass::healthy));
}

TEST(PortState, SwitchedOffIsHealthyAndShowsNoRate) {
  const RuleOutput out = judge_port("DOWN", "Disabled");
  EXPECT_THAT(out.findings[0], Is("LB-HEALTHY", FindingClass::healthy));
  EXPECT_EQ(out.findings[0].detail, "unused: switched off");
  EXPECT_TRUE(out.findings[0].negotiated.empty());
  EXPECT_TRUE(out.not_judged.empty());
}

TEST(PortState, AnEthernetPortThatIsDownMayHaveAnyReason) {
  EXPECT_THAT(judge_port("DOWN", "Disabled", "Ethernet").findings[0],
              Is("LB-PORT-STATE", FindingClass::undecided));
}

TEST(PortState, AnAdapterWithoutAPortIsSaid) {
  Component adapter = make_device("0000:17:00.0");
  adapter.type = "infiniband";
  const RuleOutput out =
      apply_rule(port_state_rule, EvidenceBuilder::inspect().device(adapter).finish());
  ASSERT_EQ(out.not_judged.size(), 1U);
  EXPECT_EQ(out.not_judged[0].what, "RDMA ports of 0000:17:00.0");
}

TEST(PortState, InitWithLinkUpLacksASubnetManager) {
  EXPECT_THAT(judge_port("INIT", "LinkUp").findings[0],
              Is("LB-PORT-NO-SM", FindingClass::misconfigured));
  EXPECT_THAT(judge_port("INIT", "LinkUp", "Ethernet").findings[0],
              Is("LB-PORT-STATE", FindingClass::undecided));
  EXPECT_THAT(judge_port("INIT", "Polling").findings[0],
              Is("LB-PORT-STATE", FindingClass::undecided));
}

TEST(PortState, DownIsUndecidedAndShowsNoRate) {
  const Finding finding = judge_port("DOWN", "Polling").findings[0];
  EXPECT_THAT(finding, Is("LB-PORT-STATE", FindingClass::undecided));
  EXPECT_THAT(finding.missing, HasSubstr("which ports"));
  EXPECT_TRUE(finding.negotiated.empty());
}

TEST(PortState, UnknownStateIsUndecided) {
  EXPECT_THAT(judge_port("", "").findings[0], Is("LB-NO-EVIDENCE", FindingClass::undecided));
  EXPECT_THAT(judge_port("", "Disabled").findings[0],
              Is("LB-NO-EVIDENCE", FindingClass::undecided));
}

}  // namespace
}  // namespace linkburn
