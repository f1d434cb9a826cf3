#include <gtest/gtest.h>

#include "tests/report/rules/apply_rule.h"
#include "tests/support/evidence_builder.h"

namespace linkburn {
namespace {

using testing::HasSubstr;
constexpr auto kCard = "0000:17:00.0";

EvidenceBuilder planned() {
  EvidenceBuilder builder = EvidenceBuilder::run();
  builder.plan_step("h2d-1", kCard, {kCard});
  return builder;
}

RuleOutput judge_coverage(const EvidenceBuilder& builder) {
  return apply_rule(coverage_rule, builder.finish());
}

TEST(Coverage, ACompleteStepIsNothingToSay) {
  const RuleOutput out = judge_coverage(planned().start_step("h2d-1").end_step("h2d-1"));
  EXPECT_TRUE(out.findings.empty());
  EXPECT_TRUE(out.not_judged.empty());
}

TEST(Coverage, AStepThatFailedIsUndecidedWithItsReason) {
  const RuleOutput out = judge_coverage(planned().start_step("h2d-1").end_step(
      "h2d-1", "error", "call cuMemcpy has not returned for 5 s"));
  ASSERT_EQ(out.findings.size(), 1U);
  EXPECT_THAT(out.findings[0], Is("LB-STEP-INCOMPLETE", FindingClass::undecided));
  EXPECT_EQ(out.findings[0].component, id(kCard));
  EXPECT_EQ(out.findings[0].detail, "call cuMemcpy has not returned for 5 s");
}

TEST(Coverage, AStepWithoutAnEndIsUndecided) {
  EXPECT_THAT(judge_coverage(planned()).findings.at(0).detail, HasSubstr("never started"));
  EXPECT_THAT(judge_coverage(planned().start_step("h2d-1")).findings.at(0).detail,
              HasSubstr("did not end"));
  EXPECT_THAT(
      judge_coverage(planned().start_step("h2d-1").end_step("h2d-1", "interrupted")).findings.at(0),
      Is("LB-STEP-INCOMPLETE", FindingClass::undecided));
}

TEST(Coverage, OneLaneThatFailedDoesNotTakeTheOthersAlong) {
  Step end;
  end.step = "h2d-1";
  end.workload = "h2d";
  end.event = "end";
  end.status = "error";
  end.lanes = {{id(kCard), {id(kCard)}, "complete", {}},
               {id("0000:3b:00.0"), {id("0000:3b:00.0")}, "error", "cuMemcpy has not returned"}};
  EvidenceBuilder builder = EvidenceBuilder::run();
  builder.link(make_link(kCard, "0000:16:01.0")).link(make_link("0000:3b:00.0", "0000:3a:02.0"));
  const Evidence evidence = builder.start_step("h2d-1").record(end).finish();
  const RuleOutput out = apply_rule(coverage_rule, evidence);
  ASSERT_EQ(out.findings.size(), 1U);
  EXPECT_EQ(out.findings[0].component, id("0000:3b:00.0"));
  EXPECT_EQ(out.findings[0].detail, "cuMemcpy has not returned");
  const Story story = Story::of(evidence);
  EXPECT_TRUE(story.link_of(id(kCard))->loaded);
  EXPECT_FALSE(story.link_of(id("0000:3b:00.0"))->loaded);
}

TEST(Coverage, AStepWithoutLanesConcernsTheNode) {
  EXPECT_EQ(judge_coverage(EvidenceBuilder::run().start_step("x-1")).findings.at(0).component,
            ComponentId::node());
}

TEST(Coverage, ASkippedStepIsNotJudgedWithItsReason) {
  const RuleOutput out =
      judge_coverage(planned().skip_step("h2d-1", "0000:17:00.0 is used by another process"));
  EXPECT_TRUE(out.findings.empty());
  ASSERT_EQ(out.not_judged.size(), 1U);
  EXPECT_THAT(out.not_judged[0].what, HasSubstr("h2d"));
  EXPECT_THAT(out.not_judged[0].why, HasSubstr("another process"));
}

TEST(Coverage, ErrorsConcernTheirComponentOrNobody) {
  const RuleOutput out =
      judge_coverage(EvidenceBuilder::run()
                         .error(id(kCard), "cannot read", "devices/x/current_link_width")
                         .error(std::nullopt, "cannot open the kernel log"));
  ASSERT_EQ(out.findings.size(), 1U);
  EXPECT_THAT(out.findings[0], Is("LB-NO-EVIDENCE", FindingClass::undecided));
  EXPECT_EQ(out.findings[0].aspect, Aspect::width);
  ASSERT_EQ(out.not_judged.size(), 1U);
  EXPECT_EQ(out.not_judged[0].what, "cannot open the kernel log");
}

TEST(Coverage, AnErrorThatEndedAStepIsToldOnce) {
  const RuleOutput out = judge_coverage(planned()
                                            .error(id(kCard), "worker died", {}, "h2d-1")
                                            .end_step("h2d-1", "error", "worker died"));
  ASSERT_EQ(out.findings.size(), 1U);
  EXPECT_THAT(out.findings[0].evidence, testing::ElementsAre(2, 4, 3));
}

TEST(Coverage, MissingPartsAreNotJudged) {
  const RuleOutput out = judge_coverage(EvidenceBuilder::run()
                                            .part("libibverbs", "found")
                                            .part("kernel_log", "unusable")
                                            .part("libnccl", "absent"));
  EXPECT_TRUE(out.findings.empty());
  ASSERT_EQ(out.not_judged.size(), 2U);
  EXPECT_EQ(out.not_judged[0].what, "kernel_log");
}

}  // namespace
}  // namespace linkburn
