// Errors that only the kernel log tells of.
#include <gtest/gtest.h>

#include "tests/report/rules/apply_rule.h"
#include "tests/support/evidence_builder.h"

namespace linkburn {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
constexpr auto kCard = "0000:17:00.0";
constexpr auto kPort = "0000:16:00.0";

constexpr const char* kBadTlp = "00000040";
constexpr const char* kReceiver = "00000001";
constexpr const char* kAll = "000011c0";  // BadTLP, BadDLLP, Rollover, Timeout

/// The two lines of one error.
void log_error(EvidenceBuilder& builder, std::string_view where, double seconds, const char* bits,
               std::string topic = "aer_corrected", const char* layer = "Data Link Layer") {
  const auto time_us = static_cast<std::int64_t>(seconds * 1e6);
  builder.record(KernelLine{id(where), topic, 4, time_us,
                            std::string("PCIe Bus Error: severity=, type=") + layer,
                            Phase::passive});
  if (bits != nullptr)
    builder.record(KernelLine{id(where), topic + "_status", 4, time_us == 0 ? 0 : time_us + 10,
                              "device [8086:6f04] error status/mask=" + std::string(bits) + "/0",
                              Phase::passive});
}

/// `count` errors, each `apart` seconds after the one before, a day after boot.
Finding judge_series(const char* bits, int count, double apart, const char* layer = "") {
  EvidenceBuilder builder = EvidenceBuilder::inspect().link(make_link(kCard, kPort));
  for (int i = 0; i < count; ++i)
    log_error(builder, kPort, 86400 + apart * i, bits, "aer_corrected", layer);
  return only_finding(aer_rule, builder.finish());
}

TEST(LoggedErrors, AHandfulIsAWarningAtMost) {
  EXPECT_THAT(judge_series(kBadTlp, 1, 0), Is("LB-AER-CORRECTED", FindingClass::marginal));
  EXPECT_THAT(judge_series(kBadTlp, 5, 0.1), Is("LB-AER-CORRECTED", FindingClass::marginal));
  EXPECT_THAT(judge_series(nullptr, 5, 0.1, "Data Link Layer"),
              Is("LB-AER-CORRECTED", FindingClass::marginal));
}

TEST(LoggedErrors, ABurstIsAFaultWhateverCameBefore) {
  const Finding finding = judge_series(kBadTlp, 6, 1.9);
  EXPECT_THAT(finding, Is("LB-AER-CORRECTED", FindingClass::degraded));
  EXPECT_THAT(finding.detail, HasSubstr("at least 6 BadTLP (up to 6 within 10 s) at 0000:16:00.0"));
  EXPECT_THAT(judge_series(kBadTlp, 6, 2.1), Is("LB-AER-CORRECTED", FindingClass::marginal));
  EXPECT_THAT(judge_series(kAll, 2, 9), Is("LB-AER-CORRECTED", FindingClass::degraded));
  // A single error is none, however many kinds it has.
  EXPECT_THAT(judge_series(kAll, 1, 0), Is("LB-AER-CORRECTED", FindingClass::marginal));
  EXPECT_THAT(judge_series(kAll, 2, 11), Is("LB-AER-CORRECTED", FindingClass::marginal));
}

TEST(LoggedErrors, ReceiverErrorsAloneAreNoFinding) {
  for (const auto& [bits, layer] : {std::pair(kReceiver, ""), std::pair("00002000", ""),
                                    std::pair((const char*)nullptr, "Physical Layer")}) {
    EvidenceBuilder builder = EvidenceBuilder::inspect().link(make_link(kCard, kPort));
    for (int i = 0; i < 20; ++i) log_error(builder, kPort, 86400 + i, bits, "aer_corrected", layer);
    EXPECT_THAT(apply_rule(aer_rule, builder.finish()).findings, IsEmpty());
  }
}

TEST(LoggedErrors, WithoutTimesThereIsNoBurst) {
  EvidenceBuilder builder = EvidenceBuilder::inspect().link(make_link(kCard, kPort));
  for (int i = 0; i < 40; ++i) log_error(builder, kPort, 0, kBadTlp);
  EXPECT_THAT(only_finding(aer_rule, builder.finish()),
              Is("LB-AER-CORRECTED", FindingClass::marginal));
}

TEST(LoggedErrors, BothEndsAndAllFunctionsAreOneFinding) {
  EvidenceBuilder builder = EvidenceBuilder::inspect().link(make_link(kCard, kPort));
  for (const char* where : {kPort, kCard, "0000:17:00.1", "0000:17:00.2"})
    for (int i = 0; i < 3; ++i) log_error(builder, where, 86400 + i, kBadTlp);
  const Finding finding = only_finding(aer_rule, builder.finish());
  EXPECT_THAT(finding, Is("LB-AER-CORRECTED", FindingClass::marginal));
  EXPECT_EQ(finding.component, id(kCard));
}

TEST(LoggedErrors, LinesThatWereLeftOutCount) {
  EvidenceBuilder builder = EvidenceBuilder::inspect().link(make_link(kCard, kPort));
  log_error(builder, kPort, 3600, kBadTlp);
  log_error(builder, kPort, 7200, kBadTlp);
  builder.counter(kPort, "kernel_log/aer_corrected", 120, false, Phase::passive);
  EXPECT_THAT(only_finding(aer_rule, builder.finish()),
              Is("LB-AER-CORRECTED", FindingClass::marginal));
  builder.counter(kPort, "kernel_log/aer_corrected", 121, false, Phase::passive);
  const Finding finding = only_finding(aer_rule, builder.finish());
  EXPECT_THAT(finding, Is("LB-AER-CORRECTED", FindingClass::degraded));
  EXPECT_THAT(finding.detail, HasSubstr("at least 121 BadTLP"));
}

TEST(LoggedErrors, UncorrectedOnesFailUnlessARequestWasRefused) {
  const auto judge_one = [](const char* topic, const char* bits) {
    EvidenceBuilder builder = EvidenceBuilder::inspect().link(make_link(kCard, kPort));
    log_error(builder, kPort, 100, bits, topic);
    const RuleOutput out = apply_rule(aer_rule, builder.finish());
    return out.findings.empty() ? Finding{} : out.findings.front();
  };
  const Finding surprise = judge_one("aer_fatal", "00000020");
  EXPECT_THAT(surprise, Is("LB-AER-UNCORRECTED", FindingClass::degraded));
  EXPECT_THAT(surprise.detail, HasSubstr("fatal SDES"));
  EXPECT_THAT(judge_one("aer_nonfatal", "00100000").code, IsEmpty());
  EXPECT_THAT(judge_one("aer_nonfatal", nullptr), Is("LB-AER-UNCORRECTED", FindingClass::marginal));
  EXPECT_THAT(judge_one("aer_fatal", nullptr), Is("LB-AER-UNCORRECTED", FindingClass::degraded));
}

/// A day after boot the counter of one end stands at `counted`; the log has six lines in it.
Finding judge_both(std::int64_t counted, double apart) {
  EvidenceBuilder builder = EvidenceBuilder::inspect().link(make_link(kCard, kPort));
  builder.part("uptime", "found", "86400");
  builder.counter(kCard, "aer_correctable/BadTLP", counted, false, Phase::passive);
  for (int i = 0; i < 6; ++i) log_error(builder, kCard, 100 + apart * i, kBadTlp);
  return only_finding(aer_rule, builder.finish());
}

TEST(LoggedErrors, ARunIsAsLongAsItsRecords) {
  EvidenceBuilder builder = EvidenceBuilder::run().link(make_link(kCard, kPort));
  for (int i = 0; i < 6; ++i) log_error(builder.at(60.0 * i), kCard, 100 + 60 * i, kBadTlp);
  EvidenceBuilder longer = builder;
  EXPECT_THAT(only_finding(aer_rule, builder.finish()),
              Is("LB-AER-CORRECTED", FindingClass::degraded));
  longer.at(360).plan_step("h2d-1", kCard);
  EXPECT_THAT(only_finding(aer_rule, longer.finish()),
              Is("LB-AER-CORRECTED", FindingClass::marginal));
}

TEST(LoggedErrors, CountersTellHowManyAndTheLogHowDense) {
  const Finding spread = judge_both(7, 60);
  EXPECT_THAT(spread, Is("LB-AER-CORRECTED", FindingClass::marginal));
  EXPECT_THAT(spread.detail, testing::StartsWith("7 BadTLP at"));
  const Finding dense = judge_both(7, 1);
  EXPECT_THAT(dense, Is("LB-AER-CORRECTED", FindingClass::degraded));
  EXPECT_THAT(dense.detail, HasSubstr("7 BadTLP (up to 6 within 10 s)"));
}

TEST(LoggedErrors, ALogThatKnowsMoreThanTheCountersIsBelieved) {
  const Finding finding = judge_both(0, 60);
  EXPECT_THAT(finding, Is("LB-AER-CORRECTED", FindingClass::marginal));
  EXPECT_THAT(finding.detail, HasSubstr("at least 6 BadTLP"));
}

TEST(LoggedErrors, WhatFirmwareToldCountsThoughTheCountersStandStill) {
  EvidenceBuilder builder = EvidenceBuilder::inspect().link(make_link(kCard, kPort));
  builder.part("uptime", "found", "86400");
  builder.counter(kPort, "aer_correctable/BadTLP", 0, false, Phase::passive);
  for (int i = 0; i < 6; ++i)
    builder.record(KernelLine{id(kPort), "aer_corrected_status", 3, 100'000'000 + i * 1'000'000,
                              "pcieport 0000:16:00.0: aer_status: 0x00000040, aer_mask: 0x0",
                              Phase::passive});
  EXPECT_THAT(only_finding(aer_rule, builder.finish()),
              Is("LB-AER-CORRECTED", FindingClass::degraded));
}

TEST(LoggedErrors, ACardThatWasSwappedIsNoError) {
  EvidenceBuilder builder = EvidenceBuilder::inspect().link(make_link(kCard, kPort));
  log_error(builder, kPort, 100, "00000020", "aer_fatal");
  EXPECT_THAT(only_finding(aer_rule, builder.finish()),
              Is("LB-AER-UNCORRECTED", FindingClass::degraded));
  builder.record(
      KernelLine{id(kPort), "slot_down", 6, 101, "Card not present", Phase::passive, {}});
  EXPECT_THAT(apply_rule(aer_rule, builder.finish()).findings, IsEmpty());
}

TEST(LoggedErrors, AGpuThatFellOffTheBusAndAnswersAgainIsToldAsADrop) {
  EvidenceBuilder builder = EvidenceBuilder::inspect().link(make_link(kCard, kPort));
  log_error(builder, kPort, 100, "00000020", "aer_fatal");
  builder.record(KernelLine{id(kCard), "xid", 4, 101, "Xid 79", Phase::passive, 79});
  EXPECT_THAT(apply_rule(aer_rule, builder.finish()).findings, IsEmpty());
  log_error(builder, kPort, 200, "00040000", "aer_fatal");  // a malformed packet is another error
  EXPECT_THAT(only_finding(aer_rule, builder.finish()),
              Is("LB-AER-UNCORRECTED", FindingClass::degraded));
}

TEST(LoggedErrors, AnErrorOnWhichThePortStoppedItsLinkIsToldAsADrop) {
  const KernelLine stop{id(kPort), "containment", 4, 100, "DPC", Phase::passive, {}};
  EvidenceBuilder once = EvidenceBuilder::inspect().link(make_link(kCard, kPort));
  log_error(once, kPort, 100, "00004000", "aer_nonfatal");
  once.record(stop);
  EXPECT_THAT(apply_rule(aer_rule, once.finish()).findings, IsEmpty());
  log_error(once, kPort, 200, "00004000", "aer_nonfatal");  // without a stop
  EXPECT_THAT(only_finding(aer_rule, once.finish()),
              Is("LB-AER-UNCORRECTED", FindingClass::degraded));
  Link silent = make_link(kCard, kPort);
  silent.peer_end.registers = LinkRegisters{};
  silent.peer_end.registers->data_link_active = false;
  EvidenceBuilder gone = EvidenceBuilder::inspect().link(silent);
  log_error(gone, kPort, 100, "00004000", "aer_nonfatal");
  EXPECT_THAT(only_finding(aer_rule, gone.record(stop).finish()),
              Is("LB-AER-UNCORRECTED", FindingClass::degraded));
}

TEST(LoggedErrors, AnUnknownDeviceIsMentionedAndBlamesNoLink) {
  EvidenceBuilder builder = EvidenceBuilder::inspect().link(make_link(kCard, kPort));
  for (int i = 0; i < 20; ++i) log_error(builder, "0000:aa:00.0", 100 + i, kBadTlp);
  const RuleOutput out = apply_rule(aer_rule, builder.finish());
  EXPECT_THAT(out.findings, IsEmpty());
  ASSERT_EQ(out.not_judged.size(), 2U);
  EXPECT_THAT(out.not_judged[1].what, HasSubstr("0000:aa:00.0"));
}

TEST(LoggedErrors, ALogWithoutAnyInventoryIsJudgedByItself) {
  EvidenceBuilder builder = EvidenceBuilder::inspect();
  for (int i = 0; i < 2; ++i) log_error(builder, kPort, 100 + i, kAll);
  const Finding finding = only_finding(aer_rule, builder.finish());
  EXPECT_THAT(finding, Is("LB-AER-CORRECTED", FindingClass::degraded));
  EXPECT_EQ(finding.component, id(kPort));
}

/// A log and what it tells of the wiring, as captures give it.
EvidenceBuilder log_alone() {
  CapturePart part;
  part.reader = "kernel_log";
  return EvidenceBuilder::inspect().record(std::move(part));
}

TEST(LoggedErrors, OfALogAloneAPortAndTheDeviceBelowItAreOneLink) {
  EvidenceBuilder builder = log_alone();
  builder.device(make_device(kCard, {kPort})).device(make_device(kPort));
  for (int i = 0; i < 8; ++i) {
    log_error(builder, kPort, 100 + i * 0.1, kBadTlp);
    log_error(builder, kCard, 100 + i * 0.1, kBadTlp);
  }
  const Finding finding = only_finding(aer_rule, builder.finish());
  EXPECT_EQ(finding.cls, FindingClass::degraded);
  EXPECT_EQ(finding.component, id(kCard));
  EXPECT_THAT(finding.detail, HasSubstr(kPort));
  builder.device(make_device("0000:17:01.0", {kPort}));  // a bus of several devices is no link
  EXPECT_EQ(apply_rule(aer_rule, builder.finish()).findings.size(), 2U);
}

TEST(LoggedErrors, WallTimesGiveNoTimeSinceBoot) {
  const auto judged = [](int count, double apart) {
    EvidenceBuilder builder = log_alone();
    for (int i = 0; i < count; ++i) {
      KernelLine line{id(kPort),
                      "aer_corrected",
                      4,
                      static_cast<std::int64_t>((1000 + apart * i) * 1e6),
                      "PCIe Bus Error: severity=Corrected, type=Data Link Layer",
                      Phase::passive};
      line.when = "Tue Sep 19 16:18:02 2023";
      builder.record(std::move(line));
    }
    return only_finding(aer_rule, builder.finish()).cls;
  };
  EXPECT_EQ(judged(5, 0.1), FindingClass::marginal);  // a handful
  EXPECT_EQ(judged(6, 0.1), FindingClass::degraded);  // a burst
  EXPECT_EQ(judged(10, 15), FindingClass::marginal);  // chosen lines of a longer time
  EXPECT_EQ(judged(11, 15), FindingClass::degraded);
}

}  // namespace
}  // namespace linkburn
