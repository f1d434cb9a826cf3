#include <gtest/gtest.h>

#include "tests/report/rules/apply_rule.h"
#include "tests/support/evidence_builder.h"

namespace linkburn {

extern const Rule measured_copies_rule;

namespace {

constexpr auto kCard = "0000:17:00.0";
constexpr auto kPort = "0000:16:00.0";

Measurement copy_of(std::string_view gpu, std::string_view direction, double rate_gbs) {
  Measurement measurement;
  measurement.tool = "nvbandwidth";
  measurement.test = direction == "h2d" ? "host_to_device_memcpy_ce" : "device_to_host_memcpy_ce";
  measurement.direction = direction;
  measurement.method = "copy_engine";
  measurement.memory = "pinned";
  measurement.component = id(gpu);
  measurement.rate_gbs = rate_gbs;
  return measurement;
}

/// A table of eight GPUs, of which gpu5 has another rate.
void add_table(EvidenceBuilder& builder, std::string_view direction, double rate_gbs,
               double of_gpu5, int gpus = 8) {
  for (int i = 0; i < gpus; ++i)
    builder.record(copy_of("gpu" + std::to_string(i), direction, i == 5 ? of_gpu5 : rate_gbs));
}

Gpu gpu_of(std::string_view component, int index, int max_mts) {
  Gpu gpu;
  gpu.component = id(component);
  gpu.index = index;
  if (max_mts > 0) gpu.max_speed = LinkSpeed{max_mts}, gpu.max_width = LinkWidth{16};
  return gpu;
}

const Finding* of(const RuleOutput& out, std::string_view component) {
  for (const Finding& finding : out.findings)
    if (finding.component.text() == component) return &finding;
  return nullptr;
}

RuleOutput judged(const EvidenceBuilder& builder) {
  return apply_rule(measured_copies_rule, builder.finish());
}

TEST(MeasuredCopies, SaysNothingWithoutMeasurements) {
  const RuleOutput out = judged(EvidenceBuilder::inspect().link(make_link(kCard, kPort)));
  EXPECT_TRUE(out.findings.empty());
  EXPECT_TRUE(out.not_judged.empty());
}

TEST(MeasuredCopies, OneGpuWithNothingToCompareIsUndecided) {
  EvidenceBuilder builder = EvidenceBuilder::inspect();
  builder.record(copy_of("gpu0", "h2d", 12.4));
  EXPECT_THAT(only_finding(measured_copies_rule, builder.finish()),
              Is("LB-RATE-LOW", FindingClass::undecided));
}

TEST(MeasuredCopies, EqualsThatAgreeAreHealthy) {
  EvidenceBuilder builder = EvidenceBuilder::inspect();
  add_table(builder, "h2d", 55.4, 55.4);
  const RuleOutput out = judged(builder);
  EXPECT_EQ(out.findings.size(), 8U);
  for (const Finding& finding : out.findings)
    EXPECT_THAT(finding, Is("LB-HEALTHY", FindingClass::healthy));
}

TEST(MeasuredCopies, OneLowRateIsAWarningAndTwoAreAFault) {
  EvidenceBuilder builder = EvidenceBuilder::inspect();
  add_table(builder, "h2d", 55.4, 26.7);
  EXPECT_THAT(*of(judged(builder), "gpu5"), Is("LB-RATE-ODD", FindingClass::marginal));
  EvidenceBuilder again = builder;
  add_table(again, "d2h", 55.0, 55.0);
  EXPECT_THAT(*of(judged(again), "gpu5"), Is("LB-RATE-ODD", FindingClass::marginal));
  add_table(builder, "d2h", 55.0, 26.6);
  const RuleOutput out = judged(builder);
  EXPECT_THAT(*of(out, "gpu5"), Is("LB-RATE-LOW", FindingClass::degraded));
  EXPECT_EQ(of(out, "gpu5")->gpu, 5);
  EXPECT_DOUBLE_EQ(*of(out, "gpu5")->achieved.rate_gbs, 26.6);
}

TEST(MeasuredCopies, BothSidesOfTheLimitsAmongEquals) {
  for (const auto& [rate_gbs, cls] :
       {std::pair(92.1, FindingClass::healthy), std::pair(91.9, FindingClass::marginal),
        std::pair(70.1, FindingClass::marginal), std::pair(69.9, FindingClass::degraded)}) {
    EvidenceBuilder builder = EvidenceBuilder::inspect();
    add_table(builder, "h2d", 100, rate_gbs);
    add_table(builder, "d2h", 100, rate_gbs);
    EXPECT_EQ(of(judged(builder), "gpu5")->cls, cls) << rate_gbs;
  }
}

TEST(MeasuredCopies, HalfOfTheGpusSlowerIsAtMostAWarning) {
  EvidenceBuilder builder = EvidenceBuilder::inspect();
  for (const char* direction : {"h2d", "d2h"})
    for (int i = 0; i < 8; ++i)
      builder.record(copy_of("gpu" + std::to_string(i), direction, i < 4 ? 55 : 30));
  for (const Finding& finding : judged(builder).findings)
    EXPECT_FALSE(is_failure(finding.cls)) << finding.detail;
}

TEST(MeasuredCopies, AlikeAndBelowTheRatingIsUndecidedOnceForTheNode) {
  EvidenceBuilder builder = EvidenceBuilder::inspect();
  for (int i = 0; i < 8; ++i)
    builder.record(gpu_of("0000:1" + std::to_string(i) + ":00.0", i, 32000));
  add_table(builder, "h2d", 25.3, 25.3);
  add_table(builder, "d2h", 26.0, 26.0);
  const Finding finding = only_finding(measured_copies_rule, builder.finish());
  EXPECT_THAT(finding, Is("LB-RATE-LOW", FindingClass::undecided));
  EXPECT_EQ(finding.component, ComponentId::node());
  EXPECT_EQ(finding.aspect, Aspect::speed);
}

TEST(MeasuredCopies, ReadsOfHostMemoryLowOnAllLeaveTheLinksHealthy) {
  EvidenceBuilder builder = EvidenceBuilder::inspect();
  for (int i = 0; i < 8; ++i)
    builder.record(gpu_of("0000:1" + std::to_string(i) + ":00.0", i, 32000));
  add_table(builder, "h2d", 25.3, 25.3);
  add_table(builder, "d2h", 55.0, 55.0);
  const RuleOutput out = judged(builder);
  EXPECT_THAT(*of(out, "node"), Is("LB-RATE-LOW", FindingClass::undecided));
  EXPECT_EQ(of(out, "node")->aspect, Aspect::rate);
  EXPECT_THAT(*of(out, "0000:15:00.0"), Is("LB-HEALTHY", FindingClass::healthy));
}

TEST(MeasuredCopies, NumbersBecomeAddressesAndRatingsCount) {
  EvidenceBuilder builder = EvidenceBuilder::inspect();
  builder.record(gpu_of(kCard, 0, 16000)).record(copy_of("gpu0", "h2d", 25.4));
  EXPECT_THAT(*of(judged(builder), kCard), Is("LB-HEALTHY", FindingClass::healthy));
  builder.record(copy_of("gpu0", "d2h", 13.0));
  EXPECT_THAT(*of(judged(builder), kCard), Is("LB-RATE-LOW", FindingClass::marginal));
}

TEST(MeasuredCopies, ARegisterThatAgreesMakesItAFault) {
  Link link = make_link(kCard, kPort, 32000);
  link.device_end.speed = link.peer_end.speed = LinkSpeed{16000};
  EvidenceBuilder builder = EvidenceBuilder::inspect();
  builder.link(link).record(copy_of(kCard, "h2d", 26.1));
  const Finding finding = only_finding(measured_copies_rule, builder.finish());
  EXPECT_THAT(finding, Is("LB-RATE-LOW", FindingClass::degraded));
  EXPECT_EQ(finding.negotiated.text, "16.0 GT/s x16");
}

TEST(MeasuredCopies, AnIdleRegisterProvesNothing) {
  Link link = make_link(kCard, kPort, 32000);
  link.device_end.speed = link.peer_end.speed = LinkSpeed{2500};
  EvidenceBuilder builder = EvidenceBuilder::inspect();
  builder.link(link).record(copy_of(kCard, "h2d", 26.1));
  EXPECT_THAT(only_finding(measured_copies_rule, builder.finish()),
              Is("LB-RATE-LOW", FindingClass::marginal));
  EvidenceBuilder fast = EvidenceBuilder::inspect();
  fast.link(link).record(copy_of(kCard, "h2d", 55.1));
  EXPECT_THAT(only_finding(measured_copies_rule, fast.finish()),
              Is("LB-HEALTHY", FindingClass::healthy));
}

TEST(MeasuredCopies, TheNarrowestHopOfThePathIsWhatIsExpected) {
  EvidenceBuilder builder = EvidenceBuilder::inspect();
  builder.device(make_device(kCard, {kPort, "0000:15:00.0", "0000:14:00.0"}))
      .link(make_link(kCard, kPort, 32000))
      .link(make_link("0000:15:00.0", "0000:14:00.0", 16000))
      .record(copy_of(kCard, "h2d", 25.8))
      .record(copy_of(kCard, "d2h", 25.9));
  EXPECT_THAT(only_finding(measured_copies_rule, builder.finish()),
              Is("LB-HEALTHY", FindingClass::healthy));
}

TEST(MeasuredCopies, TwoGpusConfirmEachOthersHost) {
  EvidenceBuilder builder = EvidenceBuilder::inspect();
  builder.record(gpu_of("0000:10:00.0", 0, 32000)).record(gpu_of("0000:11:00.0", 1, 32000));
  for (const char* direction : {"h2d", "d2h"})
    builder.record(copy_of("gpu0", direction, 55)).record(copy_of("gpu1", direction, 27));
  const RuleOutput out = judged(builder);
  EXPECT_THAT(*of(out, "0000:10:00.0"), Is("LB-HEALTHY", FindingClass::healthy));
  EXPECT_THAT(*of(out, "0000:11:00.0"), Is("LB-RATE-LOW", FindingClass::degraded));
}

TEST(MeasuredCopies, OfTwoWhoseRatingNobodyKnowsTheLowOneIsAWarning) {
  EvidenceBuilder builder = EvidenceBuilder::inspect();
  for (const char* direction : {"h2d", "d2h"})
    builder.record(copy_of("gpu0", direction, 55)).record(copy_of("gpu1", direction, 27));
  const RuleOutput out = judged(builder);
  EXPECT_THAT(*of(out, "gpu0"), Is("LB-RATE-LOW", FindingClass::undecided));
  EXPECT_THAT(*of(out, "gpu1"), Is("LB-RATE-ODD", FindingClass::marginal));
}

TEST(MeasuredCopies, ASlotThatIsRatedForLessIsNoFault) {
  EvidenceBuilder builder = EvidenceBuilder::inspect();
  for (int i = 0; i < 8; ++i) {
    Gpu gpu = gpu_of("0000:1" + std::to_string(i) + ":00.0", i, 32000);
    if (i == 5) gpu.max_width = LinkWidth{8};
    builder.record(gpu);
  }
  add_table(builder, "h2d", 55, 27);
  add_table(builder, "d2h", 55, 27);
  EXPECT_THAT(*of(judged(builder), "0000:15:00.0"), Is("LB-RATE-ODD", FindingClass::marginal));
}

TEST(MeasuredCopies, KernelsPageableMemoryAndSmallCopiesProveNothing) {
  Measurement kernel = copy_of("gpu0", "h2d", 35.2);
  kernel.method = "kernel";
  Measurement pageable = copy_of("gpu0", "h2d", 3.1);
  pageable.memory = "pageable";
  Measurement small = copy_of("gpu0", "d2h", 1.1);
  small.bytes = 1 << 20;
  EvidenceBuilder builder = EvidenceBuilder::inspect();
  builder.record(gpu_of(kCard, 0, 32000)).record(kernel).record(pageable).record(small);
  const RuleOutput out = judged(builder);
  ASSERT_EQ(out.findings.size(), 1U);
  EXPECT_EQ(out.findings[0].cls, FindingClass::undecided);
  EXPECT_EQ(out.not_judged.size(), 2U);
}

TEST(MeasuredCopies, ARateAboveTheLinkGoesAnotherWay) {
  EvidenceBuilder builder = EvidenceBuilder::inspect();
  builder.record(gpu_of(kCard, 0, 16000)).record(copy_of("gpu0", "h2d", 346));
  EXPECT_EQ(only_finding(measured_copies_rule, builder.finish()).cls, FindingClass::undecided);
}

/// Each of four GPUs with each other one, in one direction; between gpu1 and gpu3 another rate.
void add_pairs(EvidenceBuilder& builder, std::string_view test, double between_1_and_3) {
  for (int from = 0; from < 4; ++from)
    for (int to = 0; to < 4; ++to) {
      if (from == to) continue;
      const bool odd = from + to == 4 && from != to;
      Measurement one = copy_of("gpu" + std::to_string(from), "p2p", odd ? between_1_and_3 : 270);
      one.test = test;
      one.peer = id("gpu" + std::to_string(to));
      builder.record(one);
    }
}

TEST(MeasuredCopies, APairFarBelowAllOthersIsAWarningTheOnce) {
  EvidenceBuilder builder = EvidenceBuilder::inspect();
  add_pairs(builder, "device_to_device_memcpy_read_ce", 20);
  add_pairs(builder, "device_to_device_memcpy_write_ce", 20);
  const RuleOutput out = judged(builder);
  EXPECT_THAT(*of(out, "gpu1"), Is("LB-RATE-ODD", FindingClass::marginal));
  EXPECT_EQ(of(out, "gpu3"), nullptr);
  EXPECT_THAT(*of(out, "gpu0"), Is("LB-HEALTHY", FindingClass::healthy));
  EXPECT_EQ(out.findings.size(), 3U);
  EvidenceBuilder alike = EvidenceBuilder::inspect();
  add_pairs(alike, "device_to_device_memcpy_read_ce", 265);
  EXPECT_EQ(judged(alike).findings.size(), 4U);
}

/// Drivers tell the GPU's own width as the best one, though its slot has fewer lanes.
TEST(MeasuredCopies, ALinkOfFewerLanesThatCarriesAllItCanIsAQuestionOfTheLink) {
  EvidenceBuilder builder = EvidenceBuilder::inspect();
  Gpu gpu = gpu_of(kCard, 0, 16000);
  gpu.speed = LinkSpeed{16000};
  gpu.width = LinkWidth{8};
  builder.record(gpu).record(copy_of("gpu0", "h2d", 12.9)).record(copy_of("gpu0", "d2h", 13.2));
  const RuleOutput out = judged(builder);
  EXPECT_TRUE(out.findings.empty());
  EXPECT_EQ(out.not_judged.size(), 1U);
}

TEST(MeasuredCopies, ALowerSpeedThanTheDriverHasSeenAndTheRateAgree) {
  EvidenceBuilder builder = EvidenceBuilder::inspect();
  Gpu gpu = gpu_of(kCard, 0, 16000);
  gpu.speed = LinkSpeed{8000};
  gpu.width = LinkWidth{16};
  builder.record(gpu).record(copy_of("gpu0", "h2d", 12.9)).record(copy_of("gpu0", "d2h", 13.2));
  EXPECT_THAT(only_finding(measured_copies_rule, builder.finish()),
              Is("LB-RATE-LOW", FindingClass::degraded));
}

}  // namespace
}  // namespace linkburn
