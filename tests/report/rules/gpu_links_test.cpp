#include <gtest/gtest.h>

#include <set>

#include "tests/report/rules/apply_rule.h"
#include "tests/support/evidence_builder.h"

namespace linkburn {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// A GPU with `all` links, of which `inactive` are not up.
Gpu make_gpu(int index, std::string name, int all, const std::set<int>& inactive = {},
             double rate_gbs = 26.562) {
  Gpu gpu;
  gpu.component = ComponentId::gpu(index);
  gpu.index = index;
  gpu.name = std::move(name);
  gpu.links_read = true;
  for (int number = 0; number < all; ++number) {
    const bool down = inactive.contains(number);
    gpu.links.push_back(
        {number, down ? "inactive" : "active", down ? std::nullopt : std::optional(rate_gbs), {}});
  }
  return gpu;
}

std::vector<Finding> judge(const std::vector<Gpu>& gpus) {
  EvidenceBuilder builder = EvidenceBuilder::inspect();
  for (const Gpu& gpu : gpus) builder.record(gpu);
  return apply_rule(gpu_links_rule, builder.finish()).findings;
}

std::vector<Finding> without_healthy(std::vector<Finding> findings) {
  std::erase_if(findings, [](const Finding& one) { return one.cls == FindingClass::healthy; });
  return findings;
}

constexpr auto kBoard = "NVIDIA H100 80GB HBM3";
constexpr auto kCard = "NVIDIA H100 PCIe";

TEST(GpuLinks, WhatWasNotListedIsNotJudged) {
  Gpu gpu = make_gpu(0, kBoard, 0);
  gpu.links_read = false;
  EXPECT_THAT(judge({gpu, gpu}), IsEmpty());
}

TEST(GpuLinks, AllActiveIsHealthy) {
  EXPECT_THAT(judge({make_gpu(0, kBoard, 18), make_gpu(1, kBoard, 18)}),
              ElementsAre(Is("LB-HEALTHY", FindingClass::healthy),
                          Is("LB-HEALTHY", FindingClass::healthy)));
}

TEST(GpuLinks, TheOneThatMissesLinksIsNamedWithThem) {
  const auto findings = without_healthy(
      judge({make_gpu(0, kBoard, 18), make_gpu(1, kBoard, 18, {3, 7}), make_gpu(2, kBoard, 18)}));
  ASSERT_THAT(findings, ElementsAre(Is("LB-NVLINK-DOWN", FindingClass::degraded)));
  EXPECT_EQ(findings[0].gpu, 1);
  EXPECT_THAT(findings[0].links, ElementsAre(3, 7));
}

TEST(GpuLinks, WhatNoEqualUsesIsByDesign) {
  const std::set<int> unused{4, 5, 10, 11, 16, 17};
  EXPECT_THAT(
      without_healthy(judge({make_gpu(0, kCard, 18, unused), make_gpu(1, kCard, 18, unused)})),
      IsEmpty());
  // Boards cut in parts: as many on each, though not the same ones.
  EXPECT_THAT(without_healthy(judge({make_gpu(0, "Tesla V100-SXM2-16GB", 6, {2, 3}),
                                     make_gpu(1, "Tesla V100-SXM2-16GB", 6, {4, 5})})),
              IsEmpty());
}

TEST(GpuLinks, FewerThanTheMakerSaysOnAllIsAWarning) {
  EXPECT_THAT(judge({make_gpu(0, kBoard, 18, {3}), make_gpu(1, kBoard, 18, {3})}),
              ElementsAre(Is("LB-NVLINK-DOWN", FindingClass::marginal),
                          Is("LB-NVLINK-DOWN", FindingClass::marginal)));
}

TEST(GpuLinks, ALoneGpuProvesNothingByInactiveLinks) {
  EXPECT_THAT(judge({make_gpu(0, kBoard, 18, {3})}),
              ElementsAre(Is("LB-NVLINK-DOWN", FindingClass::undecided)));
  EXPECT_THAT(judge({make_gpu(0, kBoard, 18)}),
              ElementsAre(Is("LB-HEALTHY", FindingClass::healthy)));
}

TEST(GpuLinks, NoneOnABoardIsAFaultAndOnACardMayHaveNoBridge) {
  const auto board = without_healthy(
      judge({make_gpu(0, kBoard, 18), make_gpu(1, kBoard, 18), make_gpu(2, kBoard, 0)}));
  ASSERT_THAT(board, ElementsAre(Is("LB-NVLINK-DOWN", FindingClass::degraded)));
  EXPECT_EQ(board[0].links.size(), 18U);
  EXPECT_THAT(
      without_healthy(judge({make_gpu(0, "NVIDIA RTX A6000", 4), make_gpu(1, "NVIDIA RTX A6000", 4),
                             make_gpu(2, "NVIDIA RTX A6000", 0)})),
      IsEmpty());
}

TEST(GpuLinks, NoneOnAnyGpuCannotBeTold) {
  EXPECT_THAT(judge({make_gpu(0, kBoard, 0), make_gpu(1, kBoard, 0)}),
              ElementsAre(Is("LB-NVLINK-DOWN", FindingClass::undecided)));
  EXPECT_THAT(judge({make_gpu(0, kCard, 0), make_gpu(1, kCard, 0)}), IsEmpty());
}

TEST(GpuLinks, ACutListMissesNothing) {
  EXPECT_THAT(without_healthy(judge({make_gpu(0, kBoard, 18), make_gpu(1, kBoard, 4)})),
              ElementsAre(Is("LB-NVLINK-DOWN", FindingClass::undecided)));
  // What it shows counts all the same.
  const auto shown = without_healthy(judge({make_gpu(0, kBoard, 18), make_gpu(1, kBoard, 4, {2})}));
  ASSERT_THAT(shown, ElementsAre(Is("LB-NVLINK-DOWN", FindingClass::degraded)));
  EXPECT_THAT(shown[0].links, ElementsAre(2));
}

TEST(GpuLinks, AMissingBridgeIsTheSameOnBothCards) {
  const std::set<int> bridge{8, 9, 10, 11};
  EXPECT_THAT(
      without_healthy(judge({make_gpu(0, kCard, 12), make_gpu(1, kCard, 12),
                             make_gpu(2, kCard, 12, bridge), make_gpu(3, kCard, 12, bridge)})),
      ElementsAre(Is("LB-NVLINK-DOWN", FindingClass::marginal),
                  Is("LB-NVLINK-DOWN", FindingClass::marginal)));
  EXPECT_THAT(without_healthy(judge({make_gpu(0, kCard, 12), make_gpu(1, kCard, 12),
                                     make_gpu(2, kCard, 12, {8}), make_gpu(3, kCard, 12, {8})})),
              ElementsAre(Is("LB-NVLINK-DOWN", FindingClass::degraded),
                          Is("LB-NVLINK-DOWN", FindingClass::degraded)));
}

TEST(GpuLinks, OtherModelsAreNoEquals) {
  EXPECT_THAT(without_healthy(judge({make_gpu(0, kBoard, 18), make_gpu(1, kBoard, 18),
                                     make_gpu(2, "NVIDIA T400", 0)})),
              IsEmpty());
}

TEST(GpuLinks, AnActiveLinkBelowTheRateOfTheOthersIsAFault) {
  Gpu slow = make_gpu(1, kBoard, 18);
  slow.links[5].rate_gbs = 13.281;
  const auto findings = without_healthy(judge({make_gpu(0, kBoard, 18), slow}));
  ASSERT_THAT(findings, ElementsAre(Is("LB-NVLINK-RATE", FindingClass::degraded)));
  EXPECT_THAT(findings[0].links, ElementsAre(5));
  slow.links[5].rate_gbs = 25;  // the same rate in other words
  EXPECT_THAT(without_healthy(judge({make_gpu(0, kBoard, 18), slow})), IsEmpty());
}

}  // namespace
}  // namespace linkburn
