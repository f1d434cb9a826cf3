#include "bench/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace linkburn {
namespace {

using testing::HasSubstr;

Inventory nodes(int count) {
  Inventory inventory;
  for (int n = 0; n < count; ++n)
    inventory.numa_nodes.push_back({n, {2 * n, 2 * n + 1}, 1LL << 30});
  return inventory;
}

Profile profile(int budget_s, const char* lanes = "each_pair") {
  Profile p;
  p.time_budget_s = budget_s;
  p.steps.push_back({"host_copy", lanes, 200, 600, 0});
  return p;
}

std::ptrdiff_t skipped(const Plan& plan) {
  return std::count_if(plan.steps.begin(), plan.steps.end(),
                       [](const PlannedStep& step) { return !step.skip_reason.empty(); });
}

TEST(Plan, EachNodeToEachNodeLocalPathsFirst) {
  const Plan plan = make_plan(profile(60), nodes(2));
  ASSERT_EQ(plan.steps.size(), 4U);
  EXPECT_EQ(plan.steps[0].lanes[0].lane.component.text(), "numa0->numa0");
  EXPECT_EQ(plan.steps[1].lanes[0].lane.component.text(), "numa1->numa1");
  EXPECT_EQ(plan.steps[2].lanes[0].lane.component.text(), "numa0->numa1");
  EXPECT_EQ(plan.steps[2].lanes[0].lane.loads.size(), 2U);
  EXPECT_EQ(plan.steps[3].step, "host_copy-4");
  EXPECT_EQ(skipped(plan), 0);
}

TEST(Plan, AllLocalIsOneStepBehindOneGate) {
  const Plan plan = make_plan(profile(60, "all_local"), nodes(4));
  ASSERT_EQ(plan.steps.size(), 1U);
  EXPECT_EQ(plan.steps[0].lanes.size(), 4U);
}

TEST(Plan, OneNodeAloneIsNotAllAtOnce) {
  const Plan plan = make_plan(profile(60, "all_local"), nodes(1));
  ASSERT_EQ(plan.steps.size(), 1U);
  EXPECT_THAT(plan.steps[0].skip_reason, HasSubstr("one NUMA node"));
}

TEST(Plan, MemoryWithoutCpusIsATargetAndNoSource) {
  Inventory inventory = nodes(2);
  inventory.numa_nodes[1].cpus.clear();
  const Plan plan = make_plan(profile(60), inventory);
  ASSERT_EQ(plan.steps.size(), 2U);
  EXPECT_EQ(plan.steps[1].lanes[0].lane.component.text(), "numa0->numa1");
}

TEST(Plan, NothingToLoadIsASkipWithAReason) {
  const Plan plan = make_plan(profile(60), Inventory{});
  ASSERT_EQ(plan.steps.size(), 1U);
  EXPECT_FALSE(plan.steps[0].skip_reason.empty());
}

TEST(Plan, AWorkloadThatIsNotThereIsASkipWithAReason) {
  Profile p = profile(60);
  p.steps[0].workload = "teleport";
  const Plan plan = make_plan(p, nodes(1));
  EXPECT_THAT(plan.steps[0].skip_reason, HasSubstr("no workload 'teleport'"));
}

TEST(Plan, TheBudgetIsKeptShrinkingBeforeCutting) {
  const Plan roomy = make_plan(profile(40), nodes(4));
  EXPECT_EQ(skipped(roomy), 0);
  EXPECT_EQ(roomy.steps[0].windows, 6);
  const Plan tight = make_plan(profile(28), nodes(4));
  EXPECT_EQ(skipped(tight), 0);
  EXPECT_LT(tight.steps[0].windows, 6);
  EXPECT_LE(tight.estimate, std::chrono::seconds(28));
}

TEST(Plan, WhatIsCutIsListedFarthestFirst) {
  const Plan plan = make_plan(profile(5), nodes(8));
  EXPECT_GT(skipped(plan), 0);
  EXPECT_LE(plan.estimate, std::chrono::seconds(5));
  EXPECT_EQ(plan.steps.size(), 64U) << "cut steps stay in the plan";
  EXPECT_TRUE(plan.steps[0].skip_reason.empty());
  EXPECT_THAT(plan.steps.back().skip_reason, HasSubstr("time budget"));
}

}  // namespace
}  // namespace linkburn
