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

/// Rated 16.0 GT/s, running at `now`, the port's target set to `target`; 0: the port has none.
Link held_link(int now_mts, int target_mts) {
  Link link = make_link(kCard, kPort);
  link.device_end.speed = link.peer_end.speed = LinkSpeed{now_mts};
  link.peer_end.registers.emplace().target_speed = LinkSpeed{target_mts};
  return link;
}

Component device_of_type(std::string_view type) {
  Component device = make_device(kCard, {kPort});
  device.type = type;
  return device;
}

EvidenceBuilder inspect_of(const Link& link, std::string_view type) {
  return EvidenceBuilder::inspect().link(link).device(device_of_type(type));
}

KernelLine quirk_line(const char* where) {
  return {id(where), "retrain_tried", 6, 1, "broken device, retraining", Phase::passive, {}};
}

std::vector<Finding> both_rules(const EvidenceBuilder& builder) {
  std::vector<Finding> all = apply_rule(target_speed_rule, builder.finish()).findings;
  for (Finding& finding : apply_rule(link_speed_rule, builder.finish()).findings)
    all.push_back(std::move(finding));
  return all;
}

TEST(TargetSpeed, WithoutRegistersOneLineSaysSo) {
  Link other = make_link("0000:65:00.0", "0000:64:00.0");
  other.peer_end.registers_absent = "needs root";
  Link link = make_link(kCard, kPort);
  link.peer_end.registers_absent = "needs root";
  const RuleOutput out =
      apply_rule(target_speed_rule, EvidenceBuilder::inspect().link(link).link(other).finish());
  EXPECT_THAT(out.findings, IsEmpty());
  ASSERT_EQ(out.not_judged.size(), 1U);
  EXPECT_EQ(out.not_judged[0].what, "target speed and lane errors of 2 links");
  EXPECT_EQ(out.not_judged[0].why, "needs root");
}

TEST(TargetSpeed, ASettingThatHoldsANetworkAdapterIsMisconfigured) {
  for (const char* type : {"nic", "infiniband", "nvme"})
    EXPECT_THAT(both_rules(inspect_of(held_link(8000, 8000), type)),
                ElementsAre(Is("LB-PCIE-TARGET", FindingClass::misconfigured)));
  const Finding finding =
      only_finding(target_speed_rule, inspect_of(held_link(8000, 8000), "nic").finish());
  EXPECT_EQ(finding.limiter, id(kPort));
  EXPECT_EQ(finding.negotiated.text, "8.0 GT/s x16");
  EXPECT_EQ(finding.detail,
            "held at 8.0 GT/s by the target link speed of 0000:16:00.0, rated 16.0 GT/s");
}

TEST(TargetSpeed, ABridgeThatLeadsToNothingThatPeopleLoadIsNoFault) {
  EvidenceBuilder builder = inspect_of(held_link(2500, 2500), "bridge");
  EXPECT_THAT(both_rules(builder), ElementsAre(Is("LB-NEEDS-LOAD", FindingClass::undecided)));
  Component disk = make_device("0000:19:00.0", {"0000:18:00.0", kCard, kPort});
  disk.type = "nvme";
  builder.device(disk).link(make_link("0000:19:00.0", "0000:18:00.0"));
  EXPECT_THAT(apply_rule(target_speed_rule, builder.finish()).findings,
              ElementsAre(Is("LB-PCIE-TARGET", FindingClass::misconfigured)));
}

TEST(TargetSpeed, AtRatedSpeedATargetIsNothing) {
  for (const int target : {2500, 8000, 16000, 32000})
    EXPECT_THAT(both_rules(inspect_of(held_link(16000, target), "nic")),
                ElementsAre(Is("LB-HEALTHY", FindingClass::healthy)));
}

TEST(TargetSpeed, ATargetThatIsNotWhatTheLinkRunsAtExplainsNothing) {
  for (const auto& [now, target] : {std::pair(8000, 2500), std::pair(2500, 8000)})
    EXPECT_THAT(both_rules(inspect_of(held_link(now, target), "nic")),
                ElementsAre(Is("LB-NEEDS-LOAD", FindingClass::undecided)));
}

TEST(TargetSpeed, ReservedAndMissingTargetsAreIgnored) {
  for (const int target : {0, 1, 7000})
    EXPECT_THAT(both_rules(inspect_of(held_link(2500, target), "nic")),
                ElementsAre(Is("LB-NEEDS-LOAD", FindingClass::undecided)));
  Link link = held_link(2500, 2500);
  link.peer_end.registers->target_speed.reset();
  EXPECT_THAT(both_rules(inspect_of(link, "nic")),
              ElementsAre(Is("LB-NEEDS-LOAD", FindingClass::undecided)));
}

TEST(TargetSpeed, TheDeviceEndsTargetMeansNothing) {
  Link link = held_link(2500, 16000);
  link.device_end.registers.emplace().target_speed = LinkSpeed{2500};
  EXPECT_THAT(both_rules(inspect_of(link, "nic")),
              ElementsAre(Is("LB-NEEDS-LOAD", FindingClass::undecided)));
}

