#include <gtest/gtest.h>

#include "tests/report/rules/apply_rule.h"
#include "tests/support/evidence_builder.h"

namespace linkburn {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr auto kNic = "0000:17:00.0";

EvidenceBuilder with_module(std::optional<double> temperature_c, std::optional<double> alarm_c) {
  Interface interface = make_interface("eth0", kNic);
  interface.module = Module{"QSFP28", "Acme", "SR4", "S123", 100, temperature_c, alarm_c};
  EvidenceBuilder builder = EvidenceBuilder::inspect();
  builder.port(make_roce_port("mlx5_0/1", kNic, "eth0")).record(interface);
  return builder;
}

RuleOutput judge(const EvidenceBuilder& builder) {
  return apply_rule(port_module_rule, builder.finish());
}

TEST(PortModule, WithoutASensorOrALimitNothingIsSaid) {
  for (const auto& builder : {with_module({}, 75), with_module(80, {}), with_module(0, 0)})
    EXPECT_TRUE(judge(builder).findings.empty());
}

TEST(PortModule, BothSidesOfItsOwnAlarm) {
  EXPECT_THAT(judge(with_module(74.9, 75)).findings.at(0), Is("LB-HEALTHY", FindingClass::healthy));
  const Finding hot = judge(with_module(75, 75)).findings.at(0);
  EXPECT_THAT(hot, Is("LB-PORT-HOT", FindingClass::marginal));
  EXPECT_EQ(hot.component, id("mlx5_0/1"));
  EXPECT_THAT(hot.detail,
              AllOf(HasSubstr("Acme SR4, serial S123"), HasSubstr("at 75 C"), HasSubstr("75 C")));
}

EvidenceBuilder with_line(EvidenceBuilder builder, std::string_view topic, std::string_view text) {
  KernelLine line;
  line.component = id(kNic);
  line.topic = topic;
  line.text = text;
  builder.port(make_roce_port("mlx5_0/1", kNic, "eth0")).record(line);
  return builder;
}

TEST(PortModule, KernelLinesAreToldOncePerTopic) {
  const auto text = "Port module event[error]: module 0, Cable error, High Temperature";
  EvidenceBuilder builder = with_line(EvidenceBuilder::inspect(), "module_error", text);
  KernelLine again;
  again.component = id(kNic);
  again.topic = "module_error";
  again.text = text;
  const RuleOutput out = judge(builder.record(again));
  ASSERT_EQ(out.findings.size(), 1U);
  EXPECT_THAT(out.findings[0], Is("LB-PORT-MODULE", FindingClass::marginal));
  EXPECT_THAT(out.findings[0].detail, AllOf(HasSubstr("Cable error"), HasSubstr("2 such lines")));
  EXPECT_EQ(out.findings[0].evidence.size(), 2U);
}

TEST(PortModule, NoticesAreNoFaults) {
  for (const char* topic : {"module_plugged", "module_unplugged", "link_down", "port_up"})
    EXPECT_TRUE(judge(with_line(EvidenceBuilder::inspect(), topic, "x")).findings.empty());
}

TEST(PortModule, WhatHappensDuringARunIsAFault) {
  for (const char* topic : {"module_error", "module_unplugged"})
    EXPECT_THAT(judge(with_line(EvidenceBuilder::run(), topic, "x")).findings.at(0),
                Is("LB-PORT-MODULE", FindingClass::degraded));
}

TEST(PortModule, PortsThatAreSwitchedOffForPowerAreMisconfigured) {
  EXPECT_THAT(judge(with_line(EvidenceBuilder::inspect(), "port_power", "x")).findings.at(0),
              Is("LB-PORT-POWER", FindingClass::misconfigured));
}

TEST(PortModule, HeatAndPowerOfTheAdapter) {
  EXPECT_THAT(judge(with_line(EvidenceBuilder::inspect(), "device_hot",
                              "High temperature on sensors with bit set 0x0 0x1"))
                  .findings.at(0),
              Is("LB-PORT-HOT", FindingClass::marginal));
  EXPECT_THAT(judge(with_line(EvidenceBuilder::inspect(), "slot_power",
                              "Detected insufficient power on the PCIe slot (27W)."))
                  .findings.at(0),
              Is("LB-PORT-POWER", FindingClass::marginal));
}

}  // namespace
}  // namespace linkburn
