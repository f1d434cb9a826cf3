#include <gtest/gtest.h>

#include "tests/report/rules/apply_rule.h"
#include "tests/support/evidence_builder.h"

namespace linkburn {
namespace {

using testing::HasSubstr;

RuleOutput judge_port(std::string_view state, std::string_view phys_state,
                      std::string_view layer = "InfiniBand") {
  Port port = make_port("mlx5_0/1");
  port.state = state;
  port.phys_state = phys_state;
  port.link_layer = layer;
  return apply_rule(port_state_rule, EvidenceBuilder::inspect().port(port).finish());
}

TEST(PortState, ActiveIsHealthyAndShowsItsRate) {
  const RuleOutput out = judge_port("ACTIVE", "LinkUp");
  ASSERT_EQ(out.findings.size(), 1U);
  EXPECT_THAT(out.findings[0], Is("LB-HEALTHY", FindingClass::healthy));
  EXPECT_EQ(out.findings[0].negotiated.text, "400 Gb/sec (4X NDR)");
  EXPECT_EQ(out.findings[0].negotiated.rate_gbs, 50);
  EXPECT_TRUE(out.not_judged.empty());
}

TEST(PortState, WordsAreReadInAnyCase) {
  EXPECT_THAT(judge_port("active", "linkup").findings[0], Is("LB-HEALTHY", FindingClass::healthy));
}

TEST(PortState, SwitchedOffIsHealthyAndShowsNoRate) {
  const RuleOutput out = judge_port("DOWN", "Disabled");
  EXPECT_THAT(out.findings[0], Is("LB-HEALTHY", FindingClass::healthy));
  EXPECT_EQ(out.findings[0].detail, "unused: switched off");
  EXPECT_TRUE(out.findings[0].negotiated.empty());
  EXPECT_TRUE(out.not_judged.empty());
}

/// Of four equal adapters the first is switched off; what is said of it.
Finding one_off_of(std::initializer_list<const char*> states) {
  EvidenceBuilder builder = EvidenceBuilder::inspect();
  int number = 0;
  for (const char* state : states) {
    const std::string pci = "0000:1" + std::to_string(number) + ":00.0";
    builder.device(make_device(pci));
    Port port = make_port("mlx5_" + std::to_string(number++) + "/1", pci);
    port.state = state;
    if (port.state == "DOWN") port.phys_state = "Disabled";
    builder.port(port);
  }
  return apply_rule(port_state_rule, builder.finish()).findings.at(0);
}

TEST(PortState, TheOnlyOneOfManyThatIsSwitchedOffIsAWarning) {
  const Finding finding = one_off_of({"DOWN", "ACTIVE", "ACTIVE", "ACTIVE"});
  EXPECT_THAT(finding, Is("LB-PORT-STATE", FindingClass::marginal));
  EXPECT_THAT(finding.detail, HasSubstr("all 3 other ports"));
  EXPECT_THAT(one_off_of({"DOWN", "ACTIVE", "ACTIVE"}), Is("LB-HEALTHY", FindingClass::healthy));
  EXPECT_THAT(one_off_of({"DOWN", "ACTIVE", "ACTIVE", "ACTIVE", "DOWN"}),
              Is("LB-HEALTHY", FindingClass::healthy));
}

TEST(PortState, AnEthernetPortThatIsDownMayHaveAnyReason) {
  EXPECT_THAT(judge_port("DOWN", "Disabled", "Ethernet").findings[0],
              Is("LB-PORT-STATE", FindingClass::undecided));
}

Component adapter(std::string_view driver) {
  Component component = make_device("0000:17:00.0");
  component.type = "infiniband";
  component.driver = driver;
  return component;
}

TEST(PortState, AnInfiniBandAdapterWithoutAPortIsUndecided) {
  for (const char* driver : {"", "mlx5_core"}) {
    const Finding finding =
        only_finding(port_state_rule, EvidenceBuilder::inspect().device(adapter(driver)).finish());
    EXPECT_THAT(finding, Is("LB-NO-EVIDENCE", FindingClass::undecided));
    EXPECT_EQ(finding.component, id("0000:17:00.0"));
    EXPECT_EQ(finding.aspect, Aspect::ports);
    EXPECT_THAT(finding.missing, HasSubstr("driver"));
  }
}

TEST(PortState, AnAdapterOfAGuestIsNotJudged) {
  Component function = adapter("");
  function.physical_function = id("0000:17:00.1");
  for (const Component& component : {adapter("vfio-pci"), function}) {
    const RuleOutput out =
        apply_rule(port_state_rule, EvidenceBuilder::inspect().device(component).finish());
    EXPECT_TRUE(out.findings.empty());
    ASSERT_EQ(out.not_judged.size(), 1U);
    EXPECT_EQ(out.not_judged[0].what, "RDMA ports of 0000:17:00.0");
  }
}

TEST(PortState, OfACaptureWithoutRdmaDevicesThePortsAreNotJudged) {
  EvidenceBuilder builder = EvidenceBuilder::inspect();
  builder.device(adapter("mlx5_core"));
  builder.part("rdma_devices", "unusable");
  const RuleOutput out = apply_rule(port_state_rule, builder.finish());
  EXPECT_TRUE(out.findings.empty());
  EXPECT_EQ(out.not_judged.size(), 1U);
}

TEST(PortState, ThePortOfASleepingAdapterIsNotJudgedUnlessTheSiteExpectsIt) {
  const auto judge = [](EvidenceBuilder builder, std::string_view runtime_status) {
    Link link = make_link("0000:17:00.0", "0000:16:00.0");
    link.device_end = {};
    link.device_end.runtime_status = runtime_status;
    Port port = make_port("mlx5_0/1", "0000:17:00.0");
    port.state.clear();
    return apply_rule(port_state_rule, builder.link(link).port(port).finish());
  };
  const RuleOutput asleep = judge(EvidenceBuilder::inspect(), "suspended");
  EXPECT_TRUE(asleep.findings.empty());
  ASSERT_EQ(asleep.not_judged.size(), 1U);
  EXPECT_THAT(asleep.not_judged[0].why, HasSubstr("asleep"));
  EXPECT_EQ(judge(EvidenceBuilder::inspect(), "active").findings.size(), 1U);
  EvidenceBuilder expected = EvidenceBuilder::inspect();
  expected.record(
      SiteText{"site.toml", "schema = 1\n[[port]]\nport = \"mlx5_0/1\"\nexpect = \"up\"\n"});
  EXPECT_THAT(judge(expected, "suspended").findings.at(0),
              Is("LB-NO-EVIDENCE", FindingClass::undecided));
}

TEST(PortState, AnEthernetAdapterNeedsNoRdmaPort) {
  Component nic = adapter("ice");
  nic.type = "nic";
  const RuleOutput out =
      apply_rule(port_state_rule, EvidenceBuilder::inspect().device(nic).finish());
  EXPECT_TRUE(out.findings.empty());
  EXPECT_TRUE(out.not_judged.empty());
}

/// An Ethernet adapter of one kind.
Component nic(const char* address) {
  Component component = make_device(address);
  component.type = "nic";
  component.driver = "mlx5_core";
  return component;
}

TEST(PortState, AnAdapterWithoutThePortThatItsEqualsHaveIsUndecidedOnce) {
  EvidenceBuilder builder = EvidenceBuilder::inspect();
  for (const char* address : {"0000:17:00.0", "0000:65:00.0", "0000:65:00.1"})
    builder.device(nic(address));
  builder.port(make_roce_port("mlx5_0/1", "0000:17:00.0", "eth0"));
  const RuleOutput out = apply_rule(port_state_rule, builder.finish());
  ASSERT_EQ(out.findings.size(), 2U);
  EXPECT_THAT(out.findings[1], Is("LB-NO-EVIDENCE", FindingClass::undecided));
  EXPECT_EQ(out.findings[1].component, id("0000:65:00.0"));
  EXPECT_THAT(out.findings[1].detail, HasSubstr("its equals"));
}

TEST(PortState, ThePortOfABondStandsForBothFunctionsOfItsCard) {
  EvidenceBuilder builder = EvidenceBuilder::inspect();
  for (const char* address : {"0000:17:00.0", "0000:65:00.0", "0000:65:00.1"})
    builder.device(nic(address));
  builder.port(make_roce_port("mlx5_0/1", "0000:17:00.0", "eth0"));
  builder.port(make_roce_port("mlx5_bond_0/1", "0000:65:00.0", "bond0"));
  for (const Finding& finding : apply_rule(port_state_rule, builder.finish()).findings)
    EXPECT_THAT(finding, Is("LB-HEALTHY", FindingClass::healthy));
}

TEST(PortState, APortWithoutAUserIsNotJudged) {
  Component function = nic("0000:17:00.2");
  function.physical_function = id("0000:17:00.0");
  Port unused = make_port("mlx5_2/1", "0000:17:00.2");
  unused.state = "DOWN";
  Port representor = make_roce_port("mlx5_0/2", "0000:17:00.0", "");
  representor.driver = "mlx5_core";
  representor.state = "DOWN";
  for (const Port& port : {unused, representor}) {
    const RuleOutput out = apply_rule(
        port_state_rule, EvidenceBuilder::inspect().device(function).port(port).finish());
    EXPECT_TRUE(out.findings.empty());
    ASSERT_EQ(out.not_judged.size(), 1U);
    EXPECT_EQ(out.not_judged[0].what, "state of " + port.component.text());
  }
}

TEST(PortState, AnAdapterWithItsPortIsNotMissed) {
  const RuleOutput out =
      apply_rule(port_state_rule, EvidenceBuilder::inspect()
                                      .device(adapter("mlx5_core"))
                                      .port(make_port("mlx5_0/1", "0000:17:00.0"))
                                      .finish());
  ASSERT_EQ(out.findings.size(), 1U);
  EXPECT_THAT(out.findings[0], Is("LB-HEALTHY", FindingClass::healthy));
}

TEST(PortState, InitWithLinkUpLacksASubnetManager) {
  EXPECT_THAT(judge_port("INIT", "LinkUp").findings[0],
              Is("LB-PORT-NO-SM", FindingClass::misconfigured));
  EXPECT_THAT(judge_port("INIT", "LinkUp", "Ethernet").findings[0],
              Is("LB-PORT-STATE", FindingClass::undecided));
  EXPECT_THAT(judge_port("INIT", "Polling").findings[0],
              Is("LB-PORT-STATE", FindingClass::undecided));
}

TEST(PortState, DownIsUndecidedAndShowsNoRate) {
  const Finding finding = judge_port("DOWN", "Polling").findings[0];
  EXPECT_THAT(finding, Is("LB-PORT-STATE", FindingClass::undecided));
  EXPECT_THAT(finding.missing, HasSubstr("which ports"));
  EXPECT_TRUE(finding.negotiated.empty());
}

TEST(PortState, UnknownStateIsUndecided) {
  EXPECT_THAT(judge_port("", "").findings[0], Is("LB-NO-EVIDENCE", FindingClass::undecided));
  EXPECT_THAT(judge_port("", "Disabled").findings[0],
              Is("LB-NO-EVIDENCE", FindingClass::undecided));
}

/// A RoCE port that is down, with its interface as the test needs it.
struct Roce {
  Port port = make_roce_port("mlx5_0/1", "0000:17:00.0", "eth0");
  Interface interface = make_interface("eth0", "0000:17:00.0");

