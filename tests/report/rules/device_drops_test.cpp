#include <gtest/gtest.h>

#include "report/verdict.h"
#include "tests/report/rules/apply_rule.h"
#include "tests/support/evidence_builder.h"

namespace linkburn {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
constexpr auto kCard = "0000:17:00.0";
constexpr auto kPort = "0000:16:00.0";

KernelLine line(const char* where, std::string topic, double seconds, std::string text = "x",
                std::optional<int> number = {}) {
  return {id(where), std::move(topic), 4,     static_cast<std::int64_t>(seconds * 1e6),
          text,      Phase::passive,   number};
}

KernelLine xid79(double seconds) {
  return line(kCard, "xid", seconds, "NVRM: Xid (PCI:0000:17:00): 79, GPU has fallen off the bus.",
              79);
}

EvidenceBuilder inspect_with(const Link& link, std::vector<KernelLine> lines) {
  EvidenceBuilder builder =
      EvidenceBuilder::inspect().link(link).device(make_device(kCard, {kPort}));
  for (KernelLine& each : lines) builder.record(std::move(each));
  return builder;
}

RuleOutput drops(const EvidenceBuilder& builder) {
  return apply_rule(device_drops_rule, builder.finish());
}

Link without_numbers() {
  Link link = make_link(kCard, kPort);
  link.device_end.speed.reset();
  link.device_end.width.reset();
  return link;
}

TEST(DeviceDrops, NoLinesSayNothing) {
  EXPECT_THAT(drops(inspect_with(make_link(kCard, kPort), {})).findings, IsEmpty());
}

TEST(DeviceDrops, AGpuThatAnswersAgainIsAWarning) {
  const auto findings = drops(inspect_with(make_link(kCard, kPort), {xid79(100)})).findings;
  ASSERT_THAT(findings, ElementsAre(Is("LB-DEV-DROPPED", FindingClass::marginal)));
  EXPECT_THAT(findings[0].detail, HasSubstr("100 s after boot: NVRM: Xid"));
}

TEST(DeviceDrops, AGpuThatDoesNotAnswerIsLostOnce) {
  Link silent = make_link(kCard, kPort);
  silent.device_end.all_ones = true;
  EXPECT_THAT(drops(inspect_with(silent, {xid79(100)})).findings,
              ElementsAre(Is("LB-DEV-LOST", FindingClass::lost)));
  const Verdict verdict = judge(inspect_with(silent, {xid79(100)}).finish());
  ASSERT_THAT(verdict.findings, ElementsAre(Is("LB-DEV-LOST", FindingClass::lost)));
  EXPECT_THAT(verdict.findings[0].detail, HasSubstr("Xid"));
  Link down = make_link(kCard, kPort);
  down.peer_end.registers.emplace().data_link_active = false;
  EXPECT_THAT(drops(inspect_with(down, {xid79(100)})).findings,
              ElementsAre(Is("LB-DEV-LOST", FindingClass::lost)));
}

TEST(DeviceDrops, WhatCannotBeReadOrIsNotListedIsLostOnlyWhenItFellOffTheBus) {
  EXPECT_THAT(drops(inspect_with(without_numbers(), {xid79(100)})).findings,
              ElementsAre(Is("LB-DEV-LOST", FindingClass::lost)));
  EXPECT_THAT(drops(inspect_with(without_numbers(), {line(kCard, "device_lost", 1)})).findings,
              ElementsAre(Is("LB-NO-EVIDENCE", FindingClass::undecided)));
  EvidenceBuilder elsewhere =
      EvidenceBuilder::inspect().link(make_link("0000:65:00.0", "0000:64:00.0"));
  EvidenceBuilder gone = elsewhere;
  EXPECT_THAT(drops(gone.record(xid79(100))).findings,
              ElementsAre(Is("LB-DEV-LOST", FindingClass::lost)));
  const RuleOutput pulled = drops(elsewhere.record(line(kPort, "slot_down", 100)));
  EXPECT_THAT(pulled.findings, IsEmpty());
  EXPECT_EQ(pulled.not_judged.size(), 1U);
}

TEST(DeviceDrops, ASleepingDeviceIsLeftAlone) {
  Link asleep = make_link(kCard, kPort);
  asleep.device_end = {};
  asleep.device_end.runtime_status = "suspended";
  EXPECT_THAT(drops(inspect_with(asleep, {line(kCard, "device_lost", 1)})).findings, IsEmpty());
}

TEST(DeviceDrops, SeveralLinesOfOneEventAreOneEvent) {
  const auto findings =
      drops(inspect_with(make_link(kCard, kPort),
                         {line(kPort, "containment", 100), line(kPort, "slot_down", 100.1),
                          line(kCard, "device_lost", 130)}))
          .findings;
  EXPECT_THAT(findings, ElementsAre(Is("LB-DEV-DROPPED", FindingClass::marginal)));
  EXPECT_EQ(findings[0].evidence.size(), 4U);
}

TEST(DeviceDrops, SinceBootOnlyStoppedLinksRepeat) {
  const auto twice = [](const char* topic, double apart) {
    return drops(inspect_with(make_link(kCard, kPort),
                              {line(kPort, topic, 100), line(kPort, topic, 100 + apart)}))
        .findings;
  };
  EXPECT_THAT(twice("containment", 60), ElementsAre(Is("LB-DEV-DROPPED", FindingClass::marginal)));
  EXPECT_THAT(twice("containment", 61), ElementsAre(Is("LB-DEV-DROPPED", FindingClass::degraded)));
  EXPECT_THAT(twice("slot_down", 61), ElementsAre(Is("LB-DEV-DROPPED", FindingClass::marginal)));
  EXPECT_THAT(twice("device_lost", 61), ElementsAre(Is("LB-DEV-DROPPED", FindingClass::marginal)));
}

TEST(DeviceDrops, ADriverThatRepeatsItsXidSinceBootWarnsOfADeviceThatAnswers) {
  const auto findings =
      drops(inspect_with(make_link(kCard, kPort), {xid79(100), xid79(4000), xid79(9000)})).findings;
  ASSERT_THAT(findings, ElementsAre(Is("LB-DEV-DROPPED", FindingClass::marginal)));
  EXPECT_THAT(findings[0].detail, HasSubstr("was gone and answers again"));
}

TEST(DeviceDrops, WhatWentWithAHopAboveIsToldOnceWhenItIsBack) {
  constexpr auto kUplink = "0000:12:00.0", kRoot = "0000:11:00.0";
  const auto told = [&](double xid_seconds, const Link& card) {
    EvidenceBuilder builder = EvidenceBuilder::inspect();
    builder.link(make_link(kUplink, kRoot)).link(card);
    builder.device(make_device(kUplink, {kUplink, kRoot}));
    builder.device(make_device(kCard, {kCard, kPort, kUplink, kRoot}));
    builder.record(line(kRoot, "containment", 100)).record(xid79(xid_seconds));
    return drops(builder).findings;
  };
  const auto together = told(101, make_link(kCard, kPort));
  ASSERT_THAT(together, ElementsAre(Is("LB-DEV-DROPPED", FindingClass::marginal)));
  EXPECT_EQ(together[0].component, id(kUplink));
  EXPECT_EQ(told(161, make_link(kCard, kPort)).size(), 2U);  // another event
  Link silent = make_link(kCard, kPort);
  silent.device_end.all_ones = true;
  EXPECT_THAT(told(101, silent), ElementsAre(Is("LB-DEV-DROPPED", FindingClass::marginal),
                                             Is("LB-DEV-LOST", FindingClass::lost)));
}

TEST(DeviceDrops, InARunAGpuOffTheBusIsLostEvenIfItsLinkTrainsAgain) {
  EvidenceBuilder builder = EvidenceBuilder::run().link(make_link(kCard, kPort));
  EXPECT_THAT(drops(builder.at(5).record(xid79(100)).reading(kCard, "presence", 1)).findings,
              ElementsAre(Is("LB-DEV-LOST", FindingClass::lost)));
}

TEST(DeviceDrops, InARunALinkThatReturnsIsAWarningAndTwiceAFault) {
  EvidenceBuilder builder = EvidenceBuilder::run().link(make_link(kCard, kPort));
  builder.at(5).record(line(kPort, "slot_down", 100));
  EvidenceBuilder gone = builder;
  EXPECT_THAT(drops(gone.at(6).reading(kCard, "presence", 0)).findings,
              ElementsAre(Is("LB-DEV-LOST", FindingClass::lost)));
  builder.at(6).reading(kCard, "presence", 1);
  EXPECT_THAT(drops(builder).findings, ElementsAre(Is("LB-DEV-DROPPED", FindingClass::marginal)));
  builder.record(line(kPort, "slot_down", 161));
  EXPECT_THAT(drops(builder).findings, ElementsAre(Is("LB-DEV-DROPPED", FindingClass::degraded)));
}

TEST(DeviceDrops, AnEmptyPortThatStoppedItsLinkIsMentioned) {
  Component port = make_device(kPort);
  port.type = "bridge";
  EvidenceBuilder builder = EvidenceBuilder::run().device(port);
  builder.link(make_link("0000:65:00.0", "0000:64:00.0"));
  const RuleOutput out = drops(builder.record(line(kPort, "containment", 100)));
  EXPECT_THAT(out.findings, IsEmpty());
  EXPECT_EQ(out.not_judged.size(), 1U);
}

TEST(DeviceDrops, ALogAloneTellsOfALostGpu) {
  EvidenceBuilder builder = EvidenceBuilder::inspect();
  builder.record(line(kPort, "aer_fatal", 99, "PCIe Bus Error: severity=Uncorrected (Fatal)"));
  builder.record(xid79(100));
  const Verdict verdict = judge(builder.finish());
  EXPECT_EQ(verdict.exit, 1);
  ASSERT_FALSE(verdict.findings.empty());
  EXPECT_THAT(verdict.findings[0], Is("LB-DEV-LOST", FindingClass::lost));
  EXPECT_EQ(verdict.findings[0].component, id(kCard));
}

EvidenceBuilder log_alone(std::vector<KernelLine> lines) {
  CapturePart part;
  part.reader = "kernel_log";
  EvidenceBuilder builder = EvidenceBuilder::inspect().record(std::move(part));
  for (KernelLine& each : lines) builder.record(std::move(each));
  return builder;
}

TEST(DeviceDrops, OfALogAloneTheLastWordCounts) {
  EXPECT_THAT(drops(log_alone({line(kCard, "device_lost", 100)})).findings,
              ElementsAre(Is("LB-DEV-LOST", FindingClass::lost)));
  EXPECT_THAT(
      drops(log_alone({line(kCard, "device_lost", 100), line(kCard, "device_answers", 101)}))
          .findings,
      ElementsAre(Is("LB-DEV-DROPPED", FindingClass::marginal)));
  EXPECT_THAT(drops(log_alone({line(kCard, "device_answers", 99), line(kCard, "device_lost", 100)}))
                  .findings,
              ElementsAre(Is("LB-DEV-LOST", FindingClass::lost)));
  EXPECT_THAT(drops(log_alone({xid79(100), line(kCard, "device_answers", 101)})).findings,
              ElementsAre(Is("LB-DEV-DROPPED", FindingClass::marginal)));
}

TEST(DeviceDrops, WhatSomebodyTookOutIsNotLost) {
  const auto out =
      drops(log_alone({line("0000:00:1c.4", "slot_down", 100), line(kCard, "device_lost", 101)}));
  EXPECT_THAT(out.findings, IsEmpty());
  EXPECT_EQ(out.not_judged.size(), 2U);
}

TEST(DeviceDrops, AnErrorOfThePortIsToldWithTheDeviceBelowIt) {
  EvidenceBuilder builder = log_alone({line(kPort, "containment", 99), xid79(100)});
  builder.device(make_device(kCard, {kPort})).device(make_device(kPort));
  EXPECT_THAT(drops(builder).findings, ElementsAre(Is("LB-DEV-LOST", FindingClass::lost)));
}

}  // namespace
}  // namespace linkburn
