#include <gtest/gtest.h>

#include "tests/report/rules/apply_rule.h"
#include "tests/support/evidence_builder.h"

namespace linkburn {
namespace {

using testing::HasSubstr;
constexpr auto kCard = "0000:17:00.0";
constexpr auto kPort = "0000:16:00.0";

Finding judge_width(const Link& link) {
  return only_finding(link_width_rule, EvidenceBuilder::inspect().link(link).finish());
}

Finding judge_width(const EvidenceBuilder& builder) {
  return only_finding(link_width_rule, builder.finish());
}

EvidenceBuilder run_with_link() { return EvidenceBuilder::run().link(make_link(kCard, kPort)); }

TEST(LinkWidth, AtRatingIsHealthy) {
  const Finding finding = judge_width(make_link(kCard, kPort));
  EXPECT_THAT(finding, Is("LB-HEALTHY", FindingClass::healthy));
  EXPECT_EQ(finding.negotiated.text, "16.0 GT/s x16");
  EXPECT_EQ(finding.rated.text, "16.0 GT/s x16");
}

TEST(LinkWidth, OneStepBelowRatingIsDegraded) {
  Link link = make_link(kCard, kPort);
  link.device_end.width = link.peer_end.width = LinkWidth{12};
  const Finding finding = judge_width(link);
  EXPECT_THAT(finding, Is("LB-PCIE-WIDTH", FindingClass::degraded));
  EXPECT_EQ(finding.negotiated.text, "16.0 GT/s x12");
  EXPECT_EQ(finding.limit.width, 16);
  EXPECT_EQ(finding.origin, "lower capability of the two ends");
  EXPECT_THAT(finding.evidence, testing::ElementsAre(2));
}

TEST(LinkWidth, LowerEndCountsWhenTheEndsDisagree) {
  Link link = make_link(kCard, kPort);
  link.peer_end.width = LinkWidth{8};
  const Finding finding = judge_width(link);
  EXPECT_THAT(finding, Is("LB-PCIE-WIDTH", FindingClass::degraded));
  EXPECT_THAT(finding.detail, HasSubstr("x16 at 0000:17:00.0, x8 at 0000:16:00.0"));
}

TEST(LinkWidth, OneEndIsEnoughForWhatIsNegotiated) {
  Link link = make_link(kCard, kPort);
  link.peer_end.width.reset();
  EXPECT_THAT(judge_width(link), Is("LB-HEALTHY", FindingClass::healthy));
  link.device_end.width = LinkWidth{8};
  EXPECT_THAT(judge_width(link), Is("LB-PCIE-WIDTH", FindingClass::degraded));
}

TEST(LinkWidth, WiderPortThanDeviceIsHealthy) {
  Link link = make_link(kCard, kPort, 16000, 8);
  link.peer_end.max_width = LinkWidth{16};
  EXPECT_THAT(judge_width(link), Is("LB-HEALTHY", FindingClass::healthy));
}

TEST(LinkWidth, WiderDeviceThanPortIsLimitedByThePort) {
  Link link = make_link(kCard, kPort, 16000, 8);
  link.device_end.max_width = LinkWidth{16};
  const Finding finding = judge_width(link);
  EXPECT_THAT(finding, Is("LB-PCIE-LIMITED", FindingClass::limited));
  EXPECT_EQ(finding.limiter, id(kPort));
  EXPECT_THAT(finding.detail, HasSubstr("could do x16"));
}

TEST(LinkWidth, MissingRatingIsUndecidedAndNamesTheFile) {
  Link link = make_link(kCard, kPort);
  link.peer_end.max_width.reset();
  Finding finding = judge_width(link);
  EXPECT_THAT(finding, Is("LB-NO-EVIDENCE", FindingClass::undecided));
  EXPECT_THAT(finding.missing, HasSubstr("max_link_width of 0000:16:00.0"));
  link = make_link(kCard, kPort);
  link.device_end.max_width = LinkWidth{255};
  finding = judge_width(link);
  EXPECT_THAT(finding, Is("LB-NO-EVIDENCE", FindingClass::undecided));
  EXPECT_THAT(finding.missing, HasSubstr("max_link_width of 0000:17:00.0"));
}

TEST(LinkWidth, ATextHasRegistersAndNoFiles) {
  Link link = make_link(kCard, kPort);
  link.peer_end.source = "lspci";
  link.peer_end.max_width.reset();
  const Finding finding = judge_width(link);
  EXPECT_THAT(finding, Is("LB-NO-EVIDENCE", FindingClass::undecided));
  EXPECT_EQ(finding.missing, "the link width in LnkCap of 0000:16:00.0 (lspci -vvv as root)");
}

TEST(LinkWidth, MissingWidthIsUndecided) {
  Link link = make_link(kCard, kPort);
  link.device_end.width.reset();
  link.peer_end.width = LinkWidth{255};
  const Finding finding = judge_width(link);
  EXPECT_THAT(finding, Is("LB-NO-EVIDENCE", FindingClass::undecided));
  EXPECT_THAT(finding.missing, HasSubstr("current_link_width"));
}

TEST(LinkWidth, OneEndWithoutFilesIsUndecidedAndNamed) {
  Link link = make_link(kCard, kPort);
  link.peer_end = {};
  const Finding finding = judge_width(link);
  EXPECT_THAT(finding, Is("LB-NO-EVIDENCE", FindingClass::undecided));
  EXPECT_EQ(finding.missing, "the link files of 0000:16:00.0");
}

TEST(LinkWidth, ZeroIsUndecidedNeverDegraded) {
  Link link = make_link(kCard, kPort);
  link.device_end.width = LinkWidth{0};
  EXPECT_THAT(judge_width(link), Is("LB-NO-EVIDENCE", FindingClass::undecided));
}

TEST(LinkWidth, AboveRatingIsUndecided) {
  Link link = make_link(kCard, kPort);
  link.peer_end.max_width = LinkWidth{8};
  const Finding finding = judge_width(link);
  EXPECT_THAT(finding, Is("LB-NO-EVIDENCE", FindingClass::undecided));
  EXPECT_THAT(finding.detail, HasSubstr("disagree"));
}

EvidenceBuilder with_site(const std::string& width) {
  return EvidenceBuilder::inspect().record(SiteText{
      "site.toml", "schema = 1\n[[slot]]\naddress = \"17:00.0\"\nwidth = " + width + "\n"});
}

TEST(LinkWidth, TheSitesWordNeedsNoRegisterToAgreeWithIt) {
  Link link = make_link(kCard, kPort);
  link.device_end.max_width.reset();
  link.peer_end = {};
  EXPECT_THAT(judge_width(with_site("16").link(link)), Is("LB-HEALTHY", FindingClass::healthy));
  link.device_end.width = LinkWidth{8};
  const Finding finding = judge_width(with_site("16").link(link));
  EXPECT_THAT(finding, Is("LB-PCIE-WIDTH", FindingClass::degraded));
  EXPECT_EQ(finding.origin, "site file site.toml:2");
  link.device_end.width.reset();
  EXPECT_THAT(judge_width(with_site("16").link(link)),
              Is("LB-NO-EVIDENCE", FindingClass::undecided));
}

TEST(LinkWidth, BothEndsThatClaimLessThanTheSiteAreDegraded) {
  EXPECT_THAT(judge_width(with_site("16").link(make_link(kCard, kPort, 16000, 8))),
              Is("LB-PCIE-WIDTH", FindingClass::degraded));
}

TEST(LinkWidth, MoreThanTheSiteExpectsIsNoFault) {
  const Finding finding = judge_width(with_site("8").link(make_link(kCard, kPort)));
  EXPECT_THAT(finding, Is("LB-HEALTHY", FindingClass::healthy));
  EXPECT_THAT(finding.detail, HasSubstr("more than the site expects"));
}

TEST(LinkWidth, LinksThatPresenceSpeaksForAreSilentHere) {
  Link no_files = make_link(kCard, kPort);
  no_files.device_end = no_files.peer_end = {};
  Link dead = make_link(kCard, kPort);
  dead.device_end.all_ones = true;
  Link asleep = make_link(kCard, kPort);
  asleep.device_end.runtime_status = "suspended";
  for (const Link& link : {no_files, dead, asleep})
    EXPECT_TRUE(apply_rule(link_width_rule, EvidenceBuilder::inspect().link(link).finish())
                    .findings.empty());
}

TEST(LinkWidth, SleepingLinkIsUndecidedInARun) {
  Link asleep = make_link(kCard, kPort);
  asleep.device_end = {};
  asleep.device_end.files = true;
  asleep.device_end.runtime_status = "suspended";
  EXPECT_THAT(judge_width(EvidenceBuilder::run().link(asleep)),
              Is("LB-DEV-ASLEEP", FindingClass::undecided));
}

TEST(LinkWidth, OneCleanDropIsMarginalInAnyPhase) {
  for (const Phase phase : {Phase::idle, Phase::warm_up, Phase::measure, Phase::cool_down}) {
    const Finding finding = judge_width(run_with_link()
                                            .at(10)
                                            .transition(kCard, "link_width", 16, 8, phase)
                                            .at(12)
                                            .transition(kCard, "link_width", 8, 16, phase));
    EXPECT_THAT(finding, Is("LB-PCIE-RETRAIN", FindingClass::marginal));
    EXPECT_EQ(finding.phase, phase);
    EXPECT_EQ(finding.at_ns, 10'000'000'000);
    EXPECT_THAT(finding.detail, HasSubstr("fell to x8 after 10.0 s and returned after 2.0 s"));
  }
}

TEST(LinkWidth, ADropInStepsIsOneDrop) {
  EXPECT_THAT(judge_width(run_with_link()
                              .transition(kCard, "link_width", 16, 8)
                              .transition(kCard, "link_width", 8, 4)
                              .transition(kCard, "link_width", 4, 8)
                              .transition(kCard, "link_width", 8, 16)),
              Is("LB-PCIE-RETRAIN", FindingClass::marginal));
}

TEST(LinkWidth, TheSameDropSeenFromBothEndsIsOne) {
  EXPECT_THAT(judge_width(run_with_link()
                              .transition(kCard, "link_width", 16, 8)
                              .transition(kPort, "link_width", 16, 8)
                              .transition(kCard, "link_width", 8, 16)
                              .transition(kPort, "link_width", 8, 16)),
              Is("LB-PCIE-RETRAIN", FindingClass::marginal));
}

TEST(LinkWidth, TwoDropsAreDegraded) {
  const Finding finding = judge_width(run_with_link()
                                          .transition(kCard, "link_width", 16, 8)
                                          .transition(kCard, "link_width", 8, 16)
                                          .transition(kCard, "link_width", 16, 8)
                                          .transition(kCard, "link_width", 8, 16));
  EXPECT_THAT(finding, Is("LB-PCIE-RETRAIN", FindingClass::degraded));
  EXPECT_THAT(finding.detail, HasSubstr("2 times"));
}

TEST(LinkWidth, ADropThatDoesNotReturnIsDegraded) {
  const Finding finding = judge_width(run_with_link()
                                          .at(60)
                                          .reading(kPort, "link_width", 16)
                                          .at(61)
                                          .reading(kPort, "link_width", 8));
  EXPECT_THAT(finding, Is("LB-PCIE-WIDTH", FindingClass::degraded));
  EXPECT_EQ(finding.negotiated.width, 8);
  EXPECT_THAT(finding.detail, HasSubstr("did not return"));
}

TEST(LinkWidth, LowAtDiscoveryThatReturnsIsARetrain) {
  Link link = make_link(kCard, kPort);
  link.device_end.width = link.peer_end.width = LinkWidth{8};
  EXPECT_THAT(judge_width(EvidenceBuilder::run()
                              .link(link)
                              .reading(kCard, "link_width", 16)
                              .reading(kPort, "link_width", 16)),
              Is("LB-PCIE-RETRAIN", FindingClass::marginal));
}

TEST(LinkWidth, NonsenseInARunIsNoDrop) {
  for (const std::optional<double> value :
       {std::optional<double>(0), std::optional<double>(255), std::optional<double>(-8),
        std::optional<double>(1e300)})
    EXPECT_THAT(
        judge_width(
            run_with_link().reading(kCard, "link_width", value).reading(kCard, "link_width", 16)),
        Is("LB-HEALTHY", FindingClass::healthy));
}

TEST(LinkWidth, UnreadableAtTheEndIsUndecided) {
  EXPECT_THAT(judge_width(run_with_link()
                              .reading(kCard, "link_width", 16)
                              .reading(kCard, "link_width", std::nullopt)
                              .reading(kPort, "link_width", std::nullopt)),
              Is("LB-NO-EVIDENCE", FindingClass::undecided));
}

}  // namespace
}  // namespace linkburn
