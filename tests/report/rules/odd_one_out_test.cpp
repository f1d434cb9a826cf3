#include <fmt/core.h>
#include <gtest/gtest.h>

#include "tests/report/rules/apply_rule.h"
#include "tests/support/evidence_builder.h"

namespace linkburn {
namespace {

using testing::HasSubstr;

std::string card(int number) { return fmt::format("0000:{:02x}:00.0", 0x10 + number); }
std::string port_above(int number) { return fmt::format("0000:{:02x}:00.0", 0x80 + number); }

/// Equal devices of a model that has no product rating.
class Equals {
 public:
  explicit Equals(std::string type = "gpu", std::string site = {}) : type_(std::move(type)) {
    if (!site.empty()) builder_.record(SiteText{"site.toml", "schema = 1\n" + site});
  }
  Equals& add(int count, int device_lanes = 16, int port_lanes = 16, int port_mts = 16000) {
    for (int i = 0; i < count; ++i) {
      Link link = make_link(card(number_), port_above(number_));
      link.device_end.max_width = LinkWidth{device_lanes};
      link.peer_end.max_width = LinkWidth{port_lanes};
      link.peer_end.max_speed = LinkSpeed{port_mts};
      link.device_end.width = link.peer_end.width = LinkWidth{std::min(device_lanes, port_lanes)};
      Component device = make_device(card(number_), {port_above(number_)});
      device.type = type_;
      device.device_id = "0x0001";
      builder_.device(device).link(link);
      ++number_;
    }
    return *this;
  }
  std::vector<Finding> judge() const {
    return apply_rule(odd_one_out_rule, builder_.finish()).findings;
  }
  EvidenceBuilder& builder() { return builder_; }

