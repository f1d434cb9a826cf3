#include <gtest/gtest.h>

#include "report/verdict.h"
#include "tests/report/rules/apply_rule.h"
#include "tests/support/evidence_builder.h"

namespace linkburn {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
constexpr auto kRoot = "0000:80:01.1";
constexpr auto kUp = "0000:81:00.0";
constexpr const char* kDown[] = {"0000:82:00.0", "0000:82:01.0"};
constexpr const char* kGpu[] = {"0000:83:00.0", "0000:84:00.0"};

/// A switch with `gpus` GPUs of 32.0 GT/s x16 below it.
EvidenceBuilder switch_with(const Link& uplink, int gpus = 1) {
  EvidenceBuilder builder = EvidenceBuilder::inspect().link(uplink);
  Component port = make_device(kUp, {kRoot});
  port.type = "bridge";
  port.vendor_id = port.device_id = "0x1000";  // no GPU, whose product rating would count
  builder.device(port);
  for (int i = 0; i < gpus; ++i) {
    builder.link(make_link(kGpu[i], kDown[i], 32000, 16));
    builder.device(make_device(kGpu[i], {kDown[i], kUp, kRoot}));
  }
  return builder;
}

std::vector<Finding> limits(const EvidenceBuilder& builder) {
  return apply_rule(path_limit_rule, builder.finish()).findings;
}

std::string shared_detail(const EvidenceBuilder& builder) {
  const RuleOutput out = apply_rule(shared_uplink_rule, builder.finish());
  return out.findings.empty() ? "" : out.findings[0].detail;
}

TEST(PathLimit, AnUplinkOfUnknownRatingIsNotCompared) {
  Link uplink = make_link(kUp, kRoot, 8000, 4);
  uplink.peer_end.max_width.reset();
  EXPECT_THAT(limits(switch_with(uplink, 2)), IsEmpty());
  EXPECT_EQ(shared_detail(switch_with(uplink, 2)), "");
}

TEST(PathLimit, AnUplinkAsFastAsTheDeviceIsNoLimit) {
  EXPECT_THAT(limits(switch_with(make_link(kUp, kRoot, 32000, 16), 2)), IsEmpty());
}

TEST(PathLimit, AnUplinkBelowTheDevicesOwnLinkIsNamed) {
  const auto findings = limits(switch_with(make_link(kUp, kRoot, 32000, 8), 2));
  ASSERT_THAT(findings, ElementsAre(Is("LB-PCIE-PATH", FindingClass::limited)));
  EXPECT_EQ(findings[0].component, id(kUp));
  EXPECT_EQ(findings[0].limiter, id(kRoot));
  EXPECT_THAT(
      findings[0].detail,
      HasSubstr("gives 31.5 GB/s to what is below; 0000:83:00.0 and 1 more could take 63.0"));
}

TEST(PathLimit, HalfTheLanesAtTwiceTheSpeedAreEqual) {
  EvidenceBuilder builder = EvidenceBuilder::inspect().link(make_link(kUp, kRoot, 32000, 8));
  builder.link(make_link(kGpu[0], kDown[0], 16000, 16));
  builder.device(make_device(kGpu[0], {kDown[0], kUp, kRoot}));
  EXPECT_THAT(limits(builder), IsEmpty());
}

TEST(PathLimit, ACardWithItsOwnSwitchInASlowerSlotIsOneLimit) {
  Link uplink = make_link(kUp, kRoot, 16000, 16);
  uplink.device_end.max_speed = LinkSpeed{32000};
  const Verdict verdict = judge(switch_with(uplink).finish());
  EXPECT_EQ(verdict.exit, 0);
  std::vector<Finding> limited;
  for (const Finding& finding : verdict.findings)
    if (finding.cls != FindingClass::healthy) limited.push_back(finding);
  ASSERT_EQ(limited.size(), 1U);
  EXPECT_EQ(limited[0].cls, FindingClass::limited);
  EXPECT_EQ(limited[0].component, id(kUp));
  EXPECT_EQ(limited[0].limiter, id(kRoot));
}

TEST(PathLimit, AnUplinkThatLostLanesIsOneFaultThatNamesWhatIsBelow) {
  Link uplink = make_link(kUp, kRoot, 32000, 16);
  uplink.device_end.width = uplink.peer_end.width = LinkWidth{8};
  const Verdict verdict = judge(switch_with(uplink, 2).finish());
  std::vector<Finding> faults;
  for (const Finding& finding : verdict.findings)
    if (finding.cls != FindingClass::healthy) faults.push_back(finding);
  ASSERT_THAT(faults, ElementsAre(Is("LB-PCIE-WIDTH", FindingClass::degraded)));
  EXPECT_EQ(faults[0].component, id(kUp));
  EXPECT_THAT(faults[0].detail, HasSubstr("2 devices below share it: 0000:83:00.0 and 1 more"));
}

TEST(PathLimit, TheNarrowestOfSeveralHopsIsNamedOnce) {
  constexpr auto kOuterRoot = "0000:70:01.0", kOuterUp = "0000:71:00.0";
  const auto with_outer = [&](int outer_lanes) {
    EvidenceBuilder builder = EvidenceBuilder::inspect();
    builder.link(make_link(kOuterUp, kOuterRoot, 32000, outer_lanes));
    builder.link(make_link(kUp, kRoot, 32000, 8)).link(make_link(kGpu[0], kDown[0], 32000, 16));
    builder.device(make_device(kGpu[0], {kDown[0], kUp, kRoot, kOuterUp, kOuterRoot}));
    return limits(builder);
  };
  auto findings = with_outer(4);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].component, id(kOuterUp));
  findings = with_outer(8);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].component, id(kUp));
}

TEST(PathLimit, LinksInsideACardSayNothing) {
  Link inside = make_link(kGpu[0], kDown[0], 2500, 1);
  inside.kind = kLinkInternal;
  EvidenceBuilder builder = EvidenceBuilder::inspect().link(make_link(kUp, kRoot, 2500, 1));
  builder.link(inside).device(make_device(kGpu[0], {kDown[0], kUp, kRoot}));
  EXPECT_THAT(limits(builder), IsEmpty());
  EXPECT_THAT(apply_rule(link_width_rule, builder.finish()).findings.size(), 1U);
}

TEST(SharedUplink, SeveralDevicesAreToldWithTheHealthyUplink) {
  EXPECT_EQ(shared_detail(switch_with(make_link(kUp, kRoot, 32000, 16), 2)),
            "2 devices below could together ask for 2.0 times what it gives");
  const Verdict verdict = judge(switch_with(make_link(kUp, kRoot, 32000, 16), 2).finish());
  EXPECT_EQ(verdict.exit, 0);
  EXPECT_THAT(verdict.findings, Contains(testing::Field(&Finding::detail, HasSubstr("2.0 times"))));
  for (const Finding& finding : verdict.findings) EXPECT_EQ(finding.cls, FindingClass::healthy);
}

TEST(SharedUplink, OneDeviceOrEnoughForAllIsNothing) {
  EXPECT_EQ(shared_detail(switch_with(make_link(kUp, kRoot, 32000, 16), 1)), "");
  EXPECT_EQ(shared_detail(switch_with(make_link(kUp, kRoot, 64000, 32), 2)), "");
}

TEST(SharedUplink, FunctionsOfOneCardAreOneDevice) {
  EvidenceBuilder builder = switch_with(make_link(kUp, kRoot, 32000, 16), 1);
  builder.device(make_device("0000:83:00.1", {kDown[0], kUp, kRoot}));
  EXPECT_EQ(shared_detail(builder), "");
}

}  // namespace
}  // namespace linkburn
