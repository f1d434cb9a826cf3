#include <gtest/gtest.h>

#include "tests/report/rules/apply_rule.h"
#include "tests/support/evidence_builder.h"

namespace linkburn {
namespace {

using testing::HasSubstr;
constexpr auto kCard = "0000:17:00.0";
constexpr auto kPort = "0000:16:00.0";

Link silent_link() {
  Link link = make_link(kCard, kPort);
  link.device_end = {};
  link.device_end.files = true;
  link.device_end.all_ones = true;
  return link;
}

Link sleeping_link() {
  Link link = make_link(kCard, kPort);
  link.device_end = {};
  link.device_end.files = true;
  link.device_end.runtime_status = "suspended";
  return link;
}

Finding judge_presence(const EvidenceBuilder& builder) {
  return only_finding(presence_rule, builder.finish());
}

TEST(Presence, AnsweringDeviceIsHealthy) {
  const Finding finding = judge_presence(EvidenceBuilder::inspect().link(make_link(kCard, kPort)));
  EXPECT_THAT(finding, Is("LB-HEALTHY", FindingClass::healthy));
  EXPECT_EQ(finding.aspect, Aspect::presence);
}

TEST(Presence, AllOnesAtDiscoveryIsLostAndNotDegraded) {
  const Finding finding = judge_presence(EvidenceBuilder::inspect().link(silent_link()));
  EXPECT_THAT(finding, Is("LB-DEV-LOST", FindingClass::lost));
  EXPECT_EQ(finding.phase, Phase::passive);
  EXPECT_TRUE(finding.negotiated.empty());
}

TEST(Presence, PortThatReadsAllOnesIsNamed) {
  Link link = make_link(kCard, kPort);
  link.peer_end.all_ones = true;
  const Finding finding = judge_presence(EvidenceBuilder::inspect().link(link));
  EXPECT_THAT(finding, Is("LB-DEV-LOST", FindingClass::lost));
  EXPECT_THAT(finding.detail, HasSubstr(kPort));
}

TEST(Presence, LossInARunHasItsPhaseAndTime) {
  const Finding by_transition =
      judge_presence(EvidenceBuilder::run()
                         .link(make_link(kCard, kPort))
                         .at(12.5)
                         .transition(kCard, "presence", 1, 0, Phase::measure));
  EXPECT_THAT(by_transition, Is("LB-DEV-LOST", FindingClass::lost));
  EXPECT_EQ(by_transition.phase, Phase::measure);
  EXPECT_EQ(by_transition.at_ns, 12'500'000'000);
  EXPECT_THAT(by_transition.evidence, testing::ElementsAre(2, 3));

  EXPECT_THAT(judge_presence(EvidenceBuilder::run()
                                 .link(make_link(kCard, kPort))
                                 .reading(kCard, "presence", 0, Phase::idle)),
              Is("LB-DEV-LOST", FindingClass::lost));
  EXPECT_THAT(judge_presence(EvidenceBuilder::run()
                                 .link(make_link(kCard, kPort))
                                 .reading(kPort, "link_width", 63, Phase::idle)),
              Is("LB-DEV-LOST", FindingClass::lost));
}

TEST(Presence, ADeviceThatCameBackWasStillLost) {
  const Finding finding = judge_presence(EvidenceBuilder::run()
                                             .link(make_link(kCard, kPort))
                                             .at(10)
                                             .transition(kCard, "presence", 1, 0)
                                             .at(14)
                                             .transition(kCard, "presence", 0, 1));
  EXPECT_THAT(finding, Is("LB-DEV-LOST", FindingClass::lost));
  EXPECT_THAT(finding.detail, HasSubstr("10.0 s to 14.0 s"));
}

TEST(Presence, UnreadablePresenceIsNotALoss) {
  EXPECT_THAT(judge_presence(EvidenceBuilder::run()
                                 .link(make_link(kCard, kPort))
                                 .reading(kCard, "presence", std::nullopt)),
              Is("LB-HEALTHY", FindingClass::healthy));
}

TEST(Presence, SleepingDeviceIsUndecidedInARun) {
  const Finding finding = judge_presence(EvidenceBuilder::run().link(sleeping_link()));
  EXPECT_THAT(finding, Is("LB-DEV-ASLEEP", FindingClass::undecided));
  EXPECT_EQ(finding.missing, "look again while it is in use");
}

TEST(Presence, SleepingDeviceIsOnlyNotJudgedInAnInspect) {
  const RuleOutput out =
      apply_rule(presence_rule, EvidenceBuilder::inspect().link(sleeping_link()).finish());
  EXPECT_TRUE(out.findings.empty());
  ASSERT_EQ(out.not_judged.size(), 1U);
  EXPECT_THAT(out.not_judged[0].why, HasSubstr("asleep"));
}

TEST(Presence, SleepNeverCountsAsLost) {
  Link link = silent_link();
  link.device_end.runtime_status = "suspended";
  EXPECT_THAT(judge_presence(EvidenceBuilder::run().link(link)),
              Is("LB-DEV-ASLEEP", FindingClass::undecided));
  link = silent_link();
  link.peer_end.runtime_status = "suspended";
  EXPECT_THAT(judge_presence(EvidenceBuilder::run().link(link)),
              Is("LB-DEV-ASLEEP", FindingClass::undecided));
  EXPECT_THAT(judge_presence(
                  EvidenceBuilder::run().link(sleeping_link()).transition(kCard, "presence", 1, 0)),
              Is("LB-DEV-ASLEEP", FindingClass::undecided));
  EXPECT_THAT(judge_presence(EvidenceBuilder::run()
                                 .link(sleeping_link())
                                 .reading(kCard, "presence", 1)
                                 .transition(kCard, "presence", 1, 0)),
              Is("LB-NO-EVIDENCE", FindingClass::undecided));
}

TEST(Presence, SleeperThatWokeUpInTheRunIsHealthy) {
  EXPECT_THAT(
      judge_presence(EvidenceBuilder::run().link(sleeping_link()).reading(kCard, "presence", 1)),
      Is("LB-HEALTHY", FindingClass::healthy));
}

TEST(Presence, LinkWithoutAnyFilesIsNotJudged) {
  Link link = make_link(kCard, kPort);
  link.device_end = link.peer_end = {};
  const RuleOutput out = apply_rule(presence_rule, EvidenceBuilder::inspect().link(link).finish());
  EXPECT_TRUE(out.findings.empty());
  ASSERT_EQ(out.not_judged.size(), 1U);
  EXPECT_THAT(out.not_judged[0].why, HasSubstr("no link files"));
}

/// A port without a device below it.
Component bare_port(std::map<std::string, std::string> facts) {
  Component port = make_device(kPort);
  port.type = "bridge";
  port.port_type = "root_port";
  port.facts = std::move(facts);
  port.facts["empty"] = "yes";
  return port;
}

TEST(Presence, AnEmptySlotAndAPortThatDoesNotTellSayNothing) {
  for (const Component& port : {bare_port({}), bare_port({{"card_present", "no"}})}) {
    const RuleOutput out =
        apply_rule(presence_rule, EvidenceBuilder::inspect().device(port).finish());
    EXPECT_TRUE(out.findings.empty());
    EXPECT_TRUE(out.not_judged.empty());
  }
}

TEST(Presence, ACardWithoutADeviceIsUndecidedUnlessTheSiteTellsWhatBelongsThere) {
  const Component port = bare_port({{"card_present", "yes"}, {"data_link_active", "no"}});
  const Finding finding = judge_presence(EvidenceBuilder::inspect().device(port));
  EXPECT_THAT(finding, Is("LB-NO-EVIDENCE", FindingClass::undecided));
  EXPECT_EQ(finding.component, id(kPort));
  EXPECT_THAT(finding.detail, HasSubstr("its link is not up"));
  EXPECT_THAT(finding.missing, HasSubstr("site file"));
  EvidenceBuilder known = EvidenceBuilder::inspect().device(port);
  known.record(SiteText{"site.toml", "schema = 1\n[expect]\ngpu = 0\n"});
  const RuleOutput out = apply_rule(presence_rule, known.finish());
  EXPECT_TRUE(out.findings.empty());
  EXPECT_EQ(out.not_judged.size(), 1U);
}

}  // namespace
}  // namespace linkburn
