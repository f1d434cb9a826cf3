// Ports and interfaces that are known from captured texts, which tell no PCI function.
#include <gtest/gtest.h>

#include "report/verdict.h"
#include "tests/report/rules/apply_rule.h"
#include "tests/support/evidence_builder.h"

namespace linkburn {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

EvidenceBuilder captured() {
  EvidenceBuilder builder = EvidenceBuilder::inspect();
  CapturePart part;
  part.source = "pasted.txt";
  builder.record(part);
  return builder;
}

/// As ibstat tells it.
Port text_port(std::string_view name, double gbps, std::string_view device_id = "0x101b") {
  Port port;
  port.component = id(name);
  port.state = "ACTIVE";
  port.phys_state = "LinkUp";
  port.link_layer = "InfiniBand";
  port.rate_gbps = gbps;
  port.vendor_id = "0x15b3";
  port.device_id = device_id;
  return port;
}

Interface text_interface(double gbps, double supported_gbps) {
  Interface interface;
  interface.component = id("eth0");
  interface.type = "physical";
  interface.modes_source = "ethtool";
  interface.carrier = true;
  interface.speed_gbps = gbps;
  interface.supported_gbps = supported_gbps;
  return interface;
}

TEST(CapturedPorts, WithoutACaptureAPortWithoutAFunctionIsNotJudged) {
  const auto evidence = EvidenceBuilder::inspect().port(text_port("mlx5_0/1", 10)).finish();
  EXPECT_THAT(apply_rule(port_rate_rule, evidence).findings, IsEmpty());
}

TEST(CapturedPorts, SoftPortsAreNoHardware) {
  Port port = text_port("rxe0/1", 2.5);
  port.driver = "rxe";
  EXPECT_THAT(apply_rule(port_rate_rule, captured().port(port).finish()).findings, IsEmpty());
}

TEST(CapturedPorts, NothingSaysWhatAnActivePortIsRatedFor) {
  const RuleOutput out =
      apply_rule(port_rate_rule, captured().port(text_port("mlx5_0/1", 200)).finish());
  EXPECT_THAT(out.findings, IsEmpty());
  EXPECT_THAT(out.not_judged, SizeIs(1));
}

TEST(CapturedPorts, BelowTheLeastOfItsChipIsUndecidedAlone) {
  EXPECT_THAT(only_finding(port_rate_rule, captured().port(text_port("mlx5_0/1", 40)).finish()),
              Is("LB-PORT-RATE", FindingClass::undecided));
  EXPECT_THAT(
      apply_rule(port_rate_rule, captured().port(text_port("mlx5_0/1", 100)).finish()).findings,
      IsEmpty());
}

TEST(CapturedPorts, BelowTheLeastOfItsChipAndItsEqualsIsAFault) {
  const auto evidence =
      captured().port(text_port("mlx5_0/1", 40)).port(text_port("mlx5_1/1", 200)).finish();
  EXPECT_THAT(only_finding(port_rate_rule, evidence), Is("LB-PORT-RATE", FindingClass::degraded));
}

TEST(CapturedPorts, OneOfFourLanesIsAFaultWhateverTheAdapter) {
  Port port = text_port("mlx5_0/1", 25, "");
  port.lanes = 1;
  port.speed_name = "EDR";
  EXPECT_THAT(only_finding(port_rate_rule, captured().port(port).finish()),
              Is("LB-PORT-WIDTH", FindingClass::degraded));
  port.link_layer = "Ethernet";
  EXPECT_THAT(apply_rule(port_rate_rule, captured().port(port).finish()).findings, IsEmpty());
}

TEST(CapturedPorts, OneLaneOfXdrMayBeAPort) {
  Port port = text_port("mlx5_0/1", 200, "");
  port.lanes = 1;
  port.speed_name = "XDR";
  EXPECT_THAT(apply_rule(port_rate_rule, captured().port(port).finish()).findings, IsEmpty());
}

TEST(CapturedPorts, AnInterfaceThatSomebodyAsksAboutIsJudged) {
  EXPECT_THAT(only_finding(port_rate_rule, captured().record(text_interface(100, 100)).finish()),
              Is("LB-HEALTHY", FindingClass::healthy));
  EXPECT_THAT(only_finding(port_rate_rule, captured().record(text_interface(25, 100)).finish()),
              Is("LB-PORT-RATE", FindingClass::undecided));
}

TEST(CapturedPorts, DownAloneIsUndecidedAndBesideOthersUnused) {
  Interface down = text_interface(0, 100);
  down.component = id("eth1");
  down.carrier = false;
  down.speed_gbps.reset();
  EXPECT_THAT(only_finding(port_state_rule, captured().record(down).finish()),
              Is("LB-PORT-STATE", FindingClass::undecided));
  const auto beside = captured().record(text_interface(100, 100)).record(down).finish();
  EXPECT_THAT(apply_rule(port_state_rule, beside).findings,
              ElementsAre(Is("LB-HEALTHY", FindingClass::healthy)));
  down.link_detail = "Bad signal integrity";
  const auto named = captured().record(text_interface(100, 100)).record(down).finish();
  EXPECT_THAT(apply_rule(port_state_rule, named).findings, SizeIs(2));
}

TEST(CapturedPorts, AFragmentWithLinkLocalEntriesAloneSettlesNothing) {
  Port port;
  port.component = id("port/1");
  port.phys_state = "LinkUp";
  port.gids = {{1, "fe80::1", "RoCE v2", {}}};
  const RuleOutput out = apply_rule(gid_table_rule, captured().port(port).finish());
  EXPECT_THAT(out.findings, IsEmpty());
  EXPECT_THAT(out.not_judged, SizeIs(1));
  port.gids_read = true;
  EXPECT_THAT(only_finding(gid_table_rule, captured().port(port).finish()),
              Is("LB-PORT-GID", FindingClass::marginal));
}

TEST(CapturedPorts, ErrorsOfAnUnknownTimeAreAWarningOnlyAboveAYearOfThem) {
  // At 100 Gb/s and 1e-15 per bit a year has 3154 of them.
  for (const auto& [count, warns] : {std::pair(3100, false), std::pair(3200, true)}) {
    const RuleOutput out =
        apply_rule(port_errors_rule, captured()
                                         .record(text_interface(100, 100))
                                         .counter("eth0", "ethtool/rx_pcs_symbol_err_phy", count)
                                         .finish());
    EXPECT_THAT(out.findings, SizeIs(warns ? 1 : 0)) << count;
    EXPECT_THAT(out.not_judged, SizeIs(warns ? 0 : 1)) << count;
  }
}

TEST(CapturedPorts, AlarmsOfAModuleAreWarnings) {
  Interface interface = text_interface(100, 100);
  interface.module.emplace();
  interface.module->alarms = {"Laser rx power low alarm (Channel 1)"};
  EXPECT_THAT(only_finding(port_module_rule, captured().record(interface).finish()),
              Is("LB-PORT-MODULE", FindingClass::marginal));
  interface.carrier = false;  // no light is expected then
  EXPECT_THAT(apply_rule(port_module_rule, captured().record(interface).finish()).findings,
              IsEmpty());
  interface.module->alarms = {"Module temperature high alarm"};
  EXPECT_THAT(only_finding(port_module_rule, captured().record(interface).finish()),
              Is("LB-PORT-HOT", FindingClass::marginal));
}

TEST(CapturedPorts, HalfDuplexWhereFullIsSupported) {
  Interface interface = text_interface(1, 1);
  interface.supported_modes = {"1000baseT/Half", "1000baseT/Full"};
  interface.duplex = "half";
  EXPECT_THAT(only_finding(port_rate_rule, captured().record(interface).finish()),
              Is("LB-PORT-RATE", FindingClass::misconfigured));
  interface.supported_modes = {"1000baseT/Half"};
  EXPECT_THAT(only_finding(port_rate_rule, captured().record(interface).finish()),
              Is("LB-HEALTHY", FindingClass::healthy));
}

TEST(CapturedPorts, SoftPortsAloneAreNoReasonToPass) {
  Port port = text_port("rxe0/1", 2.5);
  port.driver = "rxe";
  const Verdict verdict = judge(captured().port(port).finish());
  EXPECT_EQ(verdict.outcome, Outcome::incomplete);
  EXPECT_EQ(judge(captured().port(port).port(text_port("mlx5_0/1", 200)).finish()).outcome,
            Outcome::pass);
}

TEST(CapturedPorts, OneRailBelowAllOthersIsAsked) {
  EvidenceBuilder builder = captured();
  for (const char* name : {"mlx5_0/1", "mlx5_1/1", "mlx5_2/1", "mlx5_3/1", "mlx5_4/1", "mlx5_5/1"})
    builder.port(text_port(name, 400, "0x1021"));
  EvidenceBuilder with_storage = builder;
  builder.port(text_port("mlx5_6/1", 200, "0x1021"));
  const Verdict verdict = judge(builder.finish());
  EXPECT_EQ(verdict.outcome, Outcome::incomplete);
  EXPECT_THAT(verdict.findings.front(), Is("LB-ODD-ONE-OUT", FindingClass::undecided));
  with_storage.port(text_port("mlx5_6/1", 200, "0x1021"));
  with_storage.port(text_port("mlx5_7/1", 200, "0x1021"));
  EXPECT_EQ(judge(with_storage.finish()).outcome, Outcome::pass);
}

}  // namespace
}  // namespace linkburn
