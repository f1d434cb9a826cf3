#include <fmt/core.h>
#include <gtest/gtest.h>

#include "tests/report/rules/apply_rule.h"
#include "tests/support/evidence_builder.h"

namespace linkburn {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr auto kNic = "0000:17:00.0";
constexpr auto kSecond = "0000:17:00.1";
constexpr auto kPort = "0000:16:00.0";
constexpr auto kUpstream = "0000:10:00.0";
constexpr auto kRoot = "0000:00:01.0";

constexpr int kGen3_mts = 8000, kGen4_mts = 16000, kGen5_mts = 32000;

Port port_at(double gbps, const char* name = "mlx5_0/1", const char* pci = kNic) {
  Port port = make_port(name, pci);
  port.rate_gbps = gbps;
  port.rate_text = fmt::format("{:g} Gb/sec", gbps);
  return port;
}

std::vector<Finding> findings_of(const Link& link, const std::vector<Port>& ports) {
  EvidenceBuilder builder = EvidenceBuilder::inspect();
  builder.link(link).device(make_device(kNic, {kPort}));
  for (const Port& port : ports) builder.port(port);
  return apply_rule(nic_slot_rule, builder.finish()).findings;
}

std::vector<Finding> findings_of(int mts, int lanes, const std::vector<Port>& ports) {
  return findings_of(make_link(kNic, kPort, mts, lanes), ports);
}

TEST(NicSlot, NothingIsSaidWithoutALinkOrARating) {
  EXPECT_TRUE(apply_rule(nic_slot_rule, EvidenceBuilder::inspect().port(port_at(400)).finish())
                  .findings.empty());
  Link unrated = make_link(kNic, kPort, kGen3_mts);
  unrated.peer_end = {};
  EXPECT_TRUE(findings_of(unrated, {port_at(400)}).empty());
}

TEST(NicSlot, WhatASlotCarriesAndWhatNot) {
  EXPECT_TRUE(findings_of(kGen3_mts, 16, {port_at(100)}).empty());
  EXPECT_TRUE(findings_of(kGen4_mts, 16, {port_at(200)}).empty());
  EXPECT_TRUE(findings_of(kGen5_mts, 16, {port_at(400)}).empty());
  EXPECT_EQ(findings_of(kGen3_mts, 16, {port_at(200)}).size(), 1U);
  EXPECT_EQ(findings_of(kGen4_mts, 16, {port_at(400)}).size(), 1U);
  EXPECT_EQ(findings_of(kGen5_mts, 8, {port_at(400)}).size(), 1U);
}

TEST(NicSlot, TheHopIsNamedWithWhatItCarries) {
  const auto findings = findings_of(kGen3_mts, 16, {port_at(200)});
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_THAT(findings[0], Is("LB-PORT-SLOT-LIMIT", FindingClass::limited));
  EXPECT_EQ(findings[0].component, id(kNic));
  EXPECT_EQ(findings[0].limiter, id(kNic));
  EXPECT_THAT(findings[0].detail, AllOf(HasSubstr("mlx5_0/1 runs at 200"), HasSubstr("109 Gb/s")));
  EXPECT_THAT(findings[0].origin, HasSubstr("8.0 GT/s x16"));
}

TEST(NicSlot, PortsOfOneCardShareItsSlot) {
  const Port second = port_at(100, "mlx5_1/1", kSecond);
  const auto both = findings_of(kGen3_mts, 16, {port_at(100), second});
  ASSERT_EQ(both.size(), 1U);
  EXPECT_THAT(both[0].detail, AllOf(HasSubstr("2 active ports"), HasSubstr("200 Gb/s"),
                                    HasSubstr("cannot all run full")));
  Port unused = second;
  unused.state = "DOWN";
  EXPECT_TRUE(findings_of(kGen3_mts, 16, {port_at(100), unused}).empty());
}

TEST(NicSlot, ASmallerPayloadCarriesLess) {
  Link link = make_link(kNic, kPort, kGen3_mts);
  LinkRegisters registers;
  registers.max_payload_bytes = 128;
  link.device_end.registers = registers;
  EXPECT_TRUE(findings_of(link, {port_at(100)}).empty());
  EXPECT_EQ(findings_of(link, {port_at(102)}).size(), 1U);
  link.device_end.registers->max_payload_bytes = 512;
  EXPECT_TRUE(findings_of(link, {port_at(114)}).empty());
}

TEST(NicSlot, ALinkBelowItsRatingHasAFindingOfItsOwn) {
  Link narrow = make_link(kNic, kPort, kGen3_mts);
  narrow.device_end.width = narrow.peer_end.width = LinkWidth{8};
  EXPECT_TRUE(findings_of(narrow, {port_at(200)}).empty());
}

TEST(NicSlot, AHopFurtherUpLimitsToo) {
  EvidenceBuilder builder = EvidenceBuilder::inspect();
  builder.link(make_link(kNic, kPort, kGen5_mts)).link(make_link(kUpstream, kRoot, kGen4_mts));
  builder.device(make_device(kNic, {kPort, kUpstream, kRoot})).port(port_at(400));
  const Finding finding = only_finding(nic_slot_rule, builder.finish());
  EXPECT_EQ(finding.component, id(kNic));
  EXPECT_EQ(finding.limiter, id(kUpstream));
}

TEST(NicSlot, ACardInTwoSlotsHasBoth) {
  constexpr auto kOther = "0000:97:00.0";
  EvidenceBuilder builder = EvidenceBuilder::inspect();
  builder.link(make_link(kNic, kPort, kGen3_mts)).device(make_device(kNic, {kPort}));
  builder.link(make_link(kOther, "0000:96:00.0", kGen3_mts));
  builder.device(make_device(kOther, {"0000:96:00.0"}));
  Port first = port_at(200), second = port_at(200, "mlx5_1/1", kOther);
  first.system_image_guid = second.system_image_guid = "0200:0000:0000:0001";
  builder.port(first).port(second);
  EXPECT_TRUE(apply_rule(nic_slot_rule, builder.finish()).findings.empty());
}

TEST(NicSlot, VirtualFunctionsSendThroughTheSamePort) {
  constexpr auto kVirtual = "0000:17:00.2";
  Component function = make_device(kVirtual, {kPort});
  function.physical_function = id(kNic);
  EvidenceBuilder builder = EvidenceBuilder::inspect();
  builder.link(make_link(kNic, kPort, kGen3_mts)).device(make_device(kNic, {kPort}));
  builder.device(function).port(port_at(100)).port(port_at(100, "mlx5_2/1", kVirtual));
  EXPECT_TRUE(apply_rule(nic_slot_rule, builder.finish()).findings.empty());
}

}  // namespace
}  // namespace linkburn
