#include <gtest/gtest.h>

#include "tests/report/rules/apply_rule.h"
#include "tests/support/evidence_builder.h"

namespace linkburn {
namespace {

using testing::HasSubstr;
constexpr auto kCard = "0000:17:00.0";
constexpr auto kPort = "0000:16:00.0";

/// Ten minutes of run in which one counter goes from 5 to `last`.
Finding judge_delta(std::string_view name, std::int64_t last, const char* end = kCard) {
  return only_finding(aer_rule, EvidenceBuilder::run()
                                    .link(make_link(kCard, kPort))
                                    .counter(end, name, 5, true, Phase::idle)
                                    .at(600)
                                    .counter(end, name, last)
                                    .finish());
}

/// `days` after boot, one counter at `count`.
Finding judge_since_boot(std::string_view name, std::int64_t count, std::string_view uptime_s) {
  return only_finding(aer_rule, EvidenceBuilder::inspect()
                                    .link(make_link(kCard, kPort))
                                    .part("uptime", "found", uptime_s)
                                    .counter(kCard, name, count, false, Phase::passive)
                                    .finish());
}

TEST(Aer, NoNewErrorsAreHealthyWhateverStoodThereBefore) {
  EXPECT_THAT(judge_delta("aer_correctable/BadTLP", 5), Is("LB-HEALTHY", FindingClass::healthy));
}

TEST(Aer, PacketErrorsWarnAndAboveOnePerMinuteFail) {
  for (const char* kind :
       {"BadTLP", "BadDLLP", "Timeout", "Bad TLP", "Bad DLLP", "Replay Timer Timeout"}) {
    const std::string name = std::string("aer_correctable/") + kind;
    EXPECT_THAT(judge_delta(name, 6), Is("LB-AER-CORRECTED", FindingClass::marginal)) << kind;
    EXPECT_THAT(judge_delta(name, 15), Is("LB-AER-CORRECTED", FindingClass::marginal)) << kind;
    EXPECT_THAT(judge_delta(name, 16), Is("LB-AER-CORRECTED", FindingClass::degraded)) << kind;
  }
}

TEST(Aer, ASingleErrorHasNoRate) {
  const auto in_ten_seconds = [](std::int64_t last) {
    return only_finding(aer_rule, EvidenceBuilder::run()
                                      .link(make_link(kCard, kPort))
                                      .counter(kCard, "aer_correctable/BadTLP", 0, true)
                                      .at(10)
                                      .counter(kCard, "aer_correctable/BadTLP", last)
                                      .finish());
  };
  EXPECT_THAT(in_ten_seconds(1), Is("LB-AER-CORRECTED", FindingClass::marginal));
  EXPECT_THAT(in_ten_seconds(2), Is("LB-AER-CORRECTED", FindingClass::degraded));
}

TEST(Aer, ARolloverSinceBootWarnsAndFailsOnlyWhenTheyKeepComing) {
  EXPECT_THAT(judge_since_boot("aer_correctable/Rollover", 1, "86400"),
              Is("LB-AER-CORRECTED", FindingClass::marginal));
  EXPECT_THAT(judge_since_boot("aer_correctable/Rollover", 5, "240"),
              Is("LB-AER-CORRECTED", FindingClass::degraded));
}

TEST(Aer, RefusedRequestsAreNoLinkFaultAndExplainTheTotal) {
  const auto judge_with = [](std::int64_t refused, std::int64_t malformed) {
    EvidenceBuilder builder = EvidenceBuilder::run();
    builder.link(make_link(kCard, kPort));
    for (const std::int64_t factor : {0, 1})
      builder.at(static_cast<double>(factor) * 600)
          .counter(kCard, "aer_nonfatal/UnsupReq", factor * refused, factor == 0)
          .counter(kCard, "aer_nonfatal/MalfTLP", factor * malformed, factor == 0)
          .counter(kCard, "aer_nonfatal/TOTAL_ERR_NONFATAL", factor * (refused + malformed),
                   factor == 0);
    return only_finding(aer_rule, builder.finish());
  };
  EXPECT_THAT(judge_with(3, 0), Is("LB-HEALTHY", FindingClass::healthy));
  const Finding fault = judge_with(3, 1);
  EXPECT_THAT(fault, Is("LB-AER-UNCORRECTED", FindingClass::degraded));
  EXPECT_THAT(fault.detail, HasSubstr("1 non-fatal MalfTLP"));
}

TEST(Aer, AnyRolloverFails) {
  for (const char* kind : {"Rollover", "REPLAY_NUM Rollover", "RELAY_NUM Rollover"})
    EXPECT_THAT(judge_delta(std::string("aer_correctable/") + kind, 6),
                Is("LB-AER-CORRECTED", FindingClass::degraded))
        << kind;
}

TEST(Aer, ReceiverErrorsAloneWarnOnlyAboveOnePerMinute) {
  for (const char* kind : {"RxErr", "Receiver Error"}) {
    const std::string name = std::string("aer_correctable/") + kind;
    EXPECT_THAT(judge_delta(name, 15), Is("LB-HEALTHY", FindingClass::healthy));
    EXPECT_THAT(judge_delta(name, 16), Is("LB-AER-CORRECTED", FindingClass::marginal));
  }
}

TEST(Aer, UncorrectedErrorsFailAtEitherEnd) {
  EXPECT_THAT(judge_delta("aer_nonfatal/TOTAL_ERR_NONFATAL", 6),
              Is("LB-AER-UNCORRECTED", FindingClass::degraded));
  const Finding finding = judge_delta("aer_fatal/TOTAL_ERR_FATAL", 6, kPort);
  EXPECT_THAT(finding, Is("LB-AER-UNCORRECTED", FindingClass::degraded));
  EXPECT_EQ(finding.component, id(kCard));
  EXPECT_THAT(finding.detail, HasSubstr("1 fatal at 0000:16:00.0"));
  EXPECT_EQ(finding.phase, Phase::measure);
  EXPECT_EQ(finding.at_ns, 600'000'000'000);
}

TEST(Aer, AdvisoryErrorsAreNoFinding) {
  EXPECT_TRUE(apply_rule(aer_rule, EvidenceBuilder::run()
                                       .link(make_link(kCard, kPort))
                                       .counter(kCard, "aer_correctable/NonFatalErr", 0, true)
                                       .counter(kCard, "aer_correctable/NonFatalErr", 900)
                                       .finish())
                  .findings.empty());
}

TEST(Aer, BothEndsMakeOneFinding) {
  const Finding finding =
      only_finding(aer_rule, EvidenceBuilder::run()
                                 .link(make_link(kCard, kPort))
                                 .counter(kCard, "aer_correctable/BadTLP", 0, true)
                                 .counter(kPort, "aer_correctable/Timeout", 0, true)
                                 .at(600)
                                 .counter(kCard, "aer_correctable/BadTLP", 1)
                                 .counter(kPort, "aer_correctable/Timeout", 2)
                                 .finish());
  EXPECT_THAT(finding, Is("LB-AER-CORRECTED", FindingClass::marginal));
  EXPECT_THAT(finding.detail, HasSubstr("1 BadTLP at 0000:17:00.0; 2 Timeout at 0000:16:00.0"));
}

TEST(Aer, AResetCounterCountsFromZero) {
  const Finding finding = judge_delta("aer_correctable/BadTLP", 3);
  EXPECT_THAT(finding, Is("LB-AER-CORRECTED", FindingClass::marginal));
  EXPECT_THAT(finding.detail, HasSubstr("at least 3 BadTLP"));
}

TEST(Aer, AbsentIsNotJudgedAndNeverZero) {
  const auto not_judged = [](EvidenceBuilder builder) {
    const RuleOutput out = apply_rule(aer_rule, builder.finish());
    EXPECT_TRUE(out.findings.empty());
    return out.not_judged.size() == 1 ? out.not_judged[0].why : "";
  };
  EvidenceBuilder none = EvidenceBuilder::run().link(make_link(kCard, kPort));
  EXPECT_EQ(not_judged(none), "AER not exposed");
  EXPECT_EQ(not_judged(none.counter(kCard, "aer_correctable/BadTLP", std::nullopt, true)),
            "AER not exposed");
  EXPECT_EQ(not_judged(EvidenceBuilder::inspect()
                           .link(make_link(kCard, kPort))
                           .record(CapturePart{"lspci.txt", "lspci", 1, 40, 0, {}})),
            "no text has counters of them");
  EXPECT_THAT(not_judged(none.counter(kCard, "aer_correctable/BadTLP", 7, true)),
              HasSubstr("only once"));
}

TEST(Aer, InspectJudgesByTheTimeSinceBoot) {
  EXPECT_THAT(judge_since_boot("aer_correctable/BadTLP", 0, "600.0"),
              Is("LB-HEALTHY", FindingClass::healthy));
  EXPECT_THAT(judge_since_boot("aer_correctable/BadTLP", 10, "600.0"),
              Is("LB-AER-CORRECTED", FindingClass::marginal));
  EXPECT_THAT(judge_since_boot("aer_correctable/BadTLP", 11, "600.0"),
              Is("LB-AER-CORRECTED", FindingClass::degraded));
  EXPECT_THAT(judge_since_boot("aer_fatal/TOTAL_ERR_FATAL", 1, "600.0"),
              Is("LB-AER-UNCORRECTED", FindingClass::degraded));
}

TEST(Aer, AHandfulSinceAYoungBootIsNoise) {
  EXPECT_THAT(judge_since_boot("aer_correctable/BadTLP", 5, "60.0"),
              Is("LB-AER-CORRECTED", FindingClass::marginal));
  EXPECT_THAT(judge_since_boot("aer_correctable/BadTLP", 6, "60.0"),
              Is("LB-AER-CORRECTED", FindingClass::degraded));
}

TEST(Aer, AStatusRegisterIsOnlyMentioned) {
  Link link = make_link(kCard, kPort);
  link.device_end.registers.emplace().aer_correctable_status = 0x40;
  const RuleOutput out = apply_rule(aer_rule, EvidenceBuilder::inspect().link(link).finish());
  EXPECT_TRUE(out.findings.empty());
  ASSERT_EQ(out.not_judged.size(), 1U);
  EXPECT_THAT(out.not_judged[0].why, HasSubstr("status register of 0000:17:00.0"));
}

TEST(Aer, CountersOfMaskedErrorsProveNothing) {
  const auto judged = [](std::int64_t device_mask, std::int64_t port_mask) {
    Link link = make_link(kCard, kPort);
    link.device_end.registers.emplace().aer_correctable_mask = device_mask;
    link.peer_end.registers.emplace().aer_correctable_mask = port_mask;
    EvidenceBuilder builder = EvidenceBuilder::inspect().link(link).part("uptime", "found", "600");
    builder.counter(kCard, "aer_correctable/BadTLP", 0, false, Phase::passive);
    return apply_rule(aer_rule, builder.finish());
  };
  EXPECT_EQ(judged(0x2000, 0x31c1).findings.size(), 1U);
  EXPECT_EQ(judged(0x31c1, 0x31c0).findings.size(), 1U);
  const RuleOutput masked = judged(0x31c1, 0x31c1);
  EXPECT_TRUE(masked.findings.empty());
  ASSERT_EQ(masked.not_judged.size(), 1U);
  EXPECT_THAT(masked.not_judged[0].why, HasSubstr("masked at both ends"));
}

TEST(Aer, InspectWithoutTimeSinceBootIsNotJudged) {
  const RuleOutput out = apply_rule(aer_rule, EvidenceBuilder::inspect()
                                                  .link(make_link(kCard, kPort))
                                                  .counter(kCard, "aer_correctable/BadTLP", 900)
                                                  .finish());
  EXPECT_TRUE(out.findings.empty());
  EXPECT_EQ(out.not_judged.size(), 1U);
}

}  // namespace
}  // namespace linkburn
