// Verdicts on texts that other tools printed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/verdict.h"
#include "tests/support/evidence_builder.h"

namespace linkburn {
namespace {

using testing::Contains;
using testing::HasSubstr;

TEST(CapturedVerdict, WhenATextWasReadIsNotWhenItHappened) {
  Link link = make_link("0000:17:00.0", "0000:16:00.0");
  link.device_end.width = LinkWidth{8};
  const Verdict verdict = judge(EvidenceBuilder::inspect()
                                    .at(1)
                                    .link(link)
                                    .record(CapturePart{"lspci.txt", "lspci", 1, 40, 0, {}})
                                    .finish());
  ASSERT_EQ(verdict.findings.size(), 1U);
  EXPECT_EQ(verdict.findings[0].when, "");
  EXPECT_FALSE(verdict.findings[0].at_ns || verdict.findings[0].phase);
}

TEST(CapturedVerdict, WhatTwoQuestionsLackIsSaidOnce) {
  Link link = make_link("0000:17:00.0", "0000:16:00.0");
  link.peer = {}, link.peer_end = {};
  link.kind = kLinkLoneEnd;
  link.device_end.width = LinkWidth{8}, link.device_end.speed = LinkSpeed{2500};
  const Verdict verdict = judge(EvidenceBuilder::inspect()
                                    .link(link)
                                    .device(make_device("0000:17:00.0"))
                                    .record(CapturePart{"lspci.txt", "lspci", 1, 40, 0, {}})
                                    .finish());
  ASSERT_EQ(verdict.findings.size(), 1U);
  const std::string& missing = verdict.findings[0].missing;
  EXPECT_THAT(missing, HasSubstr("under load"));
  EXPECT_THAT(missing, HasSubstr("LnkCap"));
  EXPECT_EQ(missing.find("LnkCap"), missing.rfind("LnkCap")) << missing;
}

TEST(CapturedVerdict, WhereOnlyRatesWereJudgedLinksAreWhatIsMissing) {
  EvidenceBuilder builder = EvidenceBuilder::inspect();
  for (int i = 0; i < 8; ++i)
    for (const char* direction : {"h2d", "d2h"}) {
      Measurement copy;
      copy.direction = copy.test = direction;
      copy.component = ComponentId::gpu(i);
      copy.rate_gbs = i == 3 ? 20 : 50;
      builder.record(copy);
    }
  builder.record(CapturePart{"a.txt", "nvbandwidth", 1, 40, 0, {}});
  const Verdict verdict = judge(builder.finish());
  EXPECT_EQ(verdict.outcome, Outcome::fail);
  EXPECT_THAT(verdict.reasons, Contains(HasSubstr("measured rates alone were judged")));
}

}  // namespace
}  // namespace linkburn
