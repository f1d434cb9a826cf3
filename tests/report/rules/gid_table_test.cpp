#include <gtest/gtest.h>

#include "report/rules/gid_choice.h"
#include "tests/report/rules/apply_rule.h"
#include "tests/support/evidence_builder.h"

namespace linkburn {
namespace {

using testing::HasSubstr;

constexpr auto kNic = "0000:17:00.0";
constexpr auto kTwin = "0000:65:00.0";
constexpr auto kLinkLocal = "fe80:0000:0000:0000:0200:00ff:fe00:0001";
constexpr auto kIpv4 = "0000:0000:0000:0000:0000:ffff:c000:0206";
constexpr auto kIpv6 = "2001:0db8:0000:0000:0000:0000:0000:0006";
constexpr auto kV1 = "IB/RoCE v1";
constexpr auto kV2 = "RoCE v2";

Port port_with(std::vector<Gid> gids) {
  Port port = make_roce_port("mlx5_0/1", kNic, "eth0");
  port.gids = std::move(gids);
  return port;
}

/// The usual table of a port with one IPv4 address.
std::vector<Gid> usual() {
  return {{0, kLinkLocal, kV1, "eth0"},
          {1, kLinkLocal, kV2, "eth0"},
          {2, kIpv4, kV1, "eth0"},
          {3, kIpv4, kV2, "eth0"}};
}

int chosen(const Port& port, const std::vector<const Interface*>& interfaces = {}) {
  const Gid* gid = recommended_gid(port, interfaces);
  return gid == nullptr ? -1 : gid->index;
}

TEST(GidChoice, ScopesHoweverTheyAreWritten) {
  EXPECT_EQ(scope_of(kLinkLocal), GidScope::link_local);
  EXPECT_EQ(scope_of("fe80::200:ff:fe00:1"), GidScope::link_local);
  EXPECT_EQ(scope_of("::ffff:192.0.2.6"), GidScope::ipv4);
  EXPECT_EQ(scope_of(kIpv4), GidScope::ipv4);
  EXPECT_EQ(scope_of("::ffff:169.254.3.4"), GidScope::link_local);
  EXPECT_EQ(scope_of(kIpv6), GidScope::global_ipv6);
  for (const char* none : {"0000:0000:0000:0000:0000:0000:0000:0000", "::ffff:0.0.0.0", "", "x"})
    EXPECT_EQ(scope_of(none), GidScope::none) << none;
  EXPECT_EQ(address_text(kIpv4), "192.0.2.6");
  EXPECT_EQ(address_text(kIpv6), "2001:db8::6");
}

TEST(GidChoice, RoutedIpv4OverRoceV2ComesFirst) {
  EXPECT_EQ(chosen(port_with(usual())), 3);
  EXPECT_EQ(chosen(port_with({{0, kIpv6, kV2, ""}, {5, kIpv4, kV2, ""}})), 5);
  EXPECT_EQ(chosen(port_with({{0, kIpv4, kV1, ""}, {5, kIpv6, kV2, ""}})), 5);
  EXPECT_EQ(chosen(port_with({{0, kLinkLocal, kV2, ""}, {5, kIpv4, kV1, ""}})), 5);
  EXPECT_EQ(chosen(port_with({{4, kIpv4, kV2, ""}, {7, kIpv4, kV2, ""}})), 4);
}

TEST(GidChoice, LinkLocalOnlyWhenThereIsNothingElse) {
  EXPECT_EQ(chosen(port_with({{0, kLinkLocal, kV1, ""}, {1, kLinkLocal, kV2, ""}})), 1);
  EXPECT_EQ(chosen(port_with({})), -1);
}

TEST(GidChoice, InterfacesThatAreDownAndVlansComeLast) {
  Interface down = make_interface("eth0", kNic);
  down.carrier = false;
  const Port port = port_with({{3, kIpv4, kV2, "eth0"}, {5, kIpv6, kV2, "eth0.100"}});
  EXPECT_EQ(chosen(port, {&down}), 5);
  EXPECT_EQ(chosen(port), 3);
  EXPECT_EQ(chosen(port_with({{3, kIpv4, kV2, "eth0.100"}, {5, kIpv4, kV2, "eth0"}})), 5);
}

TEST(GidChoice, AnInfiniBandPortHasItsOwnAtZero) {
  Port port = port_with({{0, kLinkLocal, "", ""}, {1, kIpv6, "", ""}});
  port.link_layer = "InfiniBand";
  EXPECT_EQ(chosen(port), 0);
}

TEST(GidChoice, TypesTellRoceWhereTheLinkLayerIsNotKnown) {
  Port port = port_with({{0, kLinkLocal, "RoCE v1", ""}, {3, "::ffff:192.0.2.6", "RoCE v2", ""}});
  port.link_layer.clear();
  EXPECT_EQ(chosen(port), 3);
}

RuleOutput judge(const Port& port, const Interface& interface = make_interface("eth0", kNic)) {
  return apply_rule(gid_table_rule,
                    EvidenceBuilder::inspect().port(port).record(interface).finish());
}

TEST(GidTable, OneThatCannotBeReadIsNotJudged) {
  Port port = port_with({});
  port.gids_read = false;
  const RuleOutput out = judge(port);
  EXPECT_TRUE(out.findings.empty());
  ASSERT_EQ(out.not_judged.size(), 1U);
  EXPECT_EQ(out.not_judged[0].what, "GID table of mlx5_0/1");
}

TEST(GidTable, ARoutedAddressIsHealthyAndNamed) {
  const RuleOutput out = judge(port_with(usual()));
  ASSERT_EQ(out.findings.size(), 1U);
  EXPECT_THAT(out.findings[0], Is("LB-HEALTHY", FindingClass::healthy));
  EXPECT_EQ(out.findings[0].detail, "GID 3: RoCE v2, 192.0.2.6");
}

TEST(GidTable, EmptyThoughTheInterfaceIsUpIsMisconfigured) {
  EXPECT_THAT(judge(port_with({})).findings.at(0), Is("LB-PORT-GID", FindingClass::misconfigured));
}

TEST(GidTable, EmptyWhereTheInterfaceIsElsewhereIsNotJudged) {
  Interface bonded = make_interface("eth0", kNic);
  bonded.bond = "bond0";
  Interface dark = make_interface("eth0", kNic);
  dark.carrier = false;
  for (const Interface& interface : {bonded, dark, make_interface("eth9", kTwin)}) {
    const RuleOutput out = judge(port_with({}), interface);
    EXPECT_TRUE(out.findings.empty());
    EXPECT_EQ(out.not_judged.size(), 1U);
  }
}

TEST(GidTable, EmptyWhereTheCardSwitchesBetweenFunctionsIsNotJudged) {
  Port representor = make_roce_port("mlx5_0/2", kNic, "");
  representor.driver = "mlx5_core";
  const RuleOutput out = apply_rule(gid_table_rule, EvidenceBuilder::inspect()
                                                        .port(port_with({}))
                                                        .port(representor)
                                                        .record(make_interface("eth0", kNic))
                                                        .finish());
  EXPECT_TRUE(out.findings.empty());
  ASSERT_EQ(out.not_judged.size(), 1U);
  EXPECT_EQ(out.not_judged[0].what, "GID table of mlx5_0/1");
}

/// Two ports that hold one address, with entries of these interfaces.
RuleOutput judge_shared(const char* netdev, const char* twin_netdev, const char* bond) {
  Port twin = make_roce_port("mlx5_1/1", kTwin, "eth1");
  twin.gids = {{3, kIpv4, kV2, twin_netdev}};
  Interface first = make_interface("eth0", kNic), second = make_interface("eth1", kTwin);
  first.bond = second.bond = bond;
  return apply_rule(gid_table_rule, EvidenceBuilder::inspect()
                                        .port(port_with({{3, kIpv4, kV2, netdev}}))
                                        .port(twin)
                                        .record(first)
                                        .record(second)
                                        .finish());
}

TEST(GidTable, TheAddressOfABondStandsInTheTablesOfAllItsMembers) {
  for (const Finding& finding : judge_shared("eth0", "eth1", "").findings)
    EXPECT_THAT(finding, Is("LB-PORT-GID", FindingClass::misconfigured));
  for (const RuleOutput& out :
       {judge_shared("bond0", "bond0", ""), judge_shared("eth0", "eth1", "bond0")})
    for (const Finding& finding : out.findings)
      EXPECT_THAT(finding, Is("LB-HEALTHY", FindingClass::healthy));
}

TEST(GidTable, OnlyLinkLocalEntriesAreAWarningUnlessTheSiteExpectsThePort) {
  const Port port = port_with({{0, kLinkLocal, kV1, "eth0"}, {1, kLinkLocal, kV2, "eth0"}});
  EXPECT_THAT(judge(port).findings.at(0), Is("LB-PORT-GID", FindingClass::marginal));
  const Evidence evidence =
      EvidenceBuilder::inspect().port(port).record(make_interface("eth0", kNic)).finish();
  Story story = Story::of(evidence);
  story.site.ports.push_back({"mlx5_0/1", {}, true, 1});
  RuleOutput out;
  gid_table_rule.apply(story, out);
  EXPECT_THAT(out.findings.at(0), Is("LB-PORT-GID", FindingClass::misconfigured));
  story.site.ports.back().has_ip = false;
  RuleOutput on_purpose;
  gid_table_rule.apply(story, on_purpose);
  EXPECT_THAT(on_purpose.findings.at(0), Is("LB-HEALTHY", FindingClass::healthy));
}

TEST(GidTable, APortOfUnknownLayerIsToldAsNotJudged) {
  Port port = port_with({{0, kLinkLocal, "", ""}});
  port.link_layer.clear();
  const RuleOutput out = judge(port);
  EXPECT_TRUE(out.findings.empty());
  ASSERT_EQ(out.not_judged.size(), 1U);
  EXPECT_EQ(out.not_judged[0].what, "GID table of mlx5_0/1");
}

TEST(GidTable, PortsThatAreDownOrInfiniBandAreNotJudged) {
  Port down = port_with({});
  down.state = "DOWN";
  Port infiniband = port_with({});
  infiniband.link_layer = "InfiniBand";
  for (const Port& port : {down, infiniband}) {
    const RuleOutput out = judge(port);
    EXPECT_TRUE(out.findings.empty());
    EXPECT_TRUE(out.not_judged.empty());
  }
}

TEST(GidTable, ASoftPortIsNotJudged) {
  Port soft = port_with({{0, kLinkLocal, kV1, "eth0"}});
  soft.pci.reset();
  EXPECT_TRUE(judge(soft).findings.empty());
}

/// The findings about two ports that hold the same address.
std::vector<Finding> same_address(const char* driver, const char* second_netdev) {
  Port twin = make_roce_port("mlx5_1/1", kTwin, second_netdev);
  twin.gids = usual();
  for (Gid& gid : twin.gids) gid.netdev = second_netdev;
  twin.driver = driver;
  EvidenceBuilder builder = EvidenceBuilder::inspect();
  builder.port(port_with(usual())).port(twin).record(make_interface("eth0", kNic));
  return apply_rule(gid_table_rule, builder.record(make_interface("eth1", kTwin)).finish())
      .findings;
}

TEST(GidTable, OneAddressOnTwoPortsIsMisconfigured) {
  const auto findings = same_address("mlx5_core", "eth1");
  ASSERT_EQ(findings.size(), 2U);
  for (const Finding& finding : findings)
    EXPECT_THAT(finding, Is("LB-PORT-GID", FindingClass::misconfigured));
  EXPECT_THAT(findings[0].detail, HasSubstr("mlx5_1/1"));
}

TEST(GidTable, PortsOfOneInterfaceShareItsAddresses) {
  for (const auto& findings : {same_address("rxe", "eth0"), same_address("mlx5_core", "eth0")})
    for (const Finding& finding : findings)
      EXPECT_THAT(finding, Is("LB-HEALTHY", FindingClass::healthy));
}

TEST(GidChoice, OldTextsWithoutTypesListTheSecondVersionSecond) {
  EXPECT_EQ(chosen(port_with({{0, kLinkLocal, "", ""},
                              {1, kLinkLocal, "", ""},
                              {2, kIpv4, "", ""},
                              {3, kIpv4, "", ""}})),
            3);
  EXPECT_EQ(chosen(port_with({{0, kLinkLocal, "", ""}, {1, kIpv4, "", ""}})), 1);
}

TEST(GidChoice, AnAddressOfIpv4IsOfRoceWhateverElseIsUnknown) {
  Port port = port_with({{0, kLinkLocal, kV1, ""}, {1, kIpv4, kV1, ""}});
  port.link_layer.clear();
  EXPECT_EQ(chosen(port), 1);
}

TEST(GidChoice, TheFirstEntryTellsTheInterfaceOfThePort) {
  Port port = port_with({{1, kLinkLocal, kV2, "eth0"},
                         {3, kIpv4, kV2, "eth0.100"},
                         {5, "0000:0000:0000:0000:0000:ffff:c633:6401", kV2, "eth0"}});
  port.netdev.clear();
  EXPECT_EQ(chosen(port), 5);
}

}  // namespace
}  // namespace linkburn
