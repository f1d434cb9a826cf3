#include <gtest/gtest.h>

#include "tests/report/rules/apply_rule.h"
#include "tests/support/evidence_builder.h"

namespace linkburn {
namespace {

using testing::HasSubstr;

EvidenceBuilder step_on_numa0() {
  EvidenceBuilder builder = EvidenceBuilder::run();
  builder.plan_step("host_copy-1", "numa0").start_step("host_copy-1").at(5).end_step("host_copy-1");
  return builder;
}

Finding judge_data(const EvidenceBuilder& builder) {
  return only_finding(data_rule, builder.finish());
}

TEST(Data, NoWrongWordsIsHealthy) {
  const Finding finding =
      judge_data(step_on_numa0().reading("numa0", "wrong_words", 0, Phase::measure, "host_copy-1"));
  EXPECT_THAT(finding, Is("LB-HEALTHY", FindingClass::healthy));
  EXPECT_EQ(finding.component, ComponentId::numa(0));
}

TEST(Data, OneWrongWordIsDegraded) {
  Reading reading;
  reading.component = id("numa0");
  reading.quantity = "wrong_words";
  reading.value = 1;
  reading.text = "word 4096: 0xdead for 0xbeef";
  reading.step = "host_copy-1";
  const Finding finding = judge_data(step_on_numa0().record(reading));
  EXPECT_THAT(finding, Is("LB-DATA-WRONG", FindingClass::degraded));
  EXPECT_THAT(finding.detail, HasSubstr("0xdead"));
}

TEST(Data, ALaneThatNobodyVerifiedIsUndecided) {
  EXPECT_THAT(judge_data(step_on_numa0()), Is("LB-NO-EVIDENCE", FindingClass::undecided));
  EXPECT_THAT(judge_data(step_on_numa0().reading("numa0", "wrong_words", std::nullopt,
                                                 Phase::measure, "host_copy-1")),
              Is("LB-NO-EVIDENCE", FindingClass::undecided));
}

TEST(Data, TheCheckOfAnotherStepOrLaneDoesNotHelp) {
  for (const auto& [component, step] :
       {std::pair("numa0", "host_copy-2"), std::pair("numa1", "host_copy-1")}) {
    const RuleOutput out = apply_rule(
        data_rule,
        step_on_numa0().reading(component, "wrong_words", 0, Phase::measure, step).finish());
    ASSERT_EQ(out.findings.size(), 2U);
    EXPECT_THAT(out.findings[1], Is("LB-NO-EVIDENCE", FindingClass::undecided));
  }
}

TEST(Data, AStepThatDidNotCompleteIsLeftToCoverage) {
  EvidenceBuilder builder = EvidenceBuilder::run();
  builder.plan_step("host_copy-1", "numa0").end_step("host_copy-1", "error");
  EXPECT_TRUE(apply_rule(data_rule, builder.finish()).findings.empty());
}

}  // namespace
}  // namespace linkburn