TEST(TargetSpeed, AnIdleGpuMayHaveSetItItself) {
  for (const char* type : {"gpu", "accelerator", "other"}) {
    const auto findings = both_rules(inspect_of(held_link(2500, 2500), type));
    EXPECT_THAT(findings, ElementsAre(Is("LB-NEEDS-LOAD", FindingClass::undecided)));
    EXPECT_THAT(findings[0].detail, HasSubstr("the target link speed of 0000:16:00.0 is set"));
  }
  EXPECT_THAT(both_rules(EvidenceBuilder::inspect().link(held_link(2500, 2500))),
              ElementsAre(Is("LB-NEEDS-LOAD", FindingClass::undecided)));
}

TEST(TargetSpeed, AGpuThatIsHeldUnderLoadIsMisconfigured) {
  EvidenceBuilder builder = EvidenceBuilder::run();
  builder.link(held_link(8000, 8000)).device(device_of_type("gpu"));
  builder.plan_step("h2d-1", kCard, {kCard}).start_step("h2d-1");
  builder.at(5).reading(kCard, "link_speed", 8, Phase::measure, "h2d-1").end_step("h2d-1");
  const Verdict verdict = judge(builder.finish());
  EXPECT_EQ(verdict.exit, 1);
  ASSERT_FALSE(verdict.findings.empty());
  for (const Finding& finding : verdict.findings) EXPECT_NE(finding.code, "LB-PCIE-SPEED");
  EXPECT_THAT(verdict.findings[0], Is("LB-PCIE-TARGET", FindingClass::misconfigured));
  EXPECT_THAT(verdict.findings[0].detail, HasSubstr("under load the link speed fell to 8.0 GT/s"));
}

TEST(TargetSpeed, TheKernelsQuirkIsSoftware) {
  const auto judge_with = [](const char* where, int now, int target) {
    EvidenceBuilder builder = inspect_of(held_link(now, target), "gpu");
    return both_rules(builder.record(quirk_line(where)));
  };
  const auto findings = judge_with(kPort, 2500, 2500);
  EXPECT_THAT(findings, ElementsAre(Is("LB-PCIE-TARGET", FindingClass::misconfigured)));
  EXPECT_THAT(findings[0].detail, HasSubstr("caused by software"));
  EXPECT_THAT(judge_with("0000:aa:00.0", 2500, 2500),
              ElementsAre(Is("LB-NEEDS-LOAD", FindingClass::undecided)));
  EXPECT_THAT(judge_with(kPort, 8000, 8000),
              ElementsAre(Is("LB-NEEDS-LOAD", FindingClass::undecided)));
  EXPECT_THAT(judge_with(kPort, 16000, 2500), ElementsAre(Is("LB-HEALTHY", FindingClass::healthy)));
  KernelLine removed = quirk_line(kPort);
  removed.topic = "restriction_removed";
  EvidenceBuilder lifted = inspect_of(held_link(2500, 2500), "gpu");
  EXPECT_THAT(both_rules(lifted.record(quirk_line(kPort)).record(removed)),
              ElementsAre(Is("LB-NEEDS-LOAD", FindingClass::undecided)));
}

TEST(TargetSpeed, TheCoolingStateFollowsTheSpeedAndProvesNothing) {
  Link link = held_link(2500, 16000);
  link.cooling_state = 3;
  link.cooling_max_state = 3;
  EXPECT_THAT(both_rules(inspect_of(link, "nic")),
              ElementsAre(Is("LB-NEEDS-LOAD", FindingClass::undecided)));
  link.peer_end.registers->target_speed = LinkSpeed{2500};
  const auto findings = both_rules(inspect_of(link, "nic"));
  EXPECT_THAT(findings, ElementsAre(Is("LB-PCIE-TARGET", FindingClass::misconfigured)));
  EXPECT_THAT(findings[0].detail, HasSubstr("cooling state 3 of 3"));
}

TEST(TargetSpeed, ASwitchedOffLinkWithACardIsMisconfigured) {
  Link link = make_link(kCard, kPort);
  link.device_end = {};
  link.device_end.all_ones = true;
  link.peer_end.registers.emplace().link_disabled = true;
  link.peer_end.registers->card_present = true;
  const Verdict verdict = judge(EvidenceBuilder::inspect().link(link).finish());
  EXPECT_THAT(verdict.findings, ElementsAre(Is("LB-PCIE-DISABLED", FindingClass::misconfigured)));
  for (const std::optional<bool> present : {std::optional(false), std::optional<bool>()}) {
    link.peer_end.registers->card_present = present;
    EXPECT_THAT(
        apply_rule(target_speed_rule, EvidenceBuilder::inspect().link(link).finish()).findings,
        IsEmpty());
  }
}

}  // namespace
}  // namespace linkburn
