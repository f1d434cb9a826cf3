#include "report/exceptions.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "report/verdict.h"
#include "tests/report/rules/apply_rule.h"
#include "tests/support/evidence_builder.h"

namespace linkburn {
namespace {

using testing::HasSubstr;
constexpr auto kCard = "0000:17:00.0";
constexpr auto kPort = "0000:16:01.0";

/// The evidence is of 2026-11-30. One link is narrow, in a slot that the kernel calls 7.
EvidenceBuilder narrow_link(const std::string& site) {
  EvidenceBuilder builder = EvidenceBuilder::inspect();
  builder.record(SiteText{"site.toml", "schema = 1\n" + site});
  Link link = make_link(kCard, kPort);
  link.device_end.width = link.peer_end.width = LinkWidth{8};
  link.slot = Slot{"7", "kernel"};
  return builder.device(make_device(kCard, {kPort})).link(link);
}

std::string exception(const std::string& what, const std::string& code,
                      const std::string& expires) {
  return "[[exception]]\n" + what + "\ncode = \"" + code +
         "\"\nreason = \"ticket 4711\"\nexpires = " + expires + "\n";
}

Finding width_finding(const Verdict& verdict) {
  for (const Finding& finding : verdict.findings)
    if (finding.code == "LB-PCIE-WIDTH") return finding;
  return {};
}

Verdict judged(const std::string& what, const std::string& code, const std::string& expires) {
  return judge(narrow_link(exception(what, code, expires)).finish());
}

TEST(Exceptions, AnAcceptedFindingKeepsItsClassAndDoesNotFail) {
  for (const char* what : {"component = \"0000:17:00.0\"", "address = \"17:00.0\"", "slot = \"7\"",
                           "component = \"*\""}) {
    const Verdict verdict = judged(what, "LB-PCIE-WIDTH", "2027-01-31");
    EXPECT_EQ(verdict.outcome, Outcome::pass) << what;
    const Finding finding = width_finding(verdict);
    EXPECT_EQ(finding.cls, FindingClass::degraded);
    EXPECT_EQ(finding.accepted, "until 2027-01-31: ticket 4711 (site.toml:2)");
  }
}

TEST(Exceptions, TheLastDayCountsAndTheNextDoesNot) {
  EXPECT_EQ(judged("slot = \"7\"", "*", "2026-11-30").outcome, Outcome::pass);
  const Verdict verdict = judged("slot = \"7\"", "*", "2026-11-29");
  EXPECT_EQ(verdict.outcome, Outcome::fail);
  EXPECT_TRUE(width_finding(verdict).accepted.empty());
  EXPECT_THAT(width_finding(verdict).detail, HasSubstr("expired on 2026-11-29 (site.toml:2)"));
}

TEST(Exceptions, OthersAreNotCovered) {
  EXPECT_EQ(judged("slot = \"8\"", "*", "2027-01-31").outcome, Outcome::fail);
  EXPECT_EQ(judged("slot = \"7\"", "LB-DEV-LOST", "2027-01-31").outcome, Outcome::fail);
  EXPECT_EQ(judged("address = \"18:00.0\"", "*", "2027-01-31").outcome, Outcome::fail);
}

TEST(Exceptions, OneThatHoldsMakesAnExpiredOneOldNews) {
  const Verdict verdict = judge(narrow_link(exception("slot = \"7\"", "*", "2026-01-01") +
                                            exception("slot = \"7\"", "*", "2027-01-01"))
                                    .finish());
  EXPECT_EQ(verdict.outcome, Outcome::pass);
  EXPECT_THAT(width_finding(verdict).detail, testing::Not(HasSubstr("expired")));
}

TEST(Exceptions, WithoutADateNothingIsAccepted) {
  Evidence evidence = narrow_link(exception("slot = \"7\"", "*", "2027-01-31")).finish();
  std::get<RunStart>(evidence.records.front().body).started = "";
  const Verdict verdict = judge(evidence);
  EXPECT_EQ(verdict.outcome, Outcome::fail);
  EXPECT_THAT(width_finding(verdict).detail, HasSubstr("no date"));
}

TEST(Exceptions, WhatIsAcceptedDoesNotHideAnotherFaultOfTheLink) {
  const std::string site = exception("slot = \"7\"", "LB-PCIE-WIDTH", "2027-01-31");
  const auto with_errors = [](EvidenceBuilder builder) {
    builder.counter(kCard, "aer_fatal/TOTAL_ERR_FATAL", 0, true, Phase::idle);
    return builder.counter(kCard, "aer_fatal/TOTAL_ERR_FATAL", 1);
  };
  EvidenceBuilder builder = EvidenceBuilder::run();
  builder.record(SiteText{"site.toml", "schema = 1\n" + site});
  Link link = make_link(kCard, kPort);
  link.device_end.width = link.peer_end.width = LinkWidth{8};
  link.slot = Slot{"7", "kernel"};
  builder.device(make_device(kCard, {kPort})).link(link);
  EXPECT_NE(judge(builder.finish()).outcome, Outcome::fail);
  const Verdict verdict = judge(with_errors(builder).finish());
  EXPECT_EQ(verdict.outcome, Outcome::fail);
  EXPECT_EQ(std::count_if(verdict.findings.begin(), verdict.findings.end(), fails), 1);
}

TEST(Exceptions, ACodeThatNoFindingHasIsTold) {
  const auto told = [](const std::string& code) {
    const Verdict verdict = judged("component = \"*\"", code, "2027-01-31");
    return std::any_of(verdict.not_judged.begin(), verdict.not_judged.end(),
                       [&](const NotJudged& note) { return note.what == "exception for " + code; });
  };
  EXPECT_TRUE(told("LB-PCIE-WIDHT"));
  EXPECT_FALSE(told("LB-PCIE-WIDTH"));
  EXPECT_FALSE(told("*"));
}

TEST(SiteInAVerdict, APolicyReplacesTheRecordedFile) {
  const Evidence evidence = narrow_link(exception("slot = \"7\"", "*", "2027-01-31")).finish();
  EXPECT_EQ(judge(evidence).outcome, Outcome::pass);
  EXPECT_EQ(judge(evidence, {SiteText{"other.toml", "schema = 1\n"}}).outcome, Outcome::fail);
  EXPECT_EQ(judge(evidence, {SiteText{}}).outcome, Outcome::fail);
}

TEST(SiteInAVerdict, AFileThatCannotBeUnderstoodIsIncomplete) {
  EvidenceBuilder builder = EvidenceBuilder::inspect();
  builder.record(SiteText{"site.toml", "schema = 99\n"}).link(make_link(kCard, kPort));
  const Verdict verdict = judge(builder.finish());
  EXPECT_EQ(verdict.outcome, Outcome::incomplete);
  EXPECT_THAT(verdict.reasons, testing::Contains(HasSubstr("site file could not be understood")));
}

TEST(SiteInAVerdict, WhatTheSiteExpectsIsRequired) {
  const auto idle = [](const std::string& site) {
    EvidenceBuilder builder = EvidenceBuilder::inspect().require({"presence", "width"});
    builder.record(SiteText{"site.toml", "schema = 1\n" + site});
    Link link = make_link(kCard, kPort);
    link.device_end.speed = link.peer_end.speed = LinkSpeed{2500};
    return judge(builder.device(make_device(kCard, {kPort})).link(link).finish()).outcome;
  };
  EXPECT_EQ(idle(""), Outcome::pass);
  EXPECT_EQ(idle("[[slot]]\naddress = \"17:00.0\"\nwidth = 16\n"), Outcome::pass);
  EXPECT_EQ(idle("[[slot]]\naddress = \"17:00.0\"\nspeed_gts = 16\n"), Outcome::incomplete);
}

TEST(SiteInAVerdict, WhatNoRuleSpeaksOfIsNoPass) {
  const auto outcome = [](const std::string& site, const Body& more) {
    EvidenceBuilder builder = EvidenceBuilder::inspect();
    builder.record(SiteText{"site.toml", "schema = 1\n" + site});
    builder.device(make_device(kCard, {kPort})).link(make_link(kCard, kPort)).record(more);
    return judge(builder.finish());
  };
  const std::string slot = "[[slot]]\naddress = \"0000:65:00.0\"\ntype = \"gpu\"\n";
  const Body twin = make_device("0000:65:00.0");
  EXPECT_EQ(outcome(slot, twin).outcome, Outcome::pass);
  const Verdict hidden = outcome(slot + "width = 16\n", twin);
  EXPECT_EQ(hidden.outcome, Outcome::incomplete) << "a device without a link of its own";
  EXPECT_THAT(hidden.reasons, testing::ElementsAre(HasSubstr("link width of slot 0000:65:00.0")));
  Interface bond = make_interface("bond0", "");
  bond.type = "bond";
  bond.pci.reset();
  EXPECT_EQ(outcome("", bond).outcome, Outcome::pass);
  EXPECT_EQ(outcome("[[port]]\ninterface = \"bond0\"\nrate_gbps = 200\n", bond).outcome,
            Outcome::incomplete);
  const std::string port = "[[port]]\nport = \"mlx5_0/1\"\nexpect = \"up\"\n";
  const Body roce = make_roce_port("mlx5_0/1", kCard, "eth0");
  EXPECT_EQ(outcome(port, roce).outcome, Outcome::pass);
  EXPECT_EQ(outcome(port + "[[port]]\ninterface = \"eth0\"\nrate_gbps = 400\n", roce).outcome,
            Outcome::incomplete)
      << "two entries for one port";
}

TEST(SiteInAVerdict, ASleepingLinkThatTheSiteExpectsIsIncomplete) {
  const auto outcome = [](const std::string& site) {
    EvidenceBuilder builder = EvidenceBuilder::inspect();
    builder.record(SiteText{"site.toml", "schema = 1\n" + site});
    Link asleep = make_link("0000:65:00.0", "0000:64:01.0");
    asleep.device_end = asleep.peer_end = {};
    asleep.device_end.files = asleep.peer_end.files = true;
    asleep.device_end.runtime_status = "suspended";
    builder.device(make_device("0000:65:00.0", {"0000:64:01.0"})).link(asleep);
    return judge(builder.link(make_link(kCard, kPort)).finish()).outcome;
  };
  EXPECT_EQ(outcome(""), Outcome::pass);
  EXPECT_EQ(outcome("[[slot]]\naddress = \"65:00.0\"\nwidth = 16\n"), Outcome::incomplete);
}

TEST(SiteInAVerdict, TwoThingsMissingOnTheNodeAreTwoFindings) {
  EvidenceBuilder builder = EvidenceBuilder::inspect();
  builder.record(SiteText{"site.toml", "schema = 1\n[expect]\ngpu = 8\nnvme = 2\n"});
  const Verdict verdict = judge(builder.link(make_link(kCard, kPort)).finish());
  EXPECT_EQ(verdict.outcome, Outcome::fail);
  EXPECT_EQ(std::count_if(verdict.findings.begin(), verdict.findings.end(), fails), 2);
}

TEST(SiteInAVerdict, PlacesGoByTheirStickers) {
  const Verdict verdict =
      judge(narrow_link("[[slot]]\nslot = \"7\"\nwidth = 16\nname = \"FRONT 7\"\n").finish());
  ASSERT_TRUE(width_finding(verdict).place);
  EXPECT_EQ(width_finding(verdict).place->label, "FRONT 7");
  EXPECT_EQ(width_finding(verdict).origin, "site file site.toml:2");
}

TEST(SiteInAVerdict, TheOddOneOutIsToldOnce) {
  EvidenceBuilder builder = EvidenceBuilder::inspect();
  for (int i = 0; i < 8; ++i) {
    const std::string card = "0000:1" + std::to_string(i) + ":00.0";
    const std::string port = "0000:2" + std::to_string(i) + ":00.0";
    Link link = make_link(card, port);
    if (i == 7) {
      link.peer_end.max_width = link.peer_end.width = LinkWidth{8};
      link.device_end.width = LinkWidth{8};
    }
    builder.device(make_device(card, {port})).link(link);
  }
  const Verdict verdict = judge(builder.finish());
  EXPECT_EQ(verdict.outcome, Outcome::fail);
  const auto about =
      std::count_if(verdict.findings.begin(), verdict.findings.end(),
                    [](const Finding& finding) { return finding.component == id("0000:17:00.0"); });
  EXPECT_EQ(about, 1);
  EXPECT_EQ(verdict.findings.front().code, "LB-ODD-ONE-OUT");
}

}  // namespace
}  // namespace linkburn
