#include <gtest/gtest.h>

#include "tests/report/rules/apply_rule.h"
#include "tests/support/evidence_builder.h"

namespace linkburn {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
constexpr auto kCard = "0000:17:00.0";

LinkSpeed gen(int number) { return *speed_of_generation(number); }

Gpu make_gpu(int current, int max, int own, int host) {
  Gpu gpu;
  gpu.component = id(kCard);
  gpu.index = 0;
  gpu.speed = gen(current);
  gpu.max_speed = gen(max);
  gpu.own_max_speed = gen(own);
  gpu.host_max_speed = gen(host);
  gpu.performance_state = "P0";
  gpu.utilization_percent = 98;
  return gpu;
}

std::vector<Finding> judge(const Gpu& gpu) {
  return apply_rule(gpu_link_rule, EvidenceBuilder::inspect().record(gpu).finish()).findings;
}

TEST(GpuLink, NothingTold) {
  Gpu gpu;
  gpu.component = id(kCard);
  EXPECT_THAT(judge(gpu), IsEmpty());
}

TEST(GpuLink, SlowWhileBusyIsAFaultAndWhileIdleNot) {
  EXPECT_THAT(judge(make_gpu(4, 4, 4, 4)), IsEmpty());
  EXPECT_THAT(judge(make_gpu(1, 4, 4, 4)),
              ElementsAre(Is("LB-PCIE-SPEED", FindingClass::degraded)));
  Gpu idle = make_gpu(1, 4, 4, 4);
  idle.utilization_percent = 49;
  EXPECT_THAT(judge(idle), IsEmpty());
  idle.utilization_percent = 50;
  EXPECT_THAT(judge(idle), ElementsAre(Is("LB-PCIE-SPEED", FindingClass::degraded)));
  idle.performance_state = "P5";
  EXPECT_THAT(judge(idle), IsEmpty());
  idle.performance_state = "P0";
  idle.utilization_percent.reset();
  EXPECT_THAT(judge(idle), IsEmpty());
}

TEST(GpuLink, TheHostMayBeTheLimit) { EXPECT_THAT(judge(make_gpu(3, 3, 4, 3)), IsEmpty()); }

TEST(GpuLink, TrainedLowBeforeTheDriverCame) {
  Gpu gpu = make_gpu(1, 3, 4, 4);
  gpu.performance_state = "P8";
  EXPECT_THAT(judge(gpu), ElementsAre(Is("LB-PCIE-SPEED", FindingClass::marginal)));
  EXPECT_THAT(judge(make_gpu(3, 3, 4, 4)),
              ElementsAre(Is("LB-PCIE-SPEED", FindingClass::degraded)));
}

TEST(GpuLink, PlaceholdersOfAChipToChipLinkAreNotJudged) {
  Gpu gpu = make_gpu(1, 1, 5, 5);
  gpu.c2c_mode = "Enabled";
  EXPECT_THAT(judge(gpu), IsEmpty());
}

TEST(GpuLink, ManyReplaysAreAWarning) {
  Gpu gpu = make_gpu(4, 4, 4, 4);
  gpu.replays = 80;
  gpu.replay_rollovers = 0;
  EXPECT_THAT(judge(gpu), IsEmpty());
  gpu.replays = 81;
  EXPECT_THAT(judge(gpu), ElementsAre(Is("LB-PCIE-REPLAY", FindingClass::marginal)));
  gpu.replays = 0;
  gpu.replay_rollovers = 1;
  EXPECT_THAT(judge(gpu), ElementsAre(Is("LB-PCIE-REPLAY", FindingClass::marginal)));
}

TEST(GpuLink, HeatAndPowerSlowItDown) {
  Gpu gpu = make_gpu(4, 4, 4, 4);
  gpu.slowed_by = {"SW Power Cap", "Idle"};
  EXPECT_THAT(judge(gpu), IsEmpty());
  gpu.slowed_by = {"HW Slowdown", "HW Thermal Slowdown"};
  EXPECT_THAT(judge(gpu), ElementsAre(Is("LB-DEV-HOT", FindingClass::marginal)));
  gpu.slowed_by = {"HW Slowdown", "HW Power Brake Slowdown"};
  EXPECT_THAT(judge(gpu), ElementsAre(Is("LB-GPU-SLOWED", FindingClass::marginal)));
  gpu.slowed_by.clear();
  gpu.temperature_c = 91;
  gpu.temperature_slowdown_c = 92;
  EXPECT_THAT(judge(gpu), IsEmpty());
  gpu.temperature_c = 92;
  EXPECT_THAT(judge(gpu), ElementsAre(Is("LB-DEV-HOT", FindingClass::marginal)));
}

TEST(GpuLink, OnlyItsDriversWordMakesItLost) {
  const auto of = [](const char* words) {
    ToolError error{"io", words, "nvidia-smi", {}, id(kCard), {}};
    return apply_rule(gpu_link_rule, EvidenceBuilder::inspect().record(error).finish()).findings;
  };
  EXPECT_THAT(of("its driver says of it: GPU is lost"),
              ElementsAre(Is("LB-DEV-LOST", FindingClass::lost)));
  EXPECT_THAT(of("its driver says of it: Unknown Error"), IsEmpty());  // coverage speaks
}

TEST(GpuLink, WithoutAnAddressTheDriversOwnWordDecides) {
  Gpu gpu = make_gpu(4, 4, 4, 4);
  gpu.component = ComponentId::gpu(0);
  gpu.width = LinkWidth{16};
  gpu.max_width = LinkWidth{16};
  EXPECT_THAT(judge(gpu), ElementsAre(Is("LB-HEALTHY", FindingClass::healthy),
                                      Is("LB-HEALTHY", FindingClass::healthy)));
  gpu.width = LinkWidth{8};
  EXPECT_THAT(judge(gpu), ElementsAre(Is("LB-NO-EVIDENCE", FindingClass::undecided),
                                      Is("LB-HEALTHY", FindingClass::healthy)));
}

TEST(GpuLink, OneOfManyEqualsWithFewerLanesIsAFault) {
  const auto judge_node = [](int gpus) {
    EvidenceBuilder builder = EvidenceBuilder::inspect();
    for (int index = 0; index < gpus; ++index) {
      Gpu gpu;
      gpu.component = ComponentId::gpu(index);
      gpu.name = "NVIDIA A100-SXM4-80GB";
      gpu.width = LinkWidth{index == 2 ? 8 : 16};
      gpu.max_width = LinkWidth{16};
      builder.record(gpu);
    }
    return apply_rule(gpu_link_rule, builder.finish()).findings[2];
  };
  EXPECT_THAT(judge_node(8), Is("LB-PCIE-WIDTH", FindingClass::degraded));
  EXPECT_THAT(judge_node(7), Is("LB-NO-EVIDENCE", FindingClass::undecided));
}

}  // namespace
}  // namespace linkburn
