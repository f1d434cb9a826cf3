#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/base/text.h"
#include "report/catalogue.h"
#include "tests/report/render/samples.h"

namespace linkburn {
namespace {

using samples::rendered;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string text_of(const Report& report) { return rendered("text", report); }

TEST(Text, APassIsShort) {
  EXPECT_EQ(text_of(samples::pass()),
            R"(PASS  gpu017  smoke  2 healthy

PCIe links
  device   name                   path to the root  negotiated     rated          slot  judged
  1b:00.0  NVIDIA A100 80GB PCIe  < 2b:00.0         16.0 GT/s x16  16.0 GT/s x16  7     healthy
  1c:00.0  NVIDIA A100 80GB PCIe  < 2c:00.0         16.0 GT/s x16  16.0 GT/s x16  8     healthy
  slot names: 2 from kernel

RDMA ports
  port      state   rate of rated  lanes  link layer  netdev  gid  device  judged
  mlx5_0/1  ACTIVE  200 Gb/s       -      InfiniBand  -       -    -       no

Memory copies measured in this run (payload counted once)
  path          median     lowest     laps  step         how
  numa0->numa1  11.0 GB/s  10.0 GB/s  6     host_copy-1  -

Evidence of linkburn 0.1.0, started 2026-11-30T21:09:00Z, link state sampled every 20 ms (shorter
events can have been missed)
evidence: /var/tmp/gpu017.jsonl
)");
}

TEST(Text, APortShowsItsInterfaceItsRatingAndItsGid) {
  Report report = samples::pass();
  samples::add_roce(report.nodes[0]);
  report.verdict.findings.push_back(samples::slow_port());
  const std::string text = rendered("text", report, {false, 120});
  EXPECT_THAT(text, ContainsRegex("mlx5_1/1 +ACTIVE +25 of 100 Gb/s +1X EDR +Ethernet "
                                  "+eth1 +3 +1c:00.0 +degraded\n"));
  EXPECT_THAT(text,
              ContainsRegex("eno1 +physical +no link: No cable +- +10 Gb/s +- +1b:00.0 +no\n"));
  EXPECT_THAT(text, ContainsRegex("bond0 +bond +link +25 Gb/s +- +802.3ad eth1 +- +no\n"));
}

TEST(Text, AFailureAnswersWhereWhatHowSureWhichLimitAndWhatNext) {
  const std::string text = text_of(samples::fail());
  EXPECT_THAT(text, StartsWith("FAIL  gpu017  smoke  1 degraded, 1 healthy, 2 not judged\n\n"
                               "DEGRADED  slot 7 [kernel]  0000:1b:00.0  NVIDIA A100"));
  EXPECT_THAT(text, HasSubstr("(LB-PCIE-WIDTH)"));
  EXPECT_THAT(text, HasSubstr("negotiated 16.0 GT/s x8, rated 16.0 GT/s x16\n"));
  EXPECT_THAT(text, HasSubstr("  seen   Width 8 in 3 of 3 readings.\n"));
  EXPECT_THAT(text, HasSubstr("2026-11-30T21:09:12Z, phase measure (under load), evidence records "
                              "12, 15\n"));
  EXPECT_THAT(text, HasSubstr("  limit  x16, from: lower capability of the two ends\n"));
  EXPECT_THAT(text,
              HasSubstr(fmt::format("  next   1. {}\n", catalogue_row("LB-PCIE-WIDTH").next[0])));
}

TEST(Text, ADisputedSlotNameIsShownWithBothSources) {
  Report report = samples::fail();
  for (Record& record : report.nodes.front().records)
    if (auto* component = std::get_if<Component>(&record.body); component && component->slot)
      component->slot = Slot{"PCIE7", "smbios", {{"4", "kernel"}}};
  report.verdict.findings.front().place = Slot{"PCIE7", "smbios", {{"4", "kernel"}}};
  const std::string text = text_of(report);
  EXPECT_THAT(text, HasSubstr("DEGRADED  slot PCIE7 [smbios], but kernel says 4  0000:1b:00.0"));
  EXPECT_THAT(text, HasSubstr("  disputed: slot PCIE7 [smbios], but kernel says 4"));
}

TEST(Text, WhatTheSiteAcceptsIsShownWithItsDay) {
  Report report = samples::fail();
  EXPECT_THAT(samples::rendered("text", report), Not(HasSubstr("accepted by the site")));
  report.verdict.findings.front().accepted = "until 2027-01-31: riser on order (site.toml:7)";
  EXPECT_THAT(samples::rendered("text", report),
              HasSubstr("accepted by the site until 2027-01-31: riser on order"));
}

TEST(Text, StepsStandAtTheFirstFindingOfACode) {
  Report report = samples::fail();
  report.verdict.findings.push_back(samples::finding(FindingClass::degraded, 0x1c));
  const std::string text = text_of(report);
  EXPECT_EQ(text.find("  next   1. "), text.rfind("  next   1. "));
  EXPECT_THAT(text, HasSubstr("  next   as for 0000:1b:00.0 above\n"));
}

TEST(Text, ThingsNotJudgedAreGroupedByReason) {
  EXPECT_THAT(text_of(samples::fail()),
              HasSubstr("Not judged\n"
                        "  - not readable (2 times): AER counters of 0000:1b:00.0, AER counters of "
                        "0000:1c:00.0\n"
                        "    needs: root\n"));
}

TEST(Text, ManyReasonsAreCut) {
  Report report = samples::pass();
  for (int i = 0; i < 40; ++i)
    report.verdict.not_judged.push_back({"x", "reason " + std::to_string(i), "", ""});
  const std::string text = text_of(report);
  EXPECT_THAT(text, HasSubstr("  - reason 11: x\n"));
  EXPECT_THAT(text, Not(HasSubstr("reason 12")));
  EXPECT_THAT(text, HasSubstr("and 28 more reasons"));
}

TEST(Text, AnUndecidedFindingSaysWhatIsMissing) {
  const std::string text = text_of(samples::incomplete());
  EXPECT_THAT(text, StartsWith("INCOMPLETE  gpu017  smoke  1 undecided, 1 healthy\n\nUNDECIDED  "));
  EXPECT_THAT(text, HasSubstr("slot 7 [kernel]  0000:1b:00.0"));
  EXPECT_THAT(text, HasSubstr("  needs  load on the link: linkburn run smoke\n"));
  EXPECT_THAT(text, HasSubstr("Why it is INCOMPLETE\n  - The speed of 0000:1b:00.0 is required"));
}

TEST(Text, ASpeedReadWithoutLoadIsMarked) {
  const std::string idle = text_of(samples::incomplete());
  EXPECT_THAT(idle, HasSubstr("2.5 GT/s x16*"));
  EXPECT_THAT(idle, HasSubstr("  * this speed was read without load"));
  Report loaded = samples::fail();
  samples::add(loaded.nodes[0],
               samples::reading(samples::device(0x1b), "link_speed", 2.5, Phase::measure));
  EXPECT_THAT(text_of(loaded), Not(HasSubstr("without load")));
}

TEST(Text, TheWorstComesFirst) {
  Report report = samples::fail();
  report.verdict.findings.push_back(samples::finding(FindingClass::lost, 0x1c));
  const std::string text = text_of(report);
  EXPECT_THAT(text, StartsWith("FAIL  gpu017  smoke  1 lost, 1 degraded, 1 healthy"));
  EXPECT_LT(text.find("\nLOST  slot 8 [kernel]  0000:1c:00.0"), text.find("\nDEGRADED  "));
  EXPECT_THAT(text, ContainsRegex("0000:1c:00.0 .* no answer .* lost\n"));
}

TEST(Text, AMachineWithoutLinksSaysSoAtOnce) {
  EXPECT_THAT(text_of(samples::no_links()),
              StartsWith("INCOMPLETE  vm3  inspect  nothing judged\n"
                         "No PCIe link was found on vm3: nothing can be said about its slots.\n"));
  EXPECT_THAT(text_of(Report{}), HasSubstr("There is no evidence of any node.\n"));
}

TEST(Text, AKilledRunIsNotAMachineWithoutLinks) {
  Report report = samples::no_links();
  report.nodes[0].records.pop_back();
  EXPECT_THAT(text_of(report), HasSubstr("ends before any PCIe link was found"));
}

TEST(Text, ACapturedTreeIsNamed) {
  Report report = samples::pass();
  std::get<RunStart>(report.nodes[0].records[0].body).source = "/tmp/capture";
  EXPECT_THAT(text_of(report),
              HasSubstr("This is the captured tree /tmp/capture, not a live node."));
}

TEST(Text, CapturedTextsAreNamedAsSuch) {
  const std::string text = text_of(samples::captured());
  EXPECT_THAT(text, HasSubstr("These are captured texts: bug.tgz, notes.txt, not a live node."));
  EXPECT_THAT(text, Not(HasSubstr("captured tree")));
}

TEST(Text, WhatWasReadStandsBetweenFindingsAndWhatWasNotJudged) {
  Report report = samples::captured();
  report.verdict.not_judged.push_back({"speed", "asleep", "", "", std::nullopt});
  const std::string text = text_of(report);
  EXPECT_THAT(text, ContainsRegex("bug.tgz:lspci.txt +lspci +40 +2\n"));
  EXPECT_THAT(text, ContainsRegex("notes.txt +not recognised +12 +12\n"));
  EXPECT_THAT(text, HasSubstr("  - notes.txt, not recognised: \"hello\"\n"));
  EXPECT_THAT(text, HasSubstr("not understood: \"LnkSta: Spe\", \"...\"\n"));
  EXPECT_LT(text.find("UNDECIDED"), text.find("\nRead\n"));
  EXPECT_LT(text.find("\nRead\n"), text.find("\nNot judged\n"));
  EXPECT_THAT(text_of(samples::pass()), Not(HasSubstr("\nRead\n")));
}

TEST(Text, OfALoneEndTheUpperOneIsNotKnown) {
  EXPECT_THAT(text_of(samples::captured()), HasSubstr("upper end not captured"));
}

TEST(Text, GpusShowTheirLinks) {
  const std::string text = text_of(samples::captured());
  EXPECT_THAT(text, HasSubstr("3 of 3 active "));
  EXPECT_THAT(text, HasSubstr("1 of 3 active, not 1 2"));
  EXPECT_THAT(text, HasSubstr("25.78 GB/s"));
  EXPECT_THAT(text_of(samples::pass()), Not(HasSubstr("GPUs, as")));
}

TEST(Text, OfEachTestTheLowestAndTheHighestRateOfItsLargestMessage) {
  RenderOptions wide;
  wide.columns = 200;
  const std::string text = samples::rendered("text", samples::captured(), wide);
  EXPECT_THAT(text, HasSubstr("Rates of other tools in GB/s"));
  EXPECT_THAT(text, ContainsRegex("h2d, copy engine, pinned +6.5 +gpu1 +12.5 +gpu0 +2 +-\n"));
  EXPECT_THAT(text, Not(HasSubstr(" 0.1 ")));
}

TEST(Text, AnUndecidedFindingListsTheCommandsThatSettleIt) {
  EXPECT_THAT(text_of(samples::captured()), HasSubstr("         settle it with:\n"
                                                      "           sudo lspci -vvv -s 0000:1b:00.0\n"
                                                      "           lspci -t\n"));
}

TEST(Text, SeveralNodesHaveOneHeadAndTheWorstNodeFirst) {
  const std::string text = text_of(samples::several_nodes());
  EXPECT_THAT(text, StartsWith("FAIL  2 nodes  smoke  1 degraded, 1 healthy\n"));
  const auto bad = text.find("== gpu017  1 degraded"), good = text.find("== gpu016  1 healthy");
  ASSERT_NE(bad, std::string::npos);
  ASSERT_NE(good, std::string::npos);
  EXPECT_LT(bad, good);
}

TEST(Text, OfManyNodesOnlyTheExceptionsAreInFull) {
  Report report = samples::several_nodes();
  for (int i = 100; i < 140; ++i) {
    const std::string name = "gpu" + std::to_string(i);
    report.nodes.push_back(samples::node(name));
    Finding healthy = samples::finding(FindingClass::healthy, 0x1b);
    healthy.node = name;
    report.verdict.findings.push_back(healthy);
  }
  const std::string text = text_of(report);
  EXPECT_THAT(text, HasSubstr("== gpu139  1 healthy\n"));
  EXPECT_THAT(text, HasSubstr("evidence: /var/tmp/gpu017.jsonl"));
  EXPECT_THAT(text, Not(HasSubstr("evidence: /var/tmp/gpu139.jsonl")));
}

TEST(Text, ColourMarksWordsAndCarriesNoMeaning) {
  const std::string plain = text_of(samples::fail());
  std::string coloured = rendered("text", samples::fail(), {true, 100});
  EXPECT_THAT(coloured, StartsWith("\x1b[1;31mFAIL\x1b[0m  gpu017"));
  for (const std::string code : {"\x1b[1;31m", "\x1b[32m", "\x1b[33m", "\x1b[36m", "\x1b[0m"})
    for (auto at = coloured.find(code); at != std::string::npos; at = coloured.find(code))
      coloured.erase(at, code.size());
  EXPECT_EQ(coloured, plain);
}

TEST(Text, LinesKeepToTheColumnsAndToAscii) {
  for (const std::size_t columns : {60U, 80U, 100U, 140U})
    for (const Report& report : {samples::fail(), samples::incomplete(), samples::several_nodes(),
                                 samples::no_links(), samples::hostile()}) {
      const std::string text = rendered("text", report, {false, static_cast<int>(columns)});
      for (const std::string_view line : lines_of(text)) {
        // A path is for copying and is never broken.
        if (!line.starts_with("evidence: ")) {
          EXPECT_LE(line.size(), columns) << line;
        }
        for (const char c : line) EXPECT_TRUE(c >= ' ' && c <= '~') << line;
      }
    }
}

TEST(Text, HostileTextCannotFloodTheReport) {
  const std::string text = text_of(samples::hostile());
  EXPECT_THAT(text, StartsWith("FAIL  "));
  EXPECT_LT(text.size(), 40'000U);
}

}  // namespace
}  // namespace linkburn