 private:
  EvidenceBuilder builder_ = EvidenceBuilder::inspect();
  std::string type_;
  int number_ = 0;
};

TEST(OddOneOut, AllAlikeIsNoFinding) { EXPECT_TRUE(Equals().add(8).judge().empty()); }

TEST(OddOneOut, OneOfEightGpusInANarrowPortIsDegraded) {
  const auto findings = Equals().add(7).add(1, 16, 8).judge();
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_THAT(findings[0], Is("LB-ODD-ONE-OUT", FindingClass::degraded));
  EXPECT_EQ(findings[0].component, id(card(7)));
  EXPECT_EQ(findings[0].aspect, Aspect::width);
  EXPECT_EQ(findings[0].limit.width, 16);
  EXPECT_THAT(findings[0].detail, HasSubstr("x8, 7 equal devices of this node for x16"));
}

TEST(OddOneOut, OneOfSevenMayBeBuiltSo) {
  const auto findings = Equals().add(6).add(1, 16, 8).judge();
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_THAT(findings[0], Is("LB-ODD-ONE-OUT", FindingClass::marginal));
}

TEST(OddOneOut, TwoOfEightMayBeBuiltSo) {
  for (const Finding& finding : Equals().add(6).add(2, 16, 8).judge())
    EXPECT_THAT(finding, Is("LB-ODD-ONE-OUT", FindingClass::marginal));
  for (const Finding& finding : Equals("nvme").add(7, 4, 4).add(1, 4, 2).judge())
    EXPECT_THAT(finding, Is("LB-ODD-ONE-OUT", FindingClass::marginal));
}

TEST(OddOneOut, AGpuThatClaimsLessThanItsEqualsIsDegraded) {
  const auto findings = Equals().add(3).add(1, 8, 16).judge();
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_THAT(findings[0], Is("LB-ODD-ONE-OUT", FindingClass::degraded));
}

TEST(OddOneOut, ADiskOrNicThatClaimsLessMayBeAnotherBoard) {
  for (const char* type : {"nvme", "nic", "infiniband"}) {
    const auto findings = Equals(type).add(7).add(1, 8, 16).judge();
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_THAT(findings[0], Is("LB-ODD-ONE-OUT", FindingClass::marginal)) << type;
  }
}

TEST(OddOneOut, ThreeEqualsAreTooFew) {
  EXPECT_TRUE(Equals().add(2).add(1, 8, 8).judge().empty());
  EXPECT_EQ(Equals().add(3).add(1, 8, 8).judge().size(), 1U);
}

TEST(OddOneOut, WithoutAClearMajorityNobodyIsOdd) {
  EXPECT_TRUE(Equals().add(5).add(3, 16, 8).judge().empty());
  EXPECT_EQ(Equals().add(6).add(2, 16, 8).judge().size(), 2U);
}

TEST(OddOneOut, MoreThanTheOthersIsNoFault) {
  EXPECT_TRUE(Equals().add(7, 16, 8).add(1).judge().empty());
}

TEST(OddOneOut, ASlowPortIsFoundByItsSpeed) {
  auto findings = Equals().add(7).add(1, 16, 16, 8000).judge();
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_THAT(findings[0], Is("LB-ODD-ONE-OUT", FindingClass::degraded));
  EXPECT_EQ(findings[0].aspect, Aspect::speed);
  findings = Equals("nvme").add(7).add(1, 16, 16, 8000).judge();
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_THAT(findings[0], Is("LB-ODD-ONE-OUT", FindingClass::marginal));
}

TEST(OddOneOut, UnknownRatingsAreLeftOut) {
  Equals equals;
  equals.add(3);
  Link link = make_link(card(3), port_above(3));
  link.peer_end.max_width.reset();
  Component device = make_device(card(3));
  device.device_id = "0x0001";
  equals.builder().device(device).link(link);
  EXPECT_TRUE(equals.judge().empty());
}

TEST(OddOneOut, OtherModelsAreNoEquals) {
  Equals equals;
  equals.add(4);
  Link link = make_link(card(9), port_above(9), 16000, 8);
  Component device = make_device(card(9));
  device.device_id = "0x0001";
  device.subsystem_vendor_id = "0x10de";
  device.subsystem_device_id = "0x0002";
  equals.builder().device(device).link(link);
  EXPECT_TRUE(equals.judge().empty());
}

TEST(OddOneOut, WhatTheSiteSaysIsRight) {
  Equals equals("gpu", fmt::format("[[slot]]\naddress = \"{}\"\nwidth = 8\n", card(7)));
  EXPECT_TRUE(equals.add(7).add(1, 16, 8).judge().empty());
}

EvidenceBuilder ports(int fast, int slow) {
  EvidenceBuilder builder = EvidenceBuilder::inspect();
  for (int i = 0; i < fast + slow; ++i) {
    Component device = make_device(card(i));
    device.type = "infiniband";
    Port port = make_port(fmt::format("mlx5_{}/1", i), card(i));
    if (i >= fast) port.rate_gbps = 200;
    builder.device(device).port(port);
  }
  return builder;
}

TEST(OddOneOut, ASlowPortAmongEqualPorts) {
  EXPECT_TRUE(apply_rule(odd_one_out_rule, ports(8, 0).finish()).findings.empty());
  const Finding finding = only_finding(odd_one_out_rule, ports(7, 1).finish());
  EXPECT_THAT(finding, Is("LB-ODD-ONE-OUT", FindingClass::marginal));
  EXPECT_EQ(finding.component, id("mlx5_7/1"));
  EXPECT_EQ(finding.limit.rate_gbs, 50);
  EXPECT_TRUE(apply_rule(odd_one_out_rule, ports(2, 2).finish()).findings.empty());
}

TEST(OddOneOut, APortThatIsDownOrRatedIsNotCompared) {
  EvidenceBuilder builder = ports(7, 0);
  Port down = make_port("mlx5_9/1", card(0));
  down.state = "DOWN";
  down.rate_gbps = 10;
  EXPECT_TRUE(apply_rule(odd_one_out_rule, builder.port(down).finish()).findings.empty());
  EvidenceBuilder rated = ports(7, 1);
  rated.record(
      SiteText{"site.toml", "schema = 1\n[[port]]\nport = \"mlx5_7/1\"\nrate_gbps = 200\n"});
  EXPECT_TRUE(apply_rule(odd_one_out_rule, rated.finish()).findings.empty());
}

}  // namespace
}  // namespace linkburn
