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

}  // namespace
}  // namespace linkburn
