#include <gtest/gtest.h>

#include "tests/report/rules/apply_rule.h"
#include "tests/support/evidence_builder.h"

namespace linkburn {

extern const Rule measured_network_rule;

namespace {

constexpr auto kCard = "0000:17:00.0";

Measurement rdma(double rate_gbps, std::int64_t bytes = 65536) {
  Measurement measurement;
  measurement.tool = "perftest";
  measurement.test = "ib_write_bw";
  measurement.direction = "write";
  measurement.component = id("mlx5_0/1");
  measurement.rate_gbs = rate_gbps / 8;
  measurement.text = "a rate";
  measurement.bytes = bytes;
  return measurement;
}

RuleOutput judged(const Measurement& measurement, const Port& port) {
  return apply_rule(measured_network_rule,
                    EvidenceBuilder::inspect().port(port).record(measurement).finish());
}

TEST(MeasuredNetwork, WithoutTheRateOfThePortNothingIsJudged) {
  const RuleOutput out =
      apply_rule(measured_network_rule, EvidenceBuilder::inspect().record(rdma(40)).finish());
  EXPECT_TRUE(out.findings.empty());
  EXPECT_EQ(out.not_judged.size(), 1U);
}

TEST(MeasuredNetwork, BothSidesOfTheLimit) {
  const Port port = make_port("mlx5_0/1", kCard);  // 400 Gb/s
  for (const auto& [rate_gbps, cls] :
       {std::pair(361.0, FindingClass::healthy), std::pair(359.0, FindingClass::marginal),
        std::pair(40.0, FindingClass::marginal)}) {
    const RuleOutput out = judged(rdma(rate_gbps), port);
    ASSERT_EQ(out.findings.size(), 1U);
    EXPECT_EQ(out.findings[0].cls, cls) << rate_gbps;
  }
}

TEST(MeasuredNetwork, SmallMessagesAreNotJudged) {
  const RuleOutput out = judged(rdma(4, 4096), make_port("mlx5_0/1", kCard));
  EXPECT_TRUE(out.findings.empty());
  EXPECT_EQ(out.not_judged.size(), 1U);
}

TEST(MeasuredNetwork, BothDirectionsTogetherAreHeldAgainstBoth) {
  Measurement both = rdma(700);
  both.direction = "duplex";
  EXPECT_EQ(judged(both, make_port("mlx5_0/1", kCard)).findings.at(0).cls, FindingClass::healthy);
}

TEST(MeasuredNetwork, WrongValuesAreAFaultAndNoneAreHealthy) {
  Measurement collective;
  collective.tool = "nccl-tests";
  collective.direction = "collective";
  collective.component = ComponentId::node();
  collective.rate_gbs = 0.4;
  EXPECT_TRUE(judged(collective, make_port("mlx5_0/1", kCard)).findings.empty());
  collective.wrong = 0;
  EXPECT_EQ(judged(collective, make_port("mlx5_0/1", kCard)).findings.at(0).cls,
            FindingClass::healthy);
  collective.wrong = 3;
  EXPECT_THAT(judged(collective, make_port("mlx5_0/1", kCard)).findings.at(0),
              Is("LB-DATA-WRONG", FindingClass::degraded));
}

}  // namespace
}  // namespace linkburn
