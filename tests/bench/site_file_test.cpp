#include "bench/site_file.h"

#include <gmock/gmock.h>

#include <fstream>

#include "bench/inventory/inventory.h"
#include "report/ratings/site.h"
#include "report/verdict.h"
#include "tests/support/evidence_builder.h"
#include "tests/support/node.h"
#include "tests/support/temp_dir.h"

namespace linkburn {
namespace {

using test::Node;
using test::TempDir;
using testing::HasSubstr;
using testing::Not;

/// An inspect of a node tree.
Evidence inspect(const std::string& tree, const std::vector<std::string>& overlays = {}) {
  const Node node(tree, overlays);
  const Inventory inventory = discover(node.root(), read_directly(node.root()));
  EvidenceBuilder builder = EvidenceBuilder::inspect().node(inventory.facts.name);
  for (Body& body : to_records(inventory)) builder.record(std::move(body));
  return builder.finish();
}

std::string written(const Evidence& evidence) {
  const auto text = write_site(evidence, judge(evidence));
  EXPECT_TRUE(text) << (text ? "" : text.error().line());
  return text ? *text : "";
}

std::string refused(const Evidence& evidence) {
  const auto text = write_site(evidence, judge(evidence));
  return text ? "written" : text.error().line();
}

TEST(WriteSite, WhatIsWrittenIsReadBackAndJudgesTheSameNodeTheSame) {
  for (const char* tree : {"pair.tree", "switch8.tree"}) {
    const Evidence evidence = inspect(tree);
    const Verdict before = judge(evidence);
    const Verdict after = judge(evidence, {SiteText{"site.toml", written(evidence)}});
    EXPECT_EQ(before.outcome, Outcome::pass) << tree;
    EXPECT_EQ(after.outcome, Outcome::pass) << tree;
  }
}

TEST(WriteSite, OneOfADrillSaysSoFirst) {
  Evidence evidence = inspect("pair.tree");
  EXPECT_THAT(written(evidence), Not(HasSubstr("DRILL")));
  std::get<RunStart>(evidence.records.front().body).drill = true;
  EXPECT_THAT(written(evidence), testing::StartsWith("# DRILL"));
}

TEST(WriteSite, EveryLinkAndPortIsDescribed) {
  const auto site = read_site(written(inspect("switch8.tree")), "site.toml", "switch8-042");
  ASSERT_TRUE(site);
  EXPECT_TRUE(site->host_found);
  EXPECT_EQ(site->counts.at("gpu").count, 8);
  EXPECT_EQ(site->counts.at("nvme").count, 12);
  EXPECT_EQ(site->counts.at("port").count, 10);
  EXPECT_EQ(site->ports.size(), 10U);
  // 30 devices and six links above switches.
  EXPECT_EQ(site->slots.size(), 36U);
  for (const SiteSlot& slot : site->slots) EXPECT_TRUE(slot.speed && slot.width) << slot.slot;
}

TEST(WriteSite, AnotherHostIsNotMeant) {
  const auto site = read_site(written(inspect("pair.tree")), "site.toml", "pair2");
  ASSERT_TRUE(site);
  EXPECT_FALSE(site->host_found);
  EXPECT_TRUE(site->slots.empty());
}

TEST(WriteSite, AFaultyNodeIsNotTakenForGood) {
  EXPECT_THAT(refused(inspect("pair.tree", {"width-x8.overlay"})),
              testing::AllOf(HasSubstr("0000:17:00.0"), HasSubstr("degraded")));
  EXPECT_THAT(refused(inspect("pair.tree", {"max-missing.overlay"})), HasSubstr("undecided"));
  EXPECT_THAT(refused(inspect("nolinks.tree")), HasSubstr("no site file is written"));
}

TEST(WriteSite, AnIdleLinkIsToldAndNoReasonToRefuse) {
  const std::string text = written(inspect("pair.tree", {"speed-gen3-idle.overlay"}));
  EXPECT_THAT(text, HasSubstr("1 link was slow while idle"));
  EXPECT_THAT(text, HasSubstr("speed_gts = 32"));
  EXPECT_THAT(written(inspect("pair.tree")), Not(HasSubstr("idle")));
}

/// A port at 25 of its 100 Gb/s and without an IP address, on a node that is known to be good.
TEST(WriteSite, WhatTheFabricGivesAndWhichPortHasNoAddressIsSaid) {
  EvidenceBuilder builder = EvidenceBuilder::inspect().node("n1");
  builder.link(make_link("0000:17:00.0", "0000:16:01.0")).device(make_device("0000:17:00.0"));
  Port port = make_roce_port("mlx5_0/1", "0000:17:00.0", "eth0");
  port.gids = {{1, "fe80::1", "RoCE v2", "eth0"}};
  port.gids_read = true;
  Interface interface = make_interface("eth0", "0000:17:00.0");
  interface.speed_gbps = 25;
  interface.supported_gbps = 100;
  const Evidence evidence = builder.port(port).record(interface).finish();
  EXPECT_EQ(judge(evidence).outcome, Outcome::incomplete);
  const std::string text = written(evidence);
  EXPECT_THAT(text, HasSubstr("rate_gbps = 25"));
  EXPECT_THAT(text, HasSubstr("ip = \"none\""));
  EXPECT_EQ(judge(evidence, {SiteText{"site.toml", text}}).outcome, Outcome::pass);
}

TEST(WriteSite, AnUnfinishedRunIsRefused) {
  Evidence evidence = inspect("pair.tree");
  evidence.records.pop_back();
  EXPECT_THAT(refused(evidence), HasSubstr("did not end"));
}

TEST(WriteSite, ALabelOfTwoPlacesNamesNeither) {
  EvidenceBuilder builder = EvidenceBuilder::inspect();
  for (const char* card : {"0000:17:00.0", "0000:65:00.0"}) {
    Link link = make_link(card, "0000:16:01.0");
    link.peer = id(std::string(card).substr(0, 6) + "6:01.0");
    link.slot = Slot{"1", "kernel"};
    builder.device(make_device(card)).link(link);
  }
  const auto site = read_site(written(builder.finish()), "site.toml", "n1");
  ASSERT_TRUE(site);
  ASSERT_EQ(site->slots.size(), 2U);
  EXPECT_EQ(site->slots[0].slot, "0000:17:00.0");
}

TEST(WriteSite, OddNamesStayWhatTheyAre) {
  EvidenceBuilder builder = EvidenceBuilder::inspect().node("a\"b[1]\\");
  Link link = make_link("0000:17:00.0", "0000:16:01.0");
  link.slot = Slot{"top \"left\" \\ \x01", "kernel"};
  builder.device(make_device("0000:17:00.0")).link(link);
  const auto site = read_site(written(builder.finish()), "site.toml", "a\"b[1]\\");
  ASSERT_TRUE(site) << site.error().line();
  EXPECT_TRUE(site->host_found);
  EXPECT_EQ(site->slots[0].slot, "top \"left\" \\ ?");
}

TEST(SaveSite, NothingIsOverwritten) {
  const TempDir dir;
  const std::string path = dir.path() + "/site.toml";
  EXPECT_TRUE(check_new_file(path));
  EXPECT_TRUE(save_site(path, "one"));
  EXPECT_FALSE(check_new_file(path));
  EXPECT_FALSE(save_site(path, "two"));
  std::string text;
  std::getline(std::ifstream(path), text);
  EXPECT_EQ(text, "one");
  EXPECT_FALSE(save_site(dir.path() + "/none/site.toml", "one"));
}

TEST(SiteInForce, NoneAndNothingAreNone) {
  EXPECT_FALSE(site_in_force("none", true).value());
  EXPECT_FALSE(site_in_force("", false).value());
}

TEST(SiteInForce, AFileIsReadAndChecked) {
  const TempDir dir;
  const std::string path = dir.path() + "/site.toml";
  EXPECT_THAT(site_in_force(path, true).error().line(), HasSubstr(path));
  std::ofstream(path) << "schema = 1\n[expect]\ngpu = 8\n";
  const auto site = site_in_force(path, false);
  ASSERT_TRUE(site && *site);
  EXPECT_EQ((*site)->file, path);
  std::ofstream(path) << "schema = 1\n[[host]]\nmatch = [\"other\"]\nexpct = 1\n";
  EXPECT_THAT(site_in_force(path, false).error().line(), HasSubstr(path + ":4"));
  EXPECT_FALSE(site_in_force(dir.path(), false));
}

TEST(NameSlots, PlacesGetTheirStickersBeforeTheyAreRecorded) {
  const Node node("pair.tree");
  std::vector<Body> records = to_records(discover(node.root(), read_directly(node.root())));
  name_slots({"site.toml", "schema = 1\n[slot_names]\n\"1\" = \"FRONT 1\"\n\"3b:00\" = \"REAR\"\n"},
             "pair", records);
  std::vector<std::string> labels;
  for (const Body& body : records)
    if (const auto* link = std::get_if<Link>(&body)) labels.push_back(link->slot->label);
  EXPECT_THAT(labels, testing::ElementsAre("FRONT 1", "REAR"));
}

}  // namespace
}  // namespace linkburn
