#include <gtest/gtest.h>

#include "tests/report/rules/apply_rule.h"
#include "tests/support/evidence_builder.h"

namespace linkburn {

extern const Rule nccl_network_rule;

namespace {

constexpr auto kCard = "0000:17:00.0";

Reading said(std::string_view quantity, std::string_view text,
             std::string_view component = "node") {
  Reading reading;
  reading.component = id(component);
  reading.quantity = quantity;
  reading.text = text;
  return reading;
}

RuleOutput judged(const EvidenceBuilder& builder) {
  return apply_rule(nccl_network_rule, builder.finish());
}

TEST(NcclNetwork, SaysNothingWithoutLinesOfNccl) {
  EXPECT_TRUE(judged(EvidenceBuilder::inspect().port(make_port("mlx5_0/1"))).findings.empty());
}

TEST(NcclNetwork, SocketsOnANodeWhosePortsAreNotKnownAreNotJudged) {
  EvidenceBuilder builder = EvidenceBuilder::inspect();
  builder.record(said("nccl_network", "Socket"));
  const RuleOutput out = judged(builder);
  EXPECT_TRUE(out.findings.empty());
  EXPECT_EQ(out.not_judged.size(), 1U);
}

TEST(NcclNetwork, SocketsBesideAnActivePortAreAWarning) {
  EvidenceBuilder builder = EvidenceBuilder::inspect();
  builder.port(make_port("mlx5_0/1", kCard)).record(said("nccl_network", "Socket"));
  EXPECT_THAT(judged(builder).findings.at(0), Is("LB-NCCL-SOCKET", FindingClass::marginal));
}

TEST(NcclNetwork, TrafficBetweenNodesPastInfiniBandIsMisconfigured) {
  EvidenceBuilder builder = EvidenceBuilder::inspect();
  builder.port(make_port("mlx5_0/1", kCard))
      .record(said("nccl_no_device", "NET/IB : No device found."))
      .record(said("nccl_used", "NET/Socket"));
  EXPECT_THAT(judged(builder).findings.at(0), Is("LB-NCCL-SOCKET", FindingClass::misconfigured));
  EvidenceBuilder roce = EvidenceBuilder::inspect();
  roce.port(make_roce_port("mlx5_0/1", kCard, "eth0")).record(said("nccl_used", "NET/Socket"));
  EXPECT_THAT(judged(roce).findings.at(0), Is("LB-NCCL-SOCKET", FindingClass::marginal));
}

TEST(NcclNetwork, AFailedConnectionIsExplainedAndNoFaultOfHardware) {
  EvidenceBuilder builder = EvidenceBuilder::inspect();
  builder.record(
      said("rdma_connection", "Call to ibv_modify_qp failed with error Connection timed out"));
  const RuleOutput out = judged(builder);
  EXPECT_THAT(out.findings.at(0), Is("LB-RDMA-CONNECT", FindingClass::marginal));
  EXPECT_THAT(out.findings[0].detail, testing::HasSubstr("neighbour"));
}

TEST(NcclNetwork, ALostLinkIsAWarningAtItsPort) {
  EvidenceBuilder builder = EvidenceBuilder::inspect();
  builder.record(said("nccl_port_event", "port error", "mlx5_3/1"));
  builder.record(said("nccl_port_event", "port active", "mlx5_4/1"));
  const RuleOutput out = judged(builder);
  ASSERT_EQ(out.findings.size(), 1U);
  EXPECT_THAT(out.findings[0], Is("LB-PORT-FLAP", FindingClass::marginal));
  EXPECT_EQ(out.findings[0].component, id("mlx5_3/1"));
}

}  // namespace
}  // namespace linkburn
