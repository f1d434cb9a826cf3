#include <gtest/gtest.h>

#include "tests/report/rules/apply_rule.h"
#include "tests/support/evidence_builder.h"

namespace linkburn {
namespace {

using testing::HasSubstr;

constexpr auto kNic = "0000:17:00.0";
constexpr auto kPort = "mlx5_0/1";

EvidenceBuilder with_port(EvidenceBuilder builder) {
  builder.port(make_port(kPort, kNic));
  return builder;
}

EvidenceBuilder with_roce(EvidenceBuilder builder) {
  builder.port(make_roce_port(kPort, kNic, "eth0")).record(make_interface("eth0", kNic));
  return builder;
}

/// A counter over one minute of a run.
Finding over_run(EvidenceBuilder builder, const char* component, const char* name, int from,
                 int to) {
  builder.counter(component, name, from, true, Phase::idle).at(60).counter(component, name, to);
  return only_finding(port_flaps_rule, builder.finish());
}

Finding since_boot(EvidenceBuilder builder, const char* component, const char* name, int value,
                   const char* uptime_s = "86400") {
  builder.part("uptime", "found", uptime_s).counter(component, name, value, false, Phase::passive);
  return only_finding(port_flaps_rule, builder.finish());
}

TEST(PortFlaps, WithoutItsCountersItIsNotJudged) {
  const RuleOutput out =
      apply_rule(port_flaps_rule, with_port(EvidenceBuilder::run())
                                      .counter(kPort, "port/link_downed", {}, true)
                                      .counter(kPort, "port/symbol_error", 0, true)
                                      .at(60)
                                      .counter(kPort, "port/link_downed", {})
                                      .finish());
  EXPECT_TRUE(out.findings.empty());
  ASSERT_EQ(out.not_judged.size(), 1U);
  EXPECT_EQ(out.not_judged[0].what, "lost links of mlx5_0/1");
}

TEST(PortFlaps, OneReadingOfARunSaysNothing) {
  const RuleOutput out = apply_rule(
      port_flaps_rule,
      with_port(EvidenceBuilder::run()).counter(kPort, "port/link_downed", 7, true).finish());
  EXPECT_TRUE(out.findings.empty());
  EXPECT_EQ(out.not_judged.size(), 1U);
}

TEST(PortFlaps, SinceBootNeedsTheTimeSinceBoot) {
  const RuleOutput out = apply_rule(
      port_flaps_rule,
      with_port(EvidenceBuilder::inspect()).counter(kPort, "port/link_downed", 90).finish());
  EXPECT_TRUE(out.findings.empty());
  EXPECT_EQ(out.not_judged.size(), 1U);
}

TEST(PortFlaps, APortThatIsDownIsNotJudged) {
  Port down = make_port(kPort, kNic);
  down.state = "DOWN";
  const RuleOutput out = apply_rule(port_flaps_rule, EvidenceBuilder::run().port(down).finish());
  EXPECT_TRUE(out.findings.empty());
  EXPECT_TRUE(out.not_judged.empty());
}

TEST(PortFlaps, OnlyWhatARunAddsCounts) {
  EXPECT_THAT(over_run(with_port(EvidenceBuilder::run()), kPort, "port/link_downed", 7, 7),
              Is("LB-HEALTHY", FindingClass::healthy));
  const Finding finding =
      over_run(with_port(EvidenceBuilder::run()), kPort, "port/link_downed", 7, 8);
  EXPECT_THAT(finding, Is("LB-PORT-FLAP", FindingClass::degraded));
  EXPECT_EQ(finding.detail, "the link went down 1 time in this run");
  EXPECT_EQ(finding.phase, Phase::measure);
}

TEST(PortFlaps, ACounterThatWasClearedCountsFromZero) {
  const Finding finding =
      over_run(with_port(EvidenceBuilder::run()), kPort, "port/link_downed", 7, 2);
  EXPECT_THAT(finding, Is("LB-PORT-FLAP", FindingClass::degraded));
  EXPECT_THAT(finding.detail, HasSubstr("at least 2 times"));
}

TEST(PortFlaps, ACounterAtItsGreatestValueSaysAtLeast) {
  EXPECT_THAT(
      over_run(with_port(EvidenceBuilder::run()), kPort, "port/link_downed", 250, 255).detail,
      HasSubstr("at least 5 times"));
  const RuleOutput stuck =
      apply_rule(port_flaps_rule, with_port(EvidenceBuilder::run())
                                      .counter(kPort, "port/link_downed", 255, true)
                                      .at(60)
                                      .counter(kPort, "port/link_downed", 255)
                                      .finish());
  EXPECT_TRUE(stuck.findings.empty());
  ASSERT_EQ(stuck.not_judged.size(), 1U);
  EXPECT_THAT(stuck.not_judged[0].why, HasSubstr("cannot count"));
}

TEST(PortFlaps, TwoChangesOfTheCarrierAreOneFlap) {
  const Finding flap =
      over_run(with_roce(EvidenceBuilder::run()), "eth0", "net/carrier_changes", 4, 6);
  EXPECT_THAT(flap, Is("LB-PORT-FLAP", FindingClass::degraded));
  EXPECT_THAT(flap.detail, HasSubstr("1 time "));
  EXPECT_EQ(flap.component, id(kPort));
  EXPECT_THAT(over_run(with_roce(EvidenceBuilder::run()), "eth0", "net/carrier_changes", 4, 5),
              Is("LB-PORT-FLAP", FindingClass::degraded))
      << "it went down and stayed down";
  EXPECT_THAT(
      over_run(with_roce(EvidenceBuilder::run()), "eth0", "net/carrier_down_count", 2, 4).detail,
      HasSubstr("2 times"));
}

TEST(PortFlaps, TheCarrierOfAnInterfaceOverInfiniBandTellsOfTheSubnetManager) {
  Interface over_ib = make_interface("ib0", kNic);
  const RuleOutput out =
      apply_rule(port_flaps_rule, with_port(EvidenceBuilder::run())
                                      .record(over_ib)
                                      .counter("ib0", "net/carrier_changes", 2, true)
                                      .at(60)
                                      .counter("ib0", "net/carrier_changes", 4)
                                      .finish());
  EXPECT_TRUE(out.findings.empty());
}

TEST(PortFlaps, AnInterfaceWithoutRdmaIsAWarning) {
  EvidenceBuilder builder = EvidenceBuilder::run();
  builder.record(make_interface("eno1", kNic));
  EXPECT_THAT(over_run(builder, "eno1", "net/carrier_changes", 2, 4),
              Is("LB-PORT-FLAP", FindingClass::marginal));
}

KernelLine port_down() {
  KernelLine line;
  line.component = id(kNic);
  line.topic = "port_down";
  line.text = "mlx5_core 0000:17:00.0 eth0: Link down";
  line.phase = Phase::measure;
  return line;
}

TEST(PortFlaps, TheKernelLogCountsInARunOnly) {
  const Finding finding = only_finding(
      port_flaps_rule, with_port(EvidenceBuilder::run()).at(30).record(port_down()).finish());
  EXPECT_THAT(finding, Is("LB-PORT-FLAP", FindingClass::degraded));
  EXPECT_EQ(finding.phase, Phase::measure);
  const RuleOutput passive = apply_rule(
      port_flaps_rule, with_port(EvidenceBuilder::inspect()).record(port_down()).finish());
  EXPECT_TRUE(passive.findings.empty());
}

TEST(PortFlaps, BothSidesOfTheLimitSinceBoot) {
  const auto judge = [](int value, const char* uptime_s) {
    return since_boot(with_port(EvidenceBuilder::inspect()), kPort, "port/link_downed", value,
                      uptime_s);
  };
  EXPECT_THAT(judge(3, "600"), Is("LB-HEALTHY", FindingClass::healthy));
  EXPECT_THAT(judge(4, "600"), Is("LB-PORT-FLAP", FindingClass::marginal));
  EXPECT_THAT(judge(12, "864000"), Is("LB-HEALTHY", FindingClass::healthy));
  EXPECT_THAT(judge(13, "864000"), Is("LB-PORT-FLAP", FindingClass::marginal));
  EXPECT_THAT(judge(255, "600").detail, HasSubstr("at least 255 times"));
}

TEST(PortFlaps, WithoutTheTimeOnlyWhatIsTooMuchForAYearIsTold) {
  const auto judged = [](int value) {
    return apply_rule(port_flaps_rule, with_roce(EvidenceBuilder::inspect())
                                           .counter("eth0", "ethtool/link_down_events_phy", value,
                                                    false, Phase::passive)
                                           .finish());
  };
  EXPECT_TRUE(judged(367).findings.empty());
  ASSERT_EQ(judged(368).findings.size(), 1U);
  EXPECT_THAT(judged(368).findings[0], Is("LB-PORT-FLAP", FindingClass::marginal));
}

}  // namespace
}  // namespace linkburn
