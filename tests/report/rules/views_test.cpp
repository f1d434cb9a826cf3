#include "report/rules/views.h"

#include <gtest/gtest.h>

#include "report/verdict.h"
#include "tests/report/rules/apply_rule.h"
#include "tests/support/evidence_builder.h"

namespace linkburn {
namespace {

using testing::HasSubstr;
constexpr auto kCard = "0000:17:00.0";
constexpr auto kPort = "0000:16:00.0";

EndView view(std::string_view source, int lanes, int max_lanes = 16, int mts = 16000,
             int max_mts = 16000) {
  return {std::string(source), LinkSpeed{mts}, LinkSpeed{max_mts}, LinkWidth{lanes},
          LinkWidth{max_lanes}};
}

Link link_with(std::vector<EndView> views) {
  Link link = make_link(kCard, kPort);
  link.device_end.width = views.front().width;
  link.device_end.speed = views.front().speed;
  link.device_end.source = views.front().source;
  link.device_end.views = std::move(views);
  return link;
}

Finding judged(const Link& link, bool captured = true) {
  EvidenceBuilder builder = EvidenceBuilder::inspect().link(link);
  if (captured) builder.record(CapturePart{});
  const Verdict verdict = judge(builder.finish());
  EXPECT_EQ(verdict.findings.size(), 1U);
  return verdict.findings.empty() ? Finding{} : verdict.findings.front();
}

TEST(Views, ASingleSourceHasNothingToDisagreeWith) {
  const Evidence evidence = EvidenceBuilder::inspect().link(make_link(kCard, kPort)).finish();
  const Story story = Story::of(evidence);
  EXPECT_FALSE(disagreement(story, *story.links[0].link, LinkWidth{16}));
  EXPECT_FALSE(fastest_view(*story.links[0].link));
}

TEST(Views, SourcesThatAgreeAreNotMentioned) {
  const Finding finding = judged(link_with({view("lspci", 16), view("files", 16)}));
  EXPECT_EQ(finding.cls, FindingClass::healthy);
  EXPECT_THAT(finding.detail, testing::Not(HasSubstr("disagree")));
}

TEST(Views, TheNearerSourceWinsAndTheOtherIsTold) {
  const Finding narrow = judged(link_with({view("config", 8), view("lspci", 16)}));
  EXPECT_EQ(narrow.cls, FindingClass::degraded);
  EXPECT_THAT(narrow.detail, HasSubstr("the text of lspci: x16"));
  const Finding full = judged(link_with({view("files", 16), view("nvidia-smi", 8)}));
  EXPECT_EQ(full.cls, FindingClass::healthy);
  EXPECT_THAT(full.detail, HasSubstr("nvidia-smi: x8"));
}

TEST(Views, EquallyGoodSourcesSettleNothingWhenOneIsBelowTheRating) {
  EXPECT_EQ(judged(link_with({view("lspci", 16), view("files", 8)})).cls, FindingClass::undecided);
  EXPECT_EQ(judged(link_with({view("lspci", 8), view("files", 16)})).cls, FindingClass::undecided);
  EXPECT_EQ(judged(link_with({view("lspci", 8), view("files", 4)})).cls, FindingClass::degraded)
      << "both are below";
}

TEST(Views, SpeedsOfDifferentMomentsAreNoDisagreement) {
  const Finding finding =
      judged(link_with({view("lspci", 16, 16, 2500), view("files", 16, 16, 16000)}));
  EXPECT_EQ(finding.cls, FindingClass::healthy);
  EXPECT_THAT(finding.detail, testing::Not(HasSubstr("disagree")));
}

TEST(Views, ADriversMaximumIsThatOfTheSystem) {
  const Finding finding =
      judged(link_with({view("lspci", 16), view("nvidia-smi", 16, 16, 16000, 8000)}));
  EXPECT_THAT(finding.detail, testing::Not(HasSubstr("disagree")));
}

TEST(Views, EndsThatWereCapturedApartSettleNothing) {
  Link link = make_link(kCard, kPort);
  link.device_end.width = LinkWidth{8};
  link.device_end.source = "lspci";
  link.peer_end.source = "files";
  EXPECT_EQ(judged(link).cls, FindingClass::undecided);
  EXPECT_EQ(judged(link, false).cls, FindingClass::degraded) << "read together";
}

}  // namespace
}  // namespace linkburn