  Roce() {
    port.state = "DOWN";
    port.phys_state = "Disabled";
    interface.operstate = "down";
    interface.carrier = false;
  }
  Evidence evidence() const {
    return EvidenceBuilder::inspect().port(port).record(interface).finish();
  }
  Finding judge(std::optional<bool> expected_up = {}) const {
    const Evidence all = evidence();
    Story story = Story::of(all);
    if (expected_up) story.site.ports.push_back({"eth0", {}, expected_up, 1});
    RuleOutput out;
    port_state_rule.apply(story, out);
    EXPECT_EQ(out.findings.size(), 1U);
    return out.findings.empty() ? Finding{} : out.findings.front();
  }
};

TEST(PortState, AnInterfaceThatIsSwitchedOffIsUnused) {
  Roce roce;
  roce.interface.admin_up = false;
  EXPECT_THAT(roce.judge(), Is("LB-HEALTHY", FindingClass::healthy));
  EXPECT_THAT(roce.judge(true), Is("LB-PORT-STATE", FindingClass::misconfigured));
}

TEST(PortState, TheInterfaceSaysWhyThereIsNoLink) {
  Roce roce;
  roce.interface.link_detail = "No cable";
  const Finding finding = roce.judge();
  EXPECT_THAT(finding, Is("LB-PORT-STATE", FindingClass::undecided));
  EXPECT_THAT(finding.detail, HasSubstr("eth0 says: No cable"));
}

TEST(PortState, TheSiteSaysWhetherAPortHasToBeUp) {
  const Finding down = Roce().judge(true);
  EXPECT_THAT(down, Is("LB-PORT-STATE", FindingClass::degraded));
  EXPECT_EQ(down.limit.text, "up");
  EXPECT_THAT(down.origin, HasSubstr("site file"));
  const Finding unused = Roce().judge(false);
  EXPECT_THAT(unused, Is("LB-HEALTHY", FindingClass::healthy));
  EXPECT_EQ(unused.detail, "unused, as the site says");
  Roce active;
  active.port.state = "ACTIVE";
  EXPECT_THAT(active.judge(true), Is("LB-HEALTHY", FindingClass::healthy));
  EXPECT_THAT(active.judge(false), Is("LB-HEALTHY", FindingClass::healthy));
}

TEST(PortState, APortWithARateInTheSiteFileHasToBeUp) {
  const Evidence evidence = Roce().evidence();
  Story story = Story::of(evidence);
  story.site.ports.push_back({"mlx5_0/1", 100, {}, 1});
  RuleOutput out;
  port_state_rule.apply(story, out);
  ASSERT_EQ(out.findings.size(), 1U);
  EXPECT_THAT(out.findings[0], Is("LB-PORT-STATE", FindingClass::degraded));
}

TEST(PortState, APortMissingInItsBondIsAWarning) {
  Roce roce;
  roce.interface.bond = "bond0";
  const Finding finding = roce.judge();
  EXPECT_THAT(finding, Is("LB-PORT-STATE", FindingClass::marginal));
  EXPECT_THAT(finding.detail, HasSubstr("bond0 runs without it"));
}

TEST(PortState, AnInterfaceWithoutRdmaIsJudgedWhereTheSiteExpectsIt) {
  Interface spare = make_interface("eno1", "0000:05:00.0");
  spare.carrier = false;
  const Evidence evidence = EvidenceBuilder::inspect().record(spare).finish();
  RuleOutput alone;
  port_state_rule.apply(Story::of(evidence), alone);
  EXPECT_TRUE(alone.findings.empty());
  ASSERT_EQ(alone.not_judged.size(), 1U);
  EXPECT_EQ(alone.not_judged[0].what, "state of eno1");
  Story story = Story::of(evidence);
  story.site.ports.push_back({"eno1", {}, true, 1});
  RuleOutput expected;
  port_state_rule.apply(story, expected);
  ASSERT_EQ(expected.findings.size(), 1U);
  EXPECT_THAT(expected.findings[0], Is("LB-PORT-STATE", FindingClass::degraded));
  EXPECT_EQ(expected.findings[0].component, id("eno1"));
}

TEST(PortState, AnInterfaceSwitchedOffOrBehindAnRdmaPortIsNoThingOfItsOwn) {
  Interface off = make_interface("eno1", "0000:05:00.0");
  off.carrier = off.admin_up = false;
  const RuleOutput out =
      apply_rule(port_state_rule, EvidenceBuilder::inspect()
                                      .record(off)
                                      .port(make_roce_port("mlx5_0/1", "0000:17:00.0", "eth0"))
                                      .record(make_interface("eth0", "0000:17:00.0"))
                                      .finish());
  ASSERT_EQ(out.findings.size(), 1U);
  EXPECT_EQ(out.findings[0].component, id("mlx5_0/1"));
  EXPECT_TRUE(out.not_judged.empty());
}

}  // namespace
}  // namespace linkburn
