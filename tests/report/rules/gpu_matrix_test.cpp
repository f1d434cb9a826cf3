#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/report/rules/apply_rule.h"
#include "tests/support/evidence_builder.h"

namespace linkburn {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

EvidenceBuilder matrix(int gpus, int dark, int other_dark = -1) {
  EvidenceBuilder builder = EvidenceBuilder::inspect();
  for (int row = 0; row < gpus; ++row)
    for (int column = 0; column < gpus; ++column) {
      const bool none = row == dark || column == dark || row == other_dark || column == other_dark;
      if (row != column)
        builder.reading(fmt::format("gpu{}", row), fmt::format("nvlinks_to_gpu{}", column),
                        none ? 0 : 18, Phase::passive);
    }
  return builder;
}

EvidenceBuilder named(EvidenceBuilder builder, int gpus, int other_model = -1) {
  for (int index = 0; index < gpus; ++index) {
    Gpu gpu;
    gpu.component = ComponentId::gpu(index);
    gpu.index = index;
    gpu.name = index == other_model ? "NVIDIA T400" : "NVIDIA A100-SXM4-40GB";
    builder.record(gpu);
  }
  return builder;
}

std::vector<Finding> judge(const EvidenceBuilder& builder) {
  return apply_rule(gpu_matrix_rule, builder.finish()).findings;
}

TEST(GpuMatrix, NoneAndAllAlike) {
  EXPECT_THAT(judge(EvidenceBuilder::inspect()), IsEmpty());
  EXPECT_THAT(judge(matrix(8, -1)), IsEmpty());
}

TEST(GpuMatrix, OneOfEightThatReachesNobody) {
  const auto findings = judge(matrix(8, 2));
  ASSERT_THAT(findings, ElementsAre(Is("LB-NVLINK-DOWN", FindingClass::degraded)));
  EXPECT_EQ(findings[0].gpu, 2);
  EXPECT_EQ(findings[0].component.text(), "gpu2");
}

TEST(GpuMatrix, WhatMayBeByDesign) {
  EXPECT_THAT(judge(matrix(5, 4)), IsEmpty());     // four and a display
  EXPECT_THAT(judge(matrix(3, 2)), IsEmpty());     // two cards with a bridge, one without
  EXPECT_THAT(judge(matrix(8, 2, 3)), IsEmpty());  // two that reach nobody
  EXPECT_THAT(judge(named(matrix(8, 7), 8, 7)), IsEmpty());
}

EvidenceBuilder with_pair(int gpus, int one, int other, int links) {
  EvidenceBuilder builder = EvidenceBuilder::inspect();
  for (int row = 0; row < gpus; ++row)
    for (int column = 0; column < gpus; ++column) {
      const bool odd = std::minmax(row, column) == std::minmax(one, other);
      if (row != column)
        builder.reading(fmt::format("gpu{}", row), fmt::format("nvlinks_to_gpu{}", column),
                        odd ? links : 18, Phase::passive);
    }
  return builder;
}

TEST(GpuMatrix, OnePairThatIsNotJoinedIsOneFault) {
  const auto findings = judge(with_pair(8, 2, 5, 0));
  ASSERT_THAT(findings, ElementsAre(Is("LB-NVLINK-DOWN", FindingClass::degraded)));
  EXPECT_EQ(findings[0].gpu, 2);
  EXPECT_NE(findings[0].detail.find("GPU 5"), std::string::npos);
  EXPECT_THAT(judge(with_pair(5, 2, 3, 0)), IsEmpty());
}

TEST(GpuMatrix, OneThatReachesAllByFewer) {
  EvidenceBuilder builder = EvidenceBuilder::inspect();
  EvidenceBuilder halves = EvidenceBuilder::inspect();
  for (int row = 0; row < 8; ++row)
    for (int column = 0; column < 8; ++column) {
      if (row == column) continue;
      const std::string gpu = fmt::format("gpu{}", row);
      const std::string quantity = fmt::format("nvlinks_to_gpu{}", column);
      builder.reading(gpu, quantity, row == 6 || column == 6 ? 17 : 18, Phase::passive);
      halves.reading(gpu, quantity, row / 4 == column / 4 ? 18 : 0, Phase::passive);
    }
  const auto findings = judge(builder);
  ASSERT_THAT(findings, ElementsAre(Is("LB-NVLINK-DOWN", FindingClass::degraded)));
  EXPECT_EQ(findings[0].gpu, 6);
  EXPECT_THAT(judge(halves), IsEmpty());  // two boards of four
}

TEST(GpuMatrix, NamesSayWhoIsEqual) {
  EXPECT_THAT(judge(named(matrix(4, 1), 4)),
              ElementsAre(Is("LB-NVLINK-DOWN", FindingClass::degraded)));
}

}  // namespace
}  // namespace linkburn
