#include <gtest/gtest.h>

#include "tests/report/rules/apply_rule.h"
#include "tests/support/evidence_builder.h"

namespace linkburn {
namespace {

using testing::HasSubstr;
constexpr auto kCard = "0000:17:00.0";
constexpr auto kPort = "0000:16:00.0";

Link slow_link() {
  Link link = make_link(kCard, kPort);
  link.device_end.speed = link.peer_end.speed = LinkSpeed{2500};
  return link;
}

Finding judge_speed(const EvidenceBuilder& builder) {
  return only_finding(link_speed_rule, builder.finish());
}

/// A run of one step on the card; the caller puts readings between its start at 10 s and its end.
EvidenceBuilder loaded(const Link& link) {
  EvidenceBuilder builder = EvidenceBuilder::run();
  builder.link(link).plan_step("h2d-1", kCard, {kCard}).at(10).start_step("h2d-1");
  return builder;
}

EvidenceBuilder& speed(EvidenceBuilder& builder, double seconds, double gts,
                       Phase phase = Phase::measure) {
  return builder.at(seconds).reading(kCard, "link_speed", gts, phase, "h2d-1");
}

TEST(LinkSpeed, AtRatingIsHealthyWithoutLoad) {
  const Finding finding = judge_speed(EvidenceBuilder::inspect().link(make_link(kCard, kPort)));
  EXPECT_THAT(finding, Is("LB-HEALTHY", FindingClass::healthy));
  EXPECT_EQ(finding.aspect, Aspect::speed);
}

TEST(LinkSpeed, IdleLinkBelowRatingNeedsLoad) {
  const Finding finding = judge_speed(EvidenceBuilder::inspect().link(slow_link()));
  EXPECT_THAT(finding, Is("LB-NEEDS-LOAD", FindingClass::undecided));
  EXPECT_EQ(finding.missing, "a reading under load: idle links run slow by design");
}

TEST(LinkSpeed, AFastTwinMakesTheDetailRicherAndDecidesNothing) {
  const Finding finding =
      apply_rule(link_speed_rule, EvidenceBuilder::inspect()
                                      .link(slow_link())
                                      .link(make_link("0000:65:00.0", "0000:64:00.0"))
                                      .device(make_device(kCard))
                                      .device(make_device("0000:65:00.0"))
                                      .finish())
          .findings.at(0);
  EXPECT_THAT(finding, Is("LB-NEEDS-LOAD", FindingClass::undecided));
  EXPECT_THAT(finding.detail, HasSubstr("twin 0000:65:00.0 runs at 16.0 GT/s"));
}

TEST(LinkSpeed, MissingFilesAreUndecidedAndNamed) {
  Link link = make_link(kCard, kPort);
  link.device_end.max_speed.reset();
  Finding finding = judge_speed(EvidenceBuilder::inspect().link(link));
  EXPECT_THAT(finding, Is("LB-NO-EVIDENCE", FindingClass::undecided));
  EXPECT_THAT(finding.missing, HasSubstr("max_link_speed of 0000:17:00.0"));
  link = make_link(kCard, kPort);
  link.device_end.speed.reset();
  link.peer_end.speed.reset();
  finding = judge_speed(EvidenceBuilder::inspect().link(link));
  EXPECT_THAT(finding, Is("LB-NO-EVIDENCE", FindingClass::undecided));
  EXPECT_THAT(finding.missing, HasSubstr("current_link_speed"));
}

TEST(LinkSpeed, AboveRatingIsUndecided) {
  Link link = make_link(kCard, kPort);
  link.peer_end.max_speed = LinkSpeed{8000};
  EXPECT_THAT(judge_speed(EvidenceBuilder::inspect().link(link)),
              Is("LB-NO-EVIDENCE", FindingClass::undecided));
}

TEST(LinkSpeed, FasterDeviceThanPortIsLimited) {
  Link link = make_link(kCard, kPort, 8000);
  link.device_end.max_speed = LinkSpeed{16000};
  const Finding finding = judge_speed(EvidenceBuilder::inspect().link(link));
  EXPECT_THAT(finding, Is("LB-PCIE-LIMITED", FindingClass::limited));
  EXPECT_EQ(finding.limiter, id(kPort));
  link = make_link(kCard, kPort, 8000);
  link.peer_end.max_speed = LinkSpeed{16000};
  EXPECT_THAT(judge_speed(EvidenceBuilder::inspect().link(link)),
              Is("LB-HEALTHY", FindingClass::healthy));
}

TEST(LinkSpeed, IdleLinkThatReachesItsRatingUnderLoadIsHealthy) {
  EvidenceBuilder builder = loaded(slow_link());
  speed(builder, 10.5, 16);
  speed(builder, 20, 16).end_step("h2d-1");
  const Finding finding = judge_speed(builder);
  EXPECT_THAT(finding, Is("LB-HEALTHY", FindingClass::healthy));
  EXPECT_EQ(finding.negotiated.speed_gts, 16);
}

TEST(LinkSpeed, BelowRatingUnderLoadIsDegraded) {
  EvidenceBuilder builder = loaded(slow_link());
  speed(builder, 11, 8);
  speed(builder, 20, 8).end_step("h2d-1");
  const Finding finding = judge_speed(builder);
  EXPECT_THAT(finding, Is("LB-PCIE-SPEED", FindingClass::degraded));
  EXPECT_EQ(finding.negotiated.text, "8.0 GT/s x16");
  EXPECT_EQ(finding.phase, Phase::measure);
}

TEST(LinkSpeed, ALoadOnThePortAboveIsALoadOnTheLink) {
  EvidenceBuilder builder = EvidenceBuilder::run();
  builder.link(slow_link()).plan_step("h2d-1", kCard, {kPort}).start_step("h2d-1");
  speed(builder, 5, 8).end_step("h2d-1");
  EXPECT_THAT(judge_speed(builder), Is("LB-PCIE-SPEED", FindingClass::degraded));
}

TEST(LinkSpeed, OneDropThatReturnsIsMarginalTwoAreDegraded) {
  EvidenceBuilder builder = loaded(make_link(kCard, kPort));
  speed(builder, 11, 16);
  speed(builder, 12, 8);
  speed(builder, 13, 16);
  EvidenceBuilder once = builder;
  const Finding finding = judge_speed(once.end_step("h2d-1"));
  EXPECT_THAT(finding, Is("LB-PCIE-RETRAIN", FindingClass::marginal));
  EXPECT_EQ(finding.at_ns, 12'000'000'000);
  speed(builder, 14, 8);
  speed(builder, 15, 16);
  EXPECT_THAT(judge_speed(builder.end_step("h2d-1")),
              Is("LB-PCIE-RETRAIN", FindingClass::degraded));
}

TEST(LinkSpeed, ADropThatDoesNotReturnIsDegraded) {
  EvidenceBuilder builder = loaded(make_link(kCard, kPort));
  speed(builder, 11, 16);
  speed(builder, 15, 8).end_step("h2d-1");
  EXPECT_THAT(judge_speed(builder), Is("LB-PCIE-SPEED", FindingClass::degraded));
}

TEST(LinkSpeed, ALinkMayTakeOneSecondOfLoadToWake) {
  EvidenceBuilder within = loaded(slow_link());
  speed(within, 10.1, 2.5);
  speed(within, 11.0, 16).at(20).end_step("h2d-1");
  EXPECT_THAT(judge_speed(within), Is("LB-HEALTHY", FindingClass::healthy));
  EvidenceBuilder beyond = loaded(slow_link());
  speed(beyond, 10.1, 2.5);
  speed(beyond, 11.1, 16).at(20).end_step("h2d-1");
  EXPECT_THAT(judge_speed(beyond), Is("LB-PCIE-RETRAIN", FindingClass::marginal));
}

TEST(LinkSpeed, OtherPhasesNeverMakeAFinding) {
  for (const Phase phase : {Phase::idle, Phase::warm_up, Phase::cool_down}) {
    EvidenceBuilder builder = loaded(make_link(kCard, kPort));
    speed(builder, 11, 16);
    speed(builder, 12, 2.5, phase);
    builder.end_step("h2d-1");
    EXPECT_THAT(judge_speed(builder), Is("LB-HEALTHY", FindingClass::healthy));
  }
}

TEST(LinkSpeed, AReadingAfterTheLoadEndedDoesNotCount) {
  EvidenceBuilder builder = loaded(make_link(kCard, kPort));
  speed(builder, 11, 16);
  builder.at(20).end_step("h2d-1");
  speed(builder, 20.1, 2.5);
  EXPECT_THAT(judge_speed(builder), Is("LB-HEALTHY", FindingClass::healthy));
}

TEST(LinkSpeed, ALoadElsewhereOrNotCompletedProvesNothing) {
  EvidenceBuilder elsewhere = EvidenceBuilder::run();
  elsewhere.link(slow_link()).plan_step("h2d-1", "0000:65:00.0", {"0000:65:00.0"});
  elsewhere.start_step("h2d-1");
  speed(elsewhere, 5, 2.5).end_step("h2d-1");
  EXPECT_THAT(judge_speed(elsewhere), Is("LB-NEEDS-LOAD", FindingClass::undecided));

  EvidenceBuilder broken = loaded(slow_link());
  speed(broken, 15, 2.5).end_step("h2d-1", "error");
  EXPECT_THAT(judge_speed(broken), Is("LB-NEEDS-LOAD", FindingClass::undecided));
}

TEST(LinkSpeed, ReadingsOfAnotherStepDoNotCount) {
  EvidenceBuilder builder = loaded(make_link(kCard, kPort));
  speed(builder, 11, 16).end_step("h2d-1");
  builder.at(30).reading(kCard, "link_speed", 2.5, Phase::measure, "h2d-2");
  EXPECT_THAT(judge_speed(builder), Is("LB-HEALTHY", FindingClass::healthy));
}

TEST(LinkSpeed, AReadingWithoutAStepCountsByItsTime) {
  EvidenceBuilder builder = loaded(make_link(kCard, kPort));
  builder.at(15).reading(kCard, "link_speed", 8, Phase::measure).at(20).end_step("h2d-1");
  EXPECT_THAT(judge_speed(builder), Is("LB-PCIE-SPEED", FindingClass::degraded));
}

TEST(LinkSpeed, ALinkSeenAtItsRatingOnceNeedsNoLoad) {
  EXPECT_THAT(judge_speed(EvidenceBuilder::run()
                              .link(slow_link())
                              .reading(kCard, "link_speed", 16, Phase::warm_up)),
              Is("LB-HEALTHY", FindingClass::healthy));
}

TEST(LinkSpeed, ZeroUnderLoadIsNoSpeed) {
  EvidenceBuilder builder = loaded(make_link(kCard, kPort));
  speed(builder, 11, 0);
  speed(builder, 12, 16).end_step("h2d-1");
  EXPECT_THAT(judge_speed(builder), Is("LB-HEALTHY", FindingClass::healthy));
}

TEST(LinkSpeed, UnreadableUnderLoadIsUndecided) {
  EvidenceBuilder builder = loaded(slow_link());
  builder.at(15).reading(kCard, "link_speed", std::nullopt, Phase::measure, "h2d-1");
  builder.end_step("h2d-1");
  EXPECT_THAT(judge_speed(builder), Is("LB-NO-EVIDENCE", FindingClass::undecided));
}

EvidenceBuilder with_site(const std::string& gts) {
  return EvidenceBuilder::inspect().record(SiteText{
      "site.toml", "schema = 1\n[[slot]]\naddress = \"17:00.0\"\nspeed_gts = " + gts + "\n"});
}

TEST(LinkSpeed, TheSitesWordCounts) {
  const Link link = make_link("0000:17:00.0", "0000:16:00.0");
  Finding finding = only_finding(link_speed_rule, with_site("32").link(link).finish());
  EXPECT_THAT(finding, Is("LB-NEEDS-LOAD", FindingClass::undecided));
  EXPECT_EQ(finding.origin, "site file site.toml:2");
  finding = only_finding(link_speed_rule, with_site("8").link(link).finish());
  EXPECT_THAT(finding, Is("LB-HEALTHY", FindingClass::healthy));
  EXPECT_THAT(finding.detail, testing::HasSubstr("more than the site expects"));
}

}  // namespace
}  // namespace linkburn
