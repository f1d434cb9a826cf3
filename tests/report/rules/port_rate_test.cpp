#include <fmt/core.h>
#include <gtest/gtest.h>

#include "tests/report/rules/apply_rule.h"
#include "tests/support/evidence_builder.h"

namespace linkburn {
namespace {

using testing::HasSubstr;

constexpr auto kNic = "0000:17:00.0";
constexpr auto kTwin = "0000:65:00.0";

/// A RoCE port whose interface supports 100 Gb/s on four lanes.
struct Roce {
  Port port;
  Interface interface;
  Component device;

  explicit Roce(const char* pci = kNic, const char* name = "mlx5_0/1", const char* netdev = "eth0")
      : port(make_roce_port(name, pci, netdev)),
        interface(make_interface(netdev, pci)),
        device(make_device(pci)) {
    device.type = "nic";
    interface.speed_gbps = 100;
    interface.supported_gbps = 100;
    interface.supported_modes = {"25000baseCR/Full", "50000baseCR2/Full", "100000baseCR4/Full"};
  }

  Roce& at(double gbps, std::optional<int> lanes = {}) {
    interface.speed_gbps = gbps;
    interface.lanes = lanes;
    port.rate_gbps = gbps;
    port.lanes = lanes;
    port.rate_text = fmt::format("{:g} Gb/sec", gbps);
    port.speed_name.clear();
    return *this;
  }
  EvidenceBuilder& add_to(EvidenceBuilder& builder) const {
    return builder.device(device).record(interface).port(port);
  }
  RuleOutput judge() const {
    EvidenceBuilder builder = EvidenceBuilder::inspect();
    return apply_rule(port_rate_rule, add_to(builder).finish());
  }
  /// The only port of its kind.
  Finding finding() const {
    const RuleOutput out = judge();
    EXPECT_EQ(out.findings.size(), 1U);
    return out.findings.empty() ? Finding{} : out.findings.front();
  }
  /// Beside two of its kind that run at their full rate.
  Finding beside_full_ones() const {
    EvidenceBuilder builder = EvidenceBuilder::inspect();
    add_to(builder);
    Roce second(kTwin, "mlx5_1/1", "eth1"), third("0000:66:00.0", "mlx5_2/1", "eth2");
    for (Roce* twin : {&second, &third}) {
      twin->port.link_layer = port.link_layer;
      twin->interface.supported_gbps = interface.supported_gbps;
      twin->interface.speed_gbps = twin->port.rate_gbps = interface.supported_gbps;
      twin->add_to(builder);
    }
    const RuleOutput out = apply_rule(port_rate_rule, builder.finish());
    EXPECT_EQ(out.findings.size(), 3U);
    return out.findings.empty() ? Finding{} : out.findings.front();
  }
};

/// The findings about several ports at once.
std::vector<Finding> findings_of(const std::vector<Roce>& ports) {
  EvidenceBuilder builder = EvidenceBuilder::inspect();
  for (const Roce& port : ports) port.add_to(builder);
  return apply_rule(port_rate_rule, builder.finish()).findings;
}

/// With the site's word on the first port.
Finding expected_at(const Roce& roce, double gbps) {
  EvidenceBuilder builder = EvidenceBuilder::inspect();
  const Evidence evidence = roce.add_to(builder).finish();
  Story story = Story::of(evidence);
  story.site.ports.push_back({"eth0", gbps, {}, 1});
  RuleOutput out;
  port_rate_rule.apply(story, out);
  EXPECT_EQ(out.findings.size(), 1U);
  return out.findings.empty() ? Finding{} : out.findings.front();
}

TEST(PortRate, WithoutARatingItIsNotJudged) {
  const RuleOutput out = apply_rule(
      port_rate_rule, EvidenceBuilder::inspect().port(make_port("mlx5_0/1", kNic)).finish());
  EXPECT_TRUE(out.findings.empty());
  ASSERT_EQ(out.not_judged.size(), 1U);
  EXPECT_EQ(out.not_judged[0].what, "rate of mlx5_0/1");
}

TEST(PortRate, AnActivePortWithoutARateIsUndecided) {
  Roce roce;
  roce.interface.speed_gbps.reset();
  roce.port.rate_gbps.reset();
  EXPECT_THAT(roce.finding(), Is("LB-NO-EVIDENCE", FindingClass::undecided));
}

TEST(PortRate, OnlyActivePortsHaveARate) {
  Roce roce;
  roce.port.state = "DOWN";
  roce.port.rate_gbps = 40;
  const RuleOutput out = roce.judge();
  EXPECT_TRUE(out.findings.empty());
  EXPECT_TRUE(out.not_judged.empty());
}

TEST(PortRate, ABondOrASoftPortHasNoRateOfItsOwn) {
  Roce bond, soft;
  bond.interface.type = "bond";
  bond.at(25);
  soft.port.driver = "rxe";
  soft.at(25);
  for (const Roce& roce : {bond, soft}) EXPECT_TRUE(roce.judge().findings.empty());
}

TEST(PortRate, AtItsRatingItIsHealthy) {
  const Finding finding = Roce().finding();
  EXPECT_THAT(finding, Is("LB-HEALTHY", FindingClass::healthy));
  EXPECT_EQ(finding.rated.text, "100 Gb/s");
  EXPECT_EQ(finding.negotiated.text, "100 Gb/sec (4X EDR)");
}

TEST(PortRate, BothSidesOfTheTolerance) {
  Roce roce;
  EXPECT_THAT(roce.at(95.1).beside_full_ones(), Is("LB-HEALTHY", FindingClass::healthy));
  EXPECT_THAT(roce.at(94.9).beside_full_ones(), Is("LB-PORT-RATE", FindingClass::degraded));
  EXPECT_THAT(roce.at(105.2).beside_full_ones(), Is("LB-HEALTHY", FindingClass::healthy));
  EXPECT_THAT(roce.at(105.4).beside_full_ones(), Is("LB-NO-EVIDENCE", FindingClass::undecided));
}

TEST(PortRate, FewerLanesAreAWidthFault) {
  const Finding finding = Roce().at(25, 1).beside_full_ones();
  EXPECT_THAT(finding, Is("LB-PORT-WIDTH", FindingClass::degraded));
  EXPECT_THAT(finding.detail, HasSubstr("1 of 4 lanes"));
  EXPECT_EQ(finding.component, id("mlx5_0/1"));
  EXPECT_EQ(finding.limit.text, "100 Gb/s");
}

TEST(PortRate, TheRdmaRateTellsTheLanesWhereTheInterfaceDoesNot) {
  Roce roce;
  roce.at(25);
  roce.port.rate_text = "25 Gb/sec (1X EDR)";
  roce.port.lanes = 1;
  roce.port.speed_name = "EDR";
  EXPECT_THAT(roce.beside_full_ones(), Is("LB-PORT-WIDTH", FindingClass::degraded));
}

TEST(PortRate, AllLanesAtALowerSpeedAreASpeedFault) {
  EXPECT_THAT(Roce().at(40, 4).beside_full_ones(), Is("LB-PORT-RATE", FindingClass::degraded));
  EXPECT_THAT(Roce().at(40).beside_full_ones(), Is("LB-PORT-RATE", FindingClass::degraded));
}

TEST(PortRate, OneLaneIsEnoughForAModeOfOneLane) {
  Roce roce;
  roce.interface.supported_modes = {"100000baseCR/Full", "100000baseCR4/Full"};
  EXPECT_THAT(roce.at(50, 1).beside_full_ones(), Is("LB-PORT-RATE", FindingClass::degraded));
}

TEST(PortRate, ThePresetOfTheDriverSettlesNothing) {
  Roce roce;
  roce.at(40);
  roce.interface.speed_gbps.reset();
  roce.port.rate_text = "40 Gb/sec (4X QDR)";
  roce.port.lanes = 4;
  roce.port.speed_name = "QDR";
  EXPECT_THAT(roce.beside_full_ones(), Is("LB-NO-EVIDENCE", FindingClass::undecided));
  roce.interface.speed_gbps = 40;
  EXPECT_THAT(roce.beside_full_ones(), Is("LB-PORT-RATE", FindingClass::degraded));
}

TEST(PortRate, TheInterfaceComesBeforeTheRdmaRate) {
  Roce roce;
  roce.port.rate_gbps = 40;
  const Finding finding = roce.finding();
  EXPECT_THAT(finding, Is("LB-HEALTHY", FindingClass::healthy));
  EXPECT_THAT(finding.detail, HasSubstr("says 40 Gb/s"));
}

TEST(PortRate, AModuleThatCarriesLessIsNamed) {
  Roce roce;
  roce.interface.module = Module{"QSFP28", "Acme", "C25", "S1", 25, {}, {}};
  const Finding finding = roce.at(25, 1).finding();
  EXPECT_THAT(finding, Is("LB-PORT-LIMITED", FindingClass::limited));
  EXPECT_THAT(finding.detail, HasSubstr("Acme C25 carries 25 Gb/s"));
  EXPECT_EQ(finding.limit.text, "25 Gb/s");
  EXPECT_EQ(finding.rated.text, "100 Gb/s");
}

TEST(PortRate, APartnerThatOffersLessIsNamed) {
  Roce roce;
  roce.interface.partner_gbps = 25;
  const Finding finding = roce.at(25, 1).finding();
  EXPECT_THAT(finding, Is("LB-PORT-LIMITED", FindingClass::limited));
  EXPECT_THAT(finding.detail, HasSubstr("partner offers 25"));
}

TEST(PortRate, BelowWhatTheModuleCarriesIsStillAFault) {
  Roce roce;
  roce.interface.module = Module{"QSFP28", "Acme", "C50", "S1", 50, {}, {}};
  const Finding finding = roce.at(25, 1).finding();
  EXPECT_THAT(finding, Is("LB-PORT-WIDTH", FindingClass::degraded));
  EXPECT_THAT(finding.detail, HasSubstr("carries 50"));
}

TEST(PortRate, AModuleThatCannotBeReadIsSaid) {
  Roce roce;
  roce.interface.module_absent = "needs root";
  EXPECT_THAT(roce.at(25, 1).beside_full_ones().detail,
              HasSubstr("plugged in is not known: needs root"));
}

TEST(PortRate, ASettingThatHoldsItBackIsMisconfigured) {
  Roce roce;
  roce.interface.advertised_gbps = 25;
  const Finding finding = roce.at(25, 1).finding();
  EXPECT_THAT(finding, Is("LB-PORT-RATE", FindingClass::misconfigured));
  EXPECT_THAT(finding.detail, HasSubstr("set to 25 of the 100"));
  roce.interface.partner_gbps = 25;
  EXPECT_THAT(roce.finding(), Is("LB-PORT-LIMITED", FindingClass::limited));
  roce.interface.advertised_gbps = roce.interface.partner_gbps = 100;
  EXPECT_THAT(roce.finding(), Is("LB-PORT-WIDTH", FindingClass::degraded));
}

TEST(PortRate, WithoutNegotiationNothingIsAdvertised) {
  Roce roce;
  roce.interface.advertised_gbps = 25;
  roce.interface.autonegotiation = false;
  EXPECT_THAT(roce.at(25, 1).beside_full_ones(), Is("LB-PORT-WIDTH", FindingClass::degraded));
}

TEST(PortRate, WhatTheSiteExpectsStandsWhateverWasPluggedIn) {
  Roce roce;
  roce.interface.module = Module{"QSFP28", "Acme", "C25", "S1", 25, {}, {}};
  EXPECT_THAT(expected_at(roce.at(25), 100), Is("LB-PORT-RATE", FindingClass::degraded));
  EXPECT_THAT(expected_at(roce.at(25), 25), Is("LB-HEALTHY", FindingClass::healthy));
}

TEST(PortRate, TheOddOneOutIsAFault) {
  const Roce slow = Roce("0000:66:00.0", "mlx5_2/1", "eth2").at(50, 4);
  const auto findings = findings_of({Roce(), Roce(kTwin, "mlx5_1/1", "eth1"), slow});
  ASSERT_EQ(findings.size(), 3U);
  EXPECT_THAT(findings[0], Is("LB-HEALTHY", FindingClass::healthy));
  EXPECT_THAT(findings[2], Is("LB-PORT-RATE", FindingClass::degraded));
}

TEST(PortRate, OfTwoPortsNeitherIsTheOddOneUnlessItLacksLanes) {
  const auto beside_one = [](Roce slow) { return findings_of({Roce(), slow}).at(1); };
  Roce slow(kTwin, "mlx5_1/1", "eth1");
  EXPECT_THAT(beside_one(slow.at(40, 4)), Is("LB-PORT-RATE", FindingClass::undecided));
  EXPECT_THAT(beside_one(slow.at(25, 1)), Is("LB-PORT-WIDTH", FindingClass::degraded));
}

TEST(PortRate, ASlowerPortProvesNothing) {
  const auto findings = findings_of({Roce().at(40, 4), Roce(kTwin, "mlx5_1/1", "eth1").at(25, 1)});
  EXPECT_THAT(findings.at(0), Is("LB-PORT-RATE", FindingClass::undecided));
  EXPECT_THAT(findings.at(1), Is("LB-PORT-WIDTH", FindingClass::degraded));
}

TEST(PortRate, WhereAllEqualPortsRunAlikeTheFabricMayGiveNoMore) {
  const auto findings = findings_of({Roce().at(50, 4), Roce(kTwin, "mlx5_1/1", "eth1").at(50, 4)});
  ASSERT_EQ(findings.size(), 2U);
  for (const Finding& finding : findings) {
    EXPECT_THAT(finding, Is("LB-PORT-RATE", FindingClass::undecided));
    EXPECT_THAT(finding.missing, HasSubstr("site file"));
  }
}

TEST(PortRate, ASingleLaneOfAllEqualPortsMayBeHowTheyAreMeant) {
  for (const Finding& finding :
       findings_of({Roce().at(25, 1), Roce(kTwin, "mlx5_1/1", "eth1").at(25, 1)})) {
    EXPECT_THAT(finding, Is("LB-PORT-WIDTH", FindingClass::undecided));
    EXPECT_THAT(finding.detail, HasSubstr("1 of 4 lanes"));
    EXPECT_THAT(finding.missing, HasSubstr("site file"));
  }
}

TEST(PortRate, APartnerThatOffersMoreLeavesOnlyAFault) {
  Roce one, other(kTwin, "mlx5_1/1", "eth1");
  for (Roce* roce : {&one, &other}) roce->at(25, 1).interface.partner_gbps = 100;
  for (const Finding& finding : findings_of({one, other}))
    EXPECT_THAT(finding, Is("LB-PORT-WIDTH", FindingClass::degraded));
  one.at(40, 4).interface.partner_gbps = 100;
  EXPECT_THAT(one.finding(), Is("LB-PORT-RATE", FindingClass::degraded));
}

TEST(PortRate, OfAPortAloneTheCableTellsTheLanes) {
  Roce roce;
  EXPECT_THAT(roce.at(25, 1).finding(), Is("LB-PORT-WIDTH", FindingClass::undecided));
  EXPECT_THAT(roce.at(40, 4).finding(), Is("LB-PORT-RATE", FindingClass::undecided));
  roce.interface.module = Module{"QSFP28", "Acme", "C100", "S1", 100, {}, {}};
  EXPECT_THAT(roce.finding(), Is("LB-PORT-RATE", FindingClass::undecided));
  EXPECT_THAT(roce.at(25, 1).finding(), Is("LB-PORT-WIDTH", FindingClass::degraded));
}

TEST(PortRate, SeveralPortsInASlowerFabricAreNotTheOddOne) {
  const std::vector<Finding> findings = findings_of(
      {Roce(), Roce("0000:18:00.0", "mlx5_3/1", "eth3"), Roce(kTwin, "mlx5_1/1", "eth1").at(40, 4),
       Roce("0000:66:00.0", "mlx5_2/1", "eth2").at(40, 4)});
  ASSERT_EQ(findings.size(), 4U);
  EXPECT_THAT(findings[2], Is("LB-PORT-RATE", FindingClass::undecided));
  EXPECT_THAT(findings[3], Is("LB-PORT-RATE", FindingClass::undecided));
}

TEST(PortRate, FiftyGigabitsOnTwoLanesReadAsOne) {
  Roce roce;
  roce.at(50);
  roce.port.rate_text = "50 Gb/sec (1X HDR)";
  roce.port.lanes = 1;
  roce.port.speed_name = "HDR";
  EXPECT_THAT(roce.beside_full_ones(), Is("LB-PORT-RATE", FindingClass::degraded));
}

TEST(PortRate, ASettingThatFollowsTheModuleTakesNothingAway) {
  Roce roce;
  roce.interface.module = Module{"SFP", "Acme", "C25", "S1", 25.75, {}, {}};
  roce.interface.advertised_gbps = 25;
  EXPECT_THAT(roce.at(25, 1).finding(), Is("LB-PORT-LIMITED", FindingClass::limited));
}

TEST(PortRate, AModuleThatSaysLessThanThePortRunsAtHoldsNothingBack) {
  Roce roce;
  roce.interface.module = Module{"QSFP28", "Acme", "C10", "S1", 10, {}, {}};
  EXPECT_THAT(roce.at(25, 1).finding(), Is("LB-PORT-WIDTH", FindingClass::degraded));
  roce.interface.module->rate_gbps = 24;
  EXPECT_THAT(roce.finding(), Is("LB-PORT-LIMITED", FindingClass::limited));
}

TEST(PortRate, AVirtualFunctionHasTheRateOfItsCard) {
  Roce card, function("0000:17:00.2", "mlx5_2/1", "eth2");
  card.at(25, 1);
  function.at(25, 1).device.physical_function = id(kNic);
  EXPECT_EQ(findings_of({card, function}).size(), 1U);
}

TEST(PortRate, AnInterfaceWithoutRdmaIsJudgedByTheSiteAlone) {
  Interface management = make_interface("eno1", kNic);
  management.speed_gbps = 1;
  management.supported_gbps = 10;
  const Evidence evidence = EvidenceBuilder::inspect().record(management).finish();
  RuleOutput alone;
  port_rate_rule.apply(Story::of(evidence), alone);
  EXPECT_TRUE(alone.findings.empty());
  ASSERT_EQ(alone.not_judged.size(), 1U);
  EXPECT_EQ(alone.not_judged[0].what, "rate of eno1 (1 Gb/s of 10 Gb/s)");
  Story story = Story::of(evidence);
  story.site.ports.push_back({"eno1", 10, {}, 1});
  RuleOutput expected;
  port_rate_rule.apply(story, expected);
  ASSERT_EQ(expected.findings.size(), 1U);
  EXPECT_THAT(expected.findings[0], Is("LB-PORT-RATE", FindingClass::degraded));
}

TEST(PortRate, AnInterfaceBelowTheBondOfAnRdmaPortIsJudged) {
  Roce bond(kNic, "mlx5_bond_0/1", "bond0");
  bond.interface.type = "bond";
  Interface slow = make_interface("eth1", "0000:17:00.1");
  slow.speed_gbps = 25;
  slow.lanes = 1;
  slow.supported_gbps = 100;
  slow.bond = "bond0";
  slow.module = Module{"QSFP28", "Acme", "C100", "S1", 100, {}, {}};
  EvidenceBuilder builder = EvidenceBuilder::inspect();
  const Finding finding = only_finding(port_rate_rule, bond.add_to(builder).record(slow).finish());
  EXPECT_THAT(finding, Is("LB-PORT-WIDTH", FindingClass::degraded));
  EXPECT_EQ(finding.component, id("eth1"));
}

/// An InfiniBand port, rated by the modes of its interface.
Finding judge_infiniband(double rated_gbps, double gbps, int lanes, std::string_view name,
                         bool alone = false) {
  Roce roce;
  roce.port.link_layer = "InfiniBand";
  roce.port.netdev.clear();
  roce.interface.component = id("ib0");
  roce.interface.supported_gbps = rated_gbps;
  roce.interface.speed_gbps.reset();
  roce.at(gbps, lanes);
  roce.interface.speed_gbps.reset();
  roce.port.speed_name = name;
  return alone ? roce.finding() : roce.beside_full_ones();
}

TEST(PortRate, InfiniBandLanes) {
  EXPECT_THAT(judge_infiniband(100, 100, 4, "EDR"), Is("LB-HEALTHY", FindingClass::healthy));
  EXPECT_THAT(judge_infiniband(100, 25, 1, "EDR"), Is("LB-PORT-WIDTH", FindingClass::degraded));
  EXPECT_THAT(judge_infiniband(100, 40, 4, "QDR"), Is("LB-PORT-RATE", FindingClass::degraded));
  EXPECT_THAT(judge_infiniband(100, 50, 2, "EDR"), Is("LB-PORT-WIDTH", FindingClass::degraded));
}

TEST(PortRate, HalfOfTheLanesMayBeASplittingCable) {
  EXPECT_THAT(judge_infiniband(200, 100, 2, "HDR", true),
              Is("LB-PORT-WIDTH", FindingClass::undecided));
}

TEST(PortRate, AnOlderFabricMayBeAllThatALonePortHas) {
  EXPECT_THAT(judge_infiniband(200, 100, 4, "EDR", true),
              Is("LB-PORT-RATE", FindingClass::undecided));
  EXPECT_THAT(judge_infiniband(200, 100, 4, "EDR"), Is("LB-PORT-RATE", FindingClass::degraded));
  EXPECT_THAT(judge_infiniband(200, 50, 1, "HDR", true),
              Is("LB-PORT-WIDTH", FindingClass::degraded));
}

TEST(PortRate, AKernelOlderThanThePortSettlesNothing) {
  EXPECT_THAT(judge_infiniband(400, 10, 4, "SDR", true),
              Is("LB-NO-EVIDENCE", FindingClass::undecided));
  EXPECT_THAT(judge_infiniband(100, 10, 4, "SDR"), Is("LB-PORT-RATE", FindingClass::degraded));
}

}  // namespace
}  // namespace linkburn
