#include <gtest/gtest.h>

#include "tests/report/rules/apply_rule.h"
#include "tests/support/evidence_builder.h"

namespace linkburn {
namespace {

using testing::HasSubstr;
constexpr auto kCard = "0000:17:00.0";
constexpr auto kPort = "0000:16:01.0";
constexpr auto kTwin = "0000:65:00.0";
constexpr auto kTwinPort = "0000:64:01.0";

EvidenceBuilder with_site(const std::string& text) {
  return EvidenceBuilder::inspect().record(SiteText{"site.toml", "schema = 1\n" + text});
}

/// A card with its link, in a slot that the kernel names.
void add_card(EvidenceBuilder& builder, const char* card, const char* port, const char* label) {
  Link link = make_link(card, port);
  Component device = make_device(card, {port});
  link.slot = device.slot = Slot{label, "kernel"};
  builder.device(device).link(link);
}

EvidenceBuilder one_card(const std::string& site) {
  EvidenceBuilder builder = with_site(site);
  add_card(builder, kCard, kPort, "1");
  return builder;
}

EvidenceBuilder two_cards(const std::string& site) {
  EvidenceBuilder builder = one_card(site);
  add_card(builder, kTwin, kTwinPort, "2");
  return builder;
}

Finding judged(const EvidenceBuilder& builder) {
  return only_finding(expected_rule, builder.finish());
}

std::vector<Finding> all(const EvidenceBuilder& builder) {
  return apply_rule(expected_rule, builder.finish()).findings;
}

TEST(Expected, WithoutASiteFileNothingIsSaid) {
  EvidenceBuilder builder = EvidenceBuilder::inspect();
  add_card(builder, kCard, kPort, "1");
  const RuleOutput out = apply_rule(expected_rule, builder.finish());
  EXPECT_TRUE(out.findings.empty());
  EXPECT_TRUE(out.not_judged.empty());
}

TEST(Expected, AsManyAsExpectedIsHealthy) {
  const Finding finding = judged(two_cards("[expect]\ngpu = 2\n"));
  EXPECT_THAT(finding, Is("LB-HEALTHY", FindingClass::healthy));
  EXPECT_EQ(finding.component, ComponentId::node());
}

TEST(Expected, FewerThanExpectedAreLost) {
  const Finding finding = judged(one_card("[expect]\ngpu = 2\n"));
  EXPECT_THAT(finding, Is("LB-EXPECT-MISSING", FindingClass::lost));
  EXPECT_EQ(finding.component, ComponentId::node());
  EXPECT_EQ(finding.detail, "1 of 2 gpu is there");
  EXPECT_EQ(finding.origin, "site file site.toml:3");
}

TEST(Expected, MoreThanExpectedIsANoteAndNoFault) {
  const RuleOutput out = apply_rule(expected_rule, two_cards("[expect]\ngpu = 1\n").finish());
  EXPECT_TRUE(out.findings.empty());
  ASSERT_EQ(out.not_judged.size(), 1U);
  EXPECT_THAT(out.not_judged[0].why, HasSubstr("site.toml:3 says 1"));
}

TEST(Expected, NoneExpectedAndNoneThereIsHealthy) {
  EXPECT_THAT(judged(one_card("[expect]\nnvme = 0\n")), Is("LB-HEALTHY", FindingClass::healthy));
}

TEST(Expected, VirtualFunctionsDoNotCount) {
  EvidenceBuilder builder = one_card("[expect]\ngpu = 2\n");
  Component virtual_function = make_device("0000:17:00.4");
  virtual_function.physical_function = id(kCard);
  builder.device(virtual_function);
  EXPECT_THAT(judged(builder), Is("LB-EXPECT-MISSING", FindingClass::lost));
}

TEST(Expected, AMissingDeviceIsNamedOnceByItsSlot) {
  const Finding finding =
      judged(with_site("[expect]\ngpu = 1\n[[slot]]\nslot = \"1\"\ntype = \"gpu\"\n"));
  EXPECT_THAT(finding, Is("LB-EXPECT-MISSING", FindingClass::lost));
  ASSERT_TRUE(finding.place);
  EXPECT_EQ(finding.place->label, "1");
  EXPECT_EQ(finding.detail, "no gpu at 1");
}

TEST(Expected, AMissingDeviceIsNamedByItsAddress) {
  const std::string site = "[[slot]]\naddress = \"0000:17:00.0\"\ntype = \"gpu\"\n";
  EXPECT_THAT(judged(one_card(site)), Is("LB-HEALTHY", FindingClass::healthy));
  const Finding finding = judged(with_site(site));
  EXPECT_THAT(finding, Is("LB-EXPECT-MISSING", FindingClass::lost));
  EXPECT_EQ(finding.component, id(kCard));
}

/// A port with a slot and nothing in it.
Component empty_port(const char* port, const char* label) {
  Component component = make_device(port);
  component.type = "bridge";
  component.port_type = "root_port";
  component.slot = Slot{label, "smbios"};
  component.facts["empty"] = "yes";
  return component;
}

TEST(Expected, EmptySlotsAreNamedWhereAMissingDeviceMayBelong) {
  EvidenceBuilder builder = one_card("[expect]\ngpu = 2\n");
  builder.device(empty_port("0000:64:01.0", "2"));
  Finding finding = judged(builder);
  EXPECT_THAT(finding, Is("LB-EXPECT-MISSING", FindingClass::lost));
  ASSERT_TRUE(finding.place);
  EXPECT_EQ(finding.place->label, "2");
  finding = judged(builder.device(empty_port("0000:65:01.0", "3")));
  EXPECT_FALSE(finding.place);
  EXPECT_THAT(finding.detail, HasSubstr("empty slots: 2, 3"));
}

TEST(Expected, ASlotThatIsShownEmptyIsLost) {
  EvidenceBuilder builder = one_card("[[slot]]\nslot = \"2\"\nwidth = 16\n");
  EXPECT_THAT(judged(builder), Is("LB-EXPECT-UNKNOWN", FindingClass::undecided));
  EXPECT_THAT(judged(builder.device(empty_port("0000:64:01.0", "2"))),
              Is("LB-EXPECT-MISSING", FindingClass::lost));
}

TEST(Expected, ADeviceThatOnlyMovedIsNotLost) {
  const Finding finding =
      judged(one_card("[[slot]]\naddress = \"0000:99:00.0\"\ntype = \"gpu\"\n"));
  EXPECT_THAT(finding, Is("LB-EXPECT-UNKNOWN", FindingClass::undecided));
}

TEST(Expected, LabelsThatNobodyShowsCannotBeTold) {
  // Two cards are there, under names of a source that is not read today.
  const auto findings = all(two_cards(
      "[[slot]]\nslot = \"PCIE1\"\ntype = \"gpu\"\n[[slot]]\nslot = \"PCIE2\"\ntype = \"gpu\"\n"));
  ASSERT_EQ(findings.size(), 2U);
  for (const Finding& finding : findings)
    EXPECT_THAT(finding, Is("LB-EXPECT-UNKNOWN", FindingClass::undecided));
}

TEST(Expected, WithOtherLabelsTheNumberStillCounts) {
  const auto findings =
      all(one_card("[expect]\ngpu = 2\n[[slot]]\nslot = \"PCIE1\"\ntype = \"gpu\"\n"
                   "[[slot]]\nslot = \"PCIE2\"\ntype = \"gpu\"\n"));
  ASSERT_EQ(findings.size(), 3U);
  EXPECT_THAT(findings[0], Is("LB-EXPECT-UNKNOWN", FindingClass::undecided));
  EXPECT_THAT(findings[2], Is("LB-EXPECT-MISSING", FindingClass::lost));
}

TEST(Expected, AnotherTypeIsMisconfigured) {
  const Finding finding = judged(one_card("[[slot]]\nslot = \"1\"\ntype = \"nvme\"\n"));
  EXPECT_THAT(finding, Is("LB-EXPECT-OTHER", FindingClass::misconfigured));
  EXPECT_EQ(finding.component, id(kCard));
  EXPECT_THAT(finding.detail, HasSubstr("type gpu, the site expects nvme"));
}

TEST(Expected, ADeviceBelowTheSwitchOfItsCardIsInItsSlot) {
  EvidenceBuilder builder = with_site("[[slot]]\nslot = \"1\"\ntype = \"gpu\"\n");
  Link slot_link = make_link("0000:15:00.0", "0000:14:01.0");
  Component bridge = make_device("0000:15:00.0", {"0000:14:01.0"});
  bridge.type = "bridge";
  bridge.port_type = "upstream_port";
  slot_link.slot = bridge.slot = Slot{"1", "kernel"};
  builder.device(bridge).link(slot_link);
  EXPECT_THAT(judged(builder), Is("LB-EXPECT-OTHER", FindingClass::misconfigured));
  builder.device(make_device(kCard, {kPort, "0000:15:00.0", "0000:14:01.0"}));
  EXPECT_THAT(judged(builder.link(make_link(kCard, kPort))),
              Is("LB-HEALTHY", FindingClass::healthy));
}

TEST(Expected, AnUnreadableDeviceMayBeTheMissingOne) {
  EvidenceBuilder builder = one_card("[expect]\ngpu = 2\n");
  builder.error(id(kTwin), "cannot resolve the link");
  EXPECT_THAT(judged(builder), Is("LB-EXPECT-UNKNOWN", FindingClass::undecided));
  EvidenceBuilder two_missing = one_card("[expect]\ngpu = 3\n");
  two_missing.error(id(kTwin), "cannot resolve the link");
  EXPECT_THAT(judged(two_missing), Is("LB-EXPECT-MISSING", FindingClass::lost));
}

TEST(Expected, WithoutAPciBusNothingIsLost) {
  EvidenceBuilder builder =
      with_site("[expect]\ngpu = 8\n[[slot]]\nslot = \"1\"\ntype = \"gpu\"\n");
  builder.part("pci_bus", "absent");
  for (const Finding& finding : all(builder))
    EXPECT_THAT(finding, Is("LB-EXPECT-UNKNOWN", FindingClass::undecided));
}

TEST(Expected, AnInventoryThatWasCutProvesNothing) {
  EXPECT_THAT(only_finding(expected_rule, one_card("[expect]\ngpu = 2\n").killed()),
              Is("LB-EXPECT-UNKNOWN", FindingClass::undecided));
  Evidence torn = one_card("[expect]\ngpu = 2\n").finish();
  torn.bad_lines = 1;
  EXPECT_THAT(only_finding(expected_rule, torn), Is("LB-EXPECT-UNKNOWN", FindingClass::undecided));
}

TEST(Expected, PortsAreCountedAndLookedFor) {
  EvidenceBuilder builder = with_site("[expect]\nport = 1\n");
  builder.port(make_port("mlx5_0/1", kCard));
  Finding finding = judged(builder);
  EXPECT_THAT(finding, Is("LB-HEALTHY", FindingClass::healthy));
  EXPECT_EQ(finding.aspect, Aspect::ports);
  builder = with_site("[expect]\nport = 2\n[[port]]\nport = \"mlx5_1/1\"\nexpect = \"up\"\n");
  builder.port(make_port("mlx5_0/1", kCard));
  finding = judged(builder);
  EXPECT_THAT(finding, Is("LB-EXPECT-MISSING", FindingClass::lost));
  EXPECT_EQ(finding.component, id("mlx5_1/1"));
}

TEST(Expected, PortsThatOnlyHaveOtherNamesAreNotLost) {
  EvidenceBuilder builder =
      with_site("[[port]]\nport = \"mlx5_0/1\"\n[[port]]\nport = \"mlx5_1/1\"\n");
  builder.port(make_port("rocep23s0/1", kCard));
  for (const Finding& finding : all(builder))
    EXPECT_THAT(finding, Is("LB-EXPECT-MISSING", FindingClass::lost)) << "one is gone";
  EXPECT_EQ(all(builder).size(), 2U);
  builder.port(make_port("rocep101s0/1", kTwin));
  for (const Finding& finding : all(builder))
    EXPECT_THAT(finding, Is("LB-EXPECT-UNKNOWN", FindingClass::undecided));
  builder.port(make_port("mlx5_0/1", kCard));
  EXPECT_THAT(judged(builder), Is("LB-EXPECT-MISSING", FindingClass::lost));
}

TEST(Expected, APortThatIsUnusedOnPurposeMayBeGone) {
  EXPECT_TRUE(all(with_site("[[port]]\nport = \"mlx5_1/1\"\nexpect = \"down\"\n")).empty());
}

TEST(Expected, WithoutAnyInterfaceNoneIsLost) {
  EvidenceBuilder builder = with_site("[[port]]\ninterface = \"eth0\"\nexpect = \"up\"\n");
  EXPECT_THAT(judged(builder), Is("LB-EXPECT-UNKNOWN", FindingClass::undecided));
  Interface veth;
  veth.component = ComponentId::interface("eth1");
  EXPECT_THAT(judged(builder.record(veth)), Is("LB-EXPECT-UNKNOWN", FindingClass::undecided))
      << "a container";
  EXPECT_THAT(judged(builder.record(make_interface("eth2", kCard))),
              Is("LB-EXPECT-MISSING", FindingClass::lost));
}

TEST(Expected, ACaptureWithoutRdmaDevicesLosesNoPort) {
  for (const char* site : {"[expect]\nport = 1\n", "[[port]]\nport = \"mlx5_0/1\"\n"}) {
    EvidenceBuilder builder = with_site(site);
    EXPECT_THAT(judged(builder), Is("LB-EXPECT-MISSING", FindingClass::lost)) << site;
    EXPECT_THAT(judged(builder.part("rdma_devices", "unusable")),
                Is("LB-EXPECT-UNKNOWN", FindingClass::undecided))
        << site;
  }
}

TEST(Expected, AHostThatNoBlockNamesIsTold) {
  const RuleOutput out = apply_rule(
      expected_rule, one_card("[[host]]\nmatch = [\"zz\"]\n[host.expect]\ngpu = 8\n").finish());
  EXPECT_TRUE(out.findings.empty());
  ASSERT_EQ(out.not_judged.size(), 1U);
}

}  // namespace
}  // namespace linkburn
