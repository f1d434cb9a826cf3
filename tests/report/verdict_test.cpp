#include "report/verdict.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/report/rules/apply_rule.h"
#include "tests/support/evidence_builder.h"

namespace linkburn {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr auto kCard = "0000:17:00.0";
constexpr auto kPort = "0000:16:00.0";
constexpr auto kTwin = "0000:65:00.0";
constexpr auto kTwinPort = "0000:64:00.0";

Link narrow_link(const char* device = kCard, const char* peer = kPort) {
  Link link = make_link(device, peer);
  link.device_end.width = link.peer_end.width = LinkWidth{8};
  return link;
}

Link idle_link() {
  Link link = make_link(kCard, kPort);
  link.device_end.speed = link.peer_end.speed = LinkSpeed{2500};
  return link;
}

Link silent_link(const char* device, const char* peer) {
  Link link = make_link(device, peer);
  link.device_end = {};
  link.device_end.all_ones = true;
  return link;
}

/// A run in which everything is good: two cards, a port, a step on each card.
EvidenceBuilder healthy_run() {
  EvidenceBuilder builder = EvidenceBuilder::run();
  builder.link(make_link(kCard, kPort)).link(make_link(kTwin, kTwinPort));
  builder.device(make_device(kCard, {kPort})).device(make_device(kTwin, {kTwinPort}));
  Port port = make_port("mlx5_0/1", kTwin);
  port.rate_gbps = 200;
  port.rate_text = "200 Gb/sec (4X HDR)";
  builder.port(port);
  for (const char* card : {kCard, kTwin})
    builder.counter(card, "aer_correctable/BadTLP", 3, true, Phase::idle);
  for (const char* card : {kCard, kTwin}) {
    const std::string step = std::string("h2d-") + card;
    builder.plan_step(step, card, {card}).at(10).start_step(step);
    builder.at(12).reading(card, "link_speed", 16, Phase::measure, step);
    builder.reading(card, "link_width", 16, Phase::measure, step);
    builder.reading(card, "presence", 1, Phase::measure, step);
    builder.reading(card, "wrong_words", 0, Phase::measure, step).at(20).end_step(step);
    builder.counter(card, "aer_correctable/BadTLP", 3);
  }
  return builder;
}

std::size_t claims(const Verdict& verdict) {
  std::set<ComponentId> healthy;
  for (const Finding& finding : verdict.findings)
    if (finding.cls == FindingClass::healthy) healthy.insert(finding.component);
  return healthy.size();
}

TEST(Verdict, AHealthyInspectPasses) {
  const Verdict verdict = judge(EvidenceBuilder::inspect().link(make_link(kCard, kPort)).finish());
  EXPECT_EQ(verdict.outcome, Outcome::pass);
  EXPECT_EQ(verdict.exit, 0);
  EXPECT_THAT(verdict.reasons, IsEmpty());
  ASSERT_EQ(verdict.findings.size(), 1U);
  const Finding& finding = verdict.findings[0];
  EXPECT_THAT(finding, Is("LB-HEALTHY", FindingClass::healthy));
  EXPECT_EQ(finding.negotiated.text, "16.0 GT/s x16");
  EXPECT_EQ(finding.rated.text, "16.0 GT/s x16");
  EXPECT_EQ(finding.detail, "judged: presence, width, speed");
  EXPECT_EQ(finding.node, "n1");
  EXPECT_EQ(finding.when, "2026-11-30T21:09:52Z");
}

TEST(Verdict, AHealthyRunPassesWithOneFindingPerComponent) {
  const Verdict verdict = judge(healthy_run().finish());
  EXPECT_EQ(verdict.outcome, Outcome::pass) << testing::PrintToString(verdict.reasons);
  EXPECT_EQ(verdict.findings.size(), 3U);
  EXPECT_EQ(claims(verdict), 3U);
}

TEST(Verdict, AFaultFailsAndIsFilledIn) {
  Link link = narrow_link();
  link.slot = Slot{"SLOT 4", "kernel"};
  const Verdict verdict = judge(EvidenceBuilder::inspect().at(1).link(link).finish());
  EXPECT_EQ(verdict.outcome, Outcome::fail);
  EXPECT_EQ(verdict.exit, 1);
  ASSERT_EQ(verdict.findings.size(), 1U);
  EXPECT_EQ(verdict.findings[0].place->label, "SLOT 4");
  EXPECT_EQ(verdict.findings[0].when, "2026-11-30T21:09:53Z");
}

TEST(Verdict, OnlyStartAndEndIsIncomplete) {
  for (const EvidenceBuilder& builder : {EvidenceBuilder::inspect(), EvidenceBuilder::run()}) {
    const Verdict verdict = judge(builder.finish());
    EXPECT_EQ(verdict.outcome, Outcome::incomplete);
    EXPECT_EQ(verdict.exit, 3);
    EXPECT_THAT(verdict.reasons, Contains(HasSubstr("nothing was judged")));
  }
  EXPECT_EQ(judge(EvidenceBuilder::run().require({}).finish()).outcome, Outcome::incomplete);
  EXPECT_EQ(judge(Evidence{}).outcome, Outcome::incomplete);
}

TEST(Verdict, AMachineWithoutLinksSaysSo) {
  Link no_files = make_link(kCard, kPort);
  no_files.device_end = no_files.peer_end = {};
  for (const Evidence& evidence :
       {EvidenceBuilder::inspect().device(make_device(kCard)).finish(),
        EvidenceBuilder::inspect().device(make_device(kCard)).link(no_files).finish()}) {
    const Verdict verdict = judge(evidence);
    const std::string text =
        "this machine has no PCIe links (1 PCI function, none with link files)";
    EXPECT_EQ(verdict.outcome, Outcome::incomplete);
    EXPECT_THAT(verdict.reasons, Contains(HasSubstr(text)));
    EXPECT_THAT(verdict.not_judged, Contains(Field(&NotJudged::why, text)));
  }
}

TEST(Verdict, MemoryCopiesAloneJudgeNoLink) {
  const Verdict verdict = judge(EvidenceBuilder::run()
                                    .require({"data"})
                                    .plan_step("host_copy-1", "numa0")
                                    .start_step("host_copy-1")
                                    .reading("numa0", "wrong_words", 0)
                                    .end_step("host_copy-1")
                                    .finish());
  EXPECT_EQ(verdict.outcome, Outcome::incomplete);
  EXPECT_EQ(claims(verdict), 1U);
}

TEST(Verdict, UndecidedCountsWhenItsAspectIsRequired) {
  const Verdict required = judge(EvidenceBuilder::inspect().link(idle_link()).finish());
  EXPECT_EQ(required.outcome, Outcome::incomplete);
  EXPECT_THAT(required.findings, ElementsAre(Is("LB-NEEDS-LOAD", FindingClass::undecided)));
  EXPECT_THAT(required.reasons, ElementsAre(HasSubstr("speed of 0000:17:00.0")));

  const Verdict waived =
      judge(EvidenceBuilder::inspect().require({"presence", "width"}).link(idle_link()).finish());
  EXPECT_EQ(waived.outcome, Outcome::pass);
  EXPECT_THAT(waived.findings, ElementsAre(Is("LB-HEALTHY", FindingClass::healthy)));
  EXPECT_EQ(waived.findings[0].detail, "judged: presence, width");
  EXPECT_THAT(waived.not_judged, Contains(Field(&NotJudged::what, "speed of 0000:17:00.0")));
}

TEST(Verdict, WhatThePlanLoadsIsAlwaysRequired) {
  EvidenceBuilder hung = EvidenceBuilder::run();
  hung.require({}).link(make_link(kCard, kPort)).plan_step("h2d-1", kCard).start_step("h2d-1");
  EXPECT_EQ(judge(hung.finish()).outcome, Outcome::incomplete);
  hung.end_step("h2d-1");
  const Verdict unverified = judge(hung.finish());
  EXPECT_EQ(unverified.outcome, Outcome::incomplete);
  EXPECT_THAT(unverified.reasons, Contains(HasSubstr("data of 0000:17:00.0")));
}

TEST(Verdict, ARequiredAspectThatNothingJudgedIsIncomplete) {
  const auto require = [](std::string word) {
    return judge(EvidenceBuilder::inspect().require({word}).link(make_link(kCard, kPort)).finish());
  };
  EXPECT_THAT(require("errors").reasons, ElementsAre(HasSubstr("errors is required")));
  EXPECT_THAT(require("rate").reasons, ElementsAre(HasSubstr("rate is required")));
  EXPECT_THAT(require("aura").reasons, ElementsAre(HasSubstr("\"aura\" is required")));
  EXPECT_EQ(require("ports").outcome, Outcome::pass) << "this machine has no ports to miss";
}

TEST(Verdict, FailWinsOverIncomplete) {
  const Verdict verdict =
      judge(EvidenceBuilder::run().link(narrow_link()).plan_step("h2d-1", kTwin).killed());
  EXPECT_EQ(verdict.outcome, Outcome::fail);
  EXPECT_EQ(verdict.exit, 1);
}

TEST(Verdict, EvidenceThatIsNotWholeIsIncomplete) {
  const EvidenceBuilder good = EvidenceBuilder::inspect().link(make_link(kCard, kPort)).at(4.2);
  const auto reasons = [](const Evidence& evidence) {
    const Verdict verdict = judge(evidence);
    EXPECT_EQ(verdict.exit, 3);
    return verdict.reasons;
  };
  EvidenceBuilder later = good;
  EXPECT_THAT(reasons(later.part("x", "found").killed()),
              ElementsAre("the run did not end: its last record is 4.2 s after the start"));
  EXPECT_THAT(reasons(good.finish("interrupted", 15)),
              ElementsAre("the run was interrupted by SIGTERM"));
  EXPECT_THAT(reasons(good.finish("error")), ElementsAre(HasSubstr("error")));
  Evidence torn = good.finish();
  torn.torn_tail = true;
  EXPECT_THAT(reasons(torn), ElementsAre(HasSubstr("was cut")));
  Evidence bad = good.finish();
  bad.bad_lines = 2;
  EXPECT_THAT(reasons(bad), ElementsAre(HasSubstr("2 lines")));
  Evidence lost = good.finish();
  std::get<RunEnd>(lost.records.back().body).lost_records = 1;
  EXPECT_THAT(reasons(lost), ElementsAre(HasSubstr("1 record could not be written")));
}

TEST(Verdict, DroppedSamplesAreSaidAndDoNotStopAPass) {
  Evidence evidence = EvidenceBuilder::inspect().link(make_link(kCard, kPort)).finish();
  std::get<RunEnd>(evidence.records.back().body).dropped_samples = 7;
  const Verdict verdict = judge(evidence);
  EXPECT_EQ(verdict.outcome, Outcome::pass);
  EXPECT_THAT(verdict.not_judged, Contains(Field(&NotJudged::why, HasSubstr("7 were dropped"))));
}

TEST(Merge, FaultsOfOneLinkAreOneFinding) {
  const Verdict verdict = judge(EvidenceBuilder::run()
                                    .link(narrow_link())
                                    .counter(kPort, "aer_correctable/Rollover", 0, true)
                                    .at(60)
                                    .counter(kPort, "aer_correctable/Rollover", 4)
                                    .finish());
  ASSERT_EQ(verdict.findings.size(), 1U);
  EXPECT_THAT(verdict.findings[0], Is("LB-PCIE-WIDTH", FindingClass::degraded));
  EXPECT_THAT(verdict.findings[0].detail, AllOf(HasSubstr("x8"), HasSubstr("4 Rollover")));
  EXPECT_THAT(verdict.findings[0].evidence, ElementsAre(2, 4));
  EXPECT_THAT(verdict.reasons, IsEmpty());
}

TEST(Merge, TheWorstClassNamesTheFault) {
  const Verdict verdict = judge(EvidenceBuilder::run()
                                    .link(make_link(kCard, kPort))
                                    .counter(kCard, "aer_fatal/TOTAL_ERR_FATAL", 0, true)
                                    .transition(kCard, "link_width", 16, 8)
                                    .transition(kCard, "link_width", 8, 16)
                                    .counter(kCard, "aer_fatal/TOTAL_ERR_FATAL", 1)
                                    .finish());
  EXPECT_THAT(verdict.findings, ElementsAre(Is("LB-AER-UNCORRECTED", FindingClass::degraded)));
  EXPECT_THAT(verdict.findings[0].detail, HasSubstr("fell to x8"));
}

TEST(Merge, WhatLimitsALinkIsOneFinding) {
  Link link = make_link(kCard, kPort, 8000, 8);
  link.device_end.max_speed = LinkSpeed{16000};
  link.device_end.max_width = LinkWidth{16};
  const Verdict verdict = judge(EvidenceBuilder::inspect().link(link).finish());
  EXPECT_EQ(verdict.outcome, Outcome::pass);
  ASSERT_EQ(verdict.findings.size(), 1U);
  EXPECT_THAT(verdict.findings[0], Is("LB-PCIE-LIMITED", FindingClass::limited));
  EXPECT_THAT(verdict.findings[0].detail, AllOf(HasSubstr("x16"), HasSubstr("16.0 GT/s")));
}

TEST(Merge, FaultsOfDifferentLinksStayApart) {
  const Verdict verdict = judge(
      EvidenceBuilder::inspect().link(narrow_link(kTwin, kTwinPort)).link(narrow_link()).finish());
  ASSERT_EQ(verdict.findings.size(), 2U);
  EXPECT_EQ(verdict.findings[0].component, id(kCard));
  EXPECT_EQ(verdict.findings[1].component, id(kTwin));
}

TEST(Merge, FaultsOfOnePortAreOneFinding) {
  Port port = make_roce_port("mlx5_0/1", kCard, "eth0");
  Interface interface = make_interface("eth0", kCard);
  interface.speed_gbps = 25;
  interface.lanes = 1;
  interface.supported_gbps = interface.partner_gbps = 100;
  EvidenceBuilder builder = EvidenceBuilder::run();
  builder.link(make_link(kCard, kPort)).device(make_device(kCard, {kPort}));
  builder.port(port).record(interface);
  for (const char* name : {"port/symbol_error", "port/link_downed"})
    builder.at(0).counter("mlx5_0/1", name, 0, true).at(60).counter("mlx5_0/1", name, 3);
  builder.at(0).counter("eth0", "net/carrier_changes", 2, true);
  builder.at(60).counter("eth0", "net/carrier_changes", 4);
  const Verdict verdict = judge(builder.finish());
  std::vector<Finding> of_port;
  for (const Finding& finding : verdict.findings)
    if (finding.component == id("mlx5_0/1")) of_port.push_back(finding);
  ASSERT_EQ(of_port.size(), 1U);
  EXPECT_THAT(of_port[0], Is("LB-PORT-WIDTH", FindingClass::degraded));
  EXPECT_THAT(of_port[0].detail, AllOf(HasSubstr("1 of 4 lanes"), HasSubstr("went down 3 times"),
                                       HasSubstr("3 symbol errors")));
}

TEST(Merge, WhatASlotDoesNotGiveIsToldOnce) {
  Link link = make_link(kCard, kPort, 8000);
  link.device_end.max_speed = LinkSpeed{16000};
  EvidenceBuilder builder = EvidenceBuilder::inspect();
  builder.link(link).device(make_device(kCard, {kPort})).port(make_port("mlx5_0/1", kCard));
  const Verdict verdict = judge(builder.finish());
  EXPECT_EQ(verdict.outcome, Outcome::pass);
  std::vector<std::string> limits;
  for (const Finding& finding : verdict.findings)
    if (finding.cls == FindingClass::limited) limits.push_back(finding.code);
  EXPECT_THAT(limits, ElementsAre("LB-PORT-SLOT-LIMIT"));
}

TEST(Merge, ALostSwitchTakesWithItWhatIsBelow) {
  constexpr auto kUpstream = "0000:10:00.0";
  constexpr auto kRoot = "0000:00:01.0";
  EvidenceBuilder builder = EvidenceBuilder::run();
  builder.link(silent_link(kUpstream, kRoot)).link(silent_link(kCard, kPort));
  builder.link(narrow_link(kTwin, kTwinPort));
  builder.device(make_device(kUpstream, {kRoot}));
  builder.device(make_device(kCard, {kPort, kUpstream, kRoot}));
  builder.device(make_device(kTwin, {kTwinPort, kUpstream, kRoot}));
  Port port = make_port("mlx5_0/1", kTwin);
  port.state = "DOWN";
  port.phys_state = "Polling";
  builder.port(port).error(id("0000:17:00.1"), "cannot read").plan_step("h2d-1", kCard);
  const Verdict verdict = judge(builder.finish());
  ASSERT_EQ(verdict.findings.size(), 1U);
  EXPECT_THAT(verdict.findings[0], Is("LB-DEV-LOST", FindingClass::lost));
  EXPECT_EQ(verdict.findings[0].component, id(kUpstream));
  EXPECT_THAT(verdict.findings[0].detail, HasSubstr("2 links below it"));
  EXPECT_EQ(verdict.outcome, Outcome::fail);
}

TEST(Merge, ADeviceLostInTheRunHasNoOtherFinding) {
  EvidenceBuilder builder = EvidenceBuilder::run();
  builder.link(make_link(kCard, kPort)).link(make_link(kTwin, kTwinPort));
  builder.plan_step("h2d-1", kCard, {kCard}).at(3).transition(kCard, "presence", 1, 0);
  builder.end_step("h2d-1", "error", "GPU is gone");
  const Verdict verdict = judge(builder.finish());
  EXPECT_THAT(verdict.findings, ElementsAre(Is("LB-DEV-LOST", FindingClass::lost),
                                            Is("LB-HEALTHY", FindingClass::healthy)));
  EXPECT_EQ(verdict.findings[0].when, "2026-11-30T21:09:55Z");
}

TEST(Merge, ASleepingDeviceIsToldOnce) {
  Link asleep = make_link(kCard, kPort);
  asleep.device_end.runtime_status = "suspended";
  const Verdict run =
      judge(EvidenceBuilder::run().link(asleep).link(make_link(kTwin, kTwinPort)).finish());
  EXPECT_THAT(run.findings, ElementsAre(Is("LB-DEV-ASLEEP", FindingClass::undecided),
                                        Is("LB-HEALTHY", FindingClass::healthy)));
  EXPECT_EQ(run.outcome, Outcome::incomplete);
  const Verdict inspect =
      judge(EvidenceBuilder::inspect().link(asleep).link(make_link(kTwin, kTwinPort)).finish());
  EXPECT_THAT(inspect.findings, ElementsAre(Is("LB-HEALTHY", FindingClass::healthy)));
  EXPECT_EQ(inspect.outcome, Outcome::pass);
}

TEST(Merge, NothingIsHealthyWhereSomethingElseWasFound) {
  const Verdict verdict = judge(EvidenceBuilder::inspect()
                                    .link(make_link(kCard, kPort))
                                    .error(id("0000:17:00.1"), "cannot read")
                                    .finish());
  EXPECT_THAT(verdict.findings, ElementsAre(Is("LB-NO-EVIDENCE", FindingClass::undecided)));
}

TEST(Merge, TheWorstComesFirst) {
  Link limited = make_link("0000:01:00.0", "0000:00:01.0", 16000, 8);
  limited.device_end.max_width = LinkWidth{16};
  Port no_manager = make_port("mlx5_0/1");
  no_manager.state = "INIT";
  const Verdict verdict = judge(EvidenceBuilder::run()
                                    .link(make_link("0000:02:00.0", "0000:00:02.0"))
                                    .link(limited)
                                    .link(idle_link())
                                    .link(make_link("0000:03:00.0", "0000:00:03.0"))
                                    .transition("0000:03:00.0", "link_width", 16, 8)
                                    .transition("0000:03:00.0", "link_width", 8, 16)
                                    .port(no_manager)
                                    .link(narrow_link(kTwin, kTwinPort))
                                    .link(silent_link("0000:04:00.0", "0000:00:04.0"))
                                    .finish());
  std::vector<FindingClass> order;
  for (const Finding& finding : verdict.findings) order.push_back(finding.cls);
  EXPECT_THAT(order,
              ElementsAre(FindingClass::lost, FindingClass::degraded, FindingClass::misconfigured,
                          FindingClass::marginal, FindingClass::undecided, FindingClass::limited,
                          FindingClass::healthy));
}

TEST(Combine, TheWorstOutcomeWinsAndReasonsNameTheirNode) {
  const Verdict pass =
      judge(EvidenceBuilder::inspect().node("a").link(make_link(kCard, kPort)).finish());
  const Verdict open = judge(EvidenceBuilder::inspect().node("b").link(idle_link()).finish());
  const Verdict fail = judge(EvidenceBuilder::inspect().node("c").link(narrow_link()).finish());
  EXPECT_EQ(combine({pass, pass}).outcome, Outcome::pass);
  const Verdict incomplete = combine({pass, open});
  EXPECT_EQ(incomplete.exit, 3);
  EXPECT_THAT(incomplete.reasons, ElementsAre(testing::StartsWith("b: speed")));
  const Verdict all = combine({pass, open, fail});
  EXPECT_EQ(all.exit, 1);
  ASSERT_EQ(all.findings.size(), 3U);
  EXPECT_EQ(all.findings[0].node, "c");
}

TEST(Combine, OneVerdictStaysAsItIsAndNoneIsIncomplete) {
  const Verdict open = judge(EvidenceBuilder::inspect().link(idle_link()).finish());
  EXPECT_EQ(combine({open}).reasons, open.reasons);
  EXPECT_EQ(combine({}).outcome, Outcome::incomplete);
}

TEST(LessEvidence, NeverClaimsMore) {
  const Evidence whole = healthy_run().finish();
  const Verdict full = judge(whole);
  ASSERT_EQ(full.outcome, Outcome::pass);
  for (std::size_t gone = 0; gone < whole.records.size(); ++gone) {
    Evidence less = whole;
    less.records.erase(less.records.begin() + static_cast<std::ptrdiff_t>(gone));
    const Verdict verdict = judge(less);
    EXPECT_NE(verdict.outcome, Outcome::fail) << kind_of(whole.records[gone]);
    if (verdict.outcome == Outcome::pass) {
      EXPECT_LE(claims(verdict), claims(full)) << kind_of(whole.records[gone]);
    }
  }
}

TEST(LessEvidence, ARunCutAnywhereNeverPasses) {
  const Evidence whole = healthy_run().finish();
  for (std::size_t kept = 0; kept < whole.records.size(); ++kept) {
    Evidence cut = whole;
    cut.records.resize(kept);
    EXPECT_EQ(judge(cut).outcome, Outcome::incomplete) << kept;
  }
}

}  // namespace
}  // namespace linkburn
