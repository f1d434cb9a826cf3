#include "report/ratings/site.h"

#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include "tests/support/evidence_builder.h"

namespace linkburn {
namespace {

using testing::HasSubstr;

Site site_of(std::string_view text, std::string_view host = "gpu007") {
  auto site = read_site(text, "site.toml", host);
  EXPECT_TRUE(site) << (site ? "" : site.error().line());
  return site ? *site : Site{};
}

std::string error_of(const std::string& text) {
  const auto site = read_site("schema = 1\n" + text, "site.toml", "gpu007");
  return site ? "no error" : site.error().line();
}

TEST(Site, WithoutHostBlocksAFileConcernsAll) {
  const Site site = site_of("schema = 1\n[expect]\ngpu = 8\n");
  EXPECT_EQ(site.counts.at("gpu").count, 8);
  EXPECT_EQ(site.counts.at("gpu").line, 3);
  EXPECT_FALSE(site.host_blocks);
  EXPECT_EQ(site.file, "site.toml");
}

TEST(Site, MatchingBlocksOverrideAndAddInOrder) {
  const Site site = site_of(R"(schema = 1
[expect]
gpu = 4
nvme = 2
[[slot]]
slot = "1"
type = "gpu"
width = 8
[[host]]
match = ["gpu*"]
[host.expect]
gpu = 8
[[host.slot]]
slot = "1"
width = 16
[[host.port]]
port = "mlx5_0/1"
rate_gbps = 400
[[host]]
match = ["gpu[001-064]", "x"]
[[host.slot]]
address = "17:00.0"
speed_gts = 32
[[host.port]]
port = "mlx5_0/1"
expect = "down"
[[host]]
match = ["other"]
[host.expect]
gpu = 1
)");
  EXPECT_TRUE(site.host_found);
  EXPECT_EQ(site.counts.at("gpu").count, 8);
  EXPECT_EQ(site.counts.at("nvme").count, 2);
  ASSERT_EQ(site.slots.size(), 2U);
  EXPECT_EQ(site.slots[0].type, "gpu");
  EXPECT_EQ(site.slots[0].width, LinkWidth{16});
  EXPECT_EQ(site.slots[0].line, 13);
  EXPECT_EQ(site.slots[1].speed, LinkSpeed{32000});
  ASSERT_EQ(site.ports.size(), 1U);
  EXPECT_EQ(site.ports[0].rate_gbps, 400);
  EXPECT_EQ(site.ports[0].up, false);
}

TEST(Site, AHostThatNoBlockNamesHasTheDefaultsAlone) {
  const Site site = site_of("schema = 1\n[[host]]\nmatch = [\"a\"]\n[host.expect]\ngpu = 8\n");
  EXPECT_TRUE(site.host_blocks);
  EXPECT_FALSE(site.host_found);
  EXPECT_TRUE(site.counts.empty());
}

TEST(Site, SlotsAreFoundByAddressAndByAnySourcesLabel) {
  const Site site = site_of(R"(schema = 1
[[slot]]
slot = "3"
[[slot]]
address = "0000:17:00"
)");
  const Slot three{"PCIE 3", "smbios", {{"3", "kernel"}}};
  EXPECT_EQ(site.slot(id("0000:65:00.0"), three), &site.slots[0]);
  EXPECT_EQ(site.slot(id("0000:17:00.0"), three), &site.slots[1]);
  EXPECT_EQ(site.slot(id("0000:17:00.1"), std::nullopt), &site.slots[1]);
  EXPECT_EQ(site.slot(id("0000:18:00.0"), Slot{"4", "kernel"}), nullptr);
  EXPECT_EQ(site.slot(id("mlx5_0/1"), std::nullopt), nullptr);
}

TEST(Site, SlotNamesKeepWhatThePlaceWasCalled) {
  const Site site = site_of("schema = 1\n[slot_names]\n\"3\" = \"FRONT 3\"\n");
  const Slot place{"3", "kernel"};
  const auto sticker = site.slot_name(id("0000:17:00.0"), place);
  ASSERT_EQ(sticker, "FRONT 3");
  const Slot named = renamed(place, *sticker);
  EXPECT_EQ(named.label, "FRONT 3");
  EXPECT_EQ(named.source, "site");
  EXPECT_TRUE(names_place("3", named));
  // Named twice is named once.
  EXPECT_EQ(renamed(named, *sticker).others.size(), 1U);
  EXPECT_EQ(site.slot_name(id("0000:17:00.0"), Slot{"4", "kernel"}), std::nullopt);
}

TEST(Site, PortsAreFoundByBothNames) {
  const Site site = site_of("schema = 1\n[[port]]\ninterface = \"eth0\"\nexpect = \"up\"\n");
  Port port = make_port("mlx5_0/1");
  EXPECT_EQ(site.port(port), nullptr);
  port.netdev = "eth0";
  EXPECT_EQ(site.port(port), &site.ports[0]);
}

TEST(Site, ExceptionsHaveADayWithAndWithoutQuotes) {
  for (const char* day : {"2027-01-31", "\"2027-01-31\""}) {
    const Site site = site_of(std::string("schema = 1\n[[exception]]\ncomponent = \"*\"\ncode = "
                                          "\"LB-PCIE-WIDTH\"\nreason = \"r\"\nexpires = ") +
                              day + "\n");
    ASSERT_EQ(site.exceptions.size(), 1U);
    EXPECT_EQ(site.exceptions[0].expires, "2027-01-31");
  }
}

TEST(Site, UnknownKeysNameFileLineAndTheNearestKey) {
  EXPECT_THAT(error_of("[expect]\ngpus = 8\n"), HasSubstr("site.toml:3"));
  EXPECT_THAT(error_of("[expect]\ngpus = 8\n"), HasSubstr("did you mean 'gpu'?"));
  EXPECT_THAT(error_of("[[host]]\nmatch = [\"zzz\"]\n[[host.slot]]\nslot = \"1\"\nwidht = 8\n"),
              testing::AllOf(HasSubstr("site.toml:6"), HasSubstr("'width'")));
}

TEST(Site, WrongValuesAreRefusedWithTheirLine) {
  const std::string exception =
      "[[exception]]\ncomponent = \"*\"\ncode = \"*\"\nreason = \"r\"\nexpires = ";
  const std::pair<std::string, const char*> cases[] = {
      {"[expect]\ngpu = -1\n", ":3"},
      {"[expect]\ngpu = \"8\"\n", ":3"},
      {"[[slot]]\nslot = \"1\"\nwidth = 3\n", ":4"},
      {"[[slot]]\nslot = \"1\"\nspeed_gts = 12\n", ":4"},
      {"[[slot]]\nslot = \"1\"\ntype = \"gpuu\"\n", "did you mean 'gpu'"},
      {"[[slot]]\nwidth = 8\n", "'slot' or 'address'"},
      {"[[slot]]\nslot = \"1\"\naddress = \"17:00.0\"\n", "one of them only"},
      {"[[slot]]\naddress = \"x\"\n", "no PCI address"},
      {"[[slot]]\nslot = \"1\"\n[[slot]]\nslot = \"1\"\n", "line 2"},
      {"[[slot]]\naddress = \"17:00.0\"\n[[slot]]\naddress = \"0000:17:00\"\n",
       "already described"},
      {"[[port]]\nport = \"a/1\"\nexpect = \"maybe\"\n", ":4"},
      {"[[port]]\nport = \"a/1\"\nip = \"maybe\"\n", ":4"},
      {"[[port]]\nport = \"a/1\"\nrate_gbps = 0\n", ":4"},
      {"[[port]]\nport = \"a/1\"\nrate_gbps = nan\n", ":4"},
      {"[[port]]\nport = \"a/1\"\n[[port]]\nport = \"a/1\"\n", "already described"},
      {"[[host]]\n", "'match' is missing"},
      {"[[host]]\nmatch = []\n", "'match' is empty"},
      {"[[host]]\nmatch = [\"gpu[9-1]\"]\n", ":3"},
      {"[[exception]]\ncomponent = \"*\"\ncode = \"*\"\nexpires = 2027-01-31\n", "'reason'"},
      {"[[exception]]\ncomponent = \"*\"\ncode = \"*\"\nreason = \"r\"\n", "'expires'"},
      {exception + "\"2027-02-29\"\n", ":6"},
      {exception + "\"soon\"\n", ":6"},
      {exception + "\"2027-13-01\"\n", ":6"},
      {"[[exception]]\ncomponent = \"*\"\ncode = \"WIDTH\"\nreason = \"r\"\nexpires = 2027-01-31\n",
       "LB-"},
      {"[slot_names]\n\"1\" = 5\n", ":3"},
      {"[host]\n", "two brackets"},
      {"x = [\n", ":2"},
  };
  for (const auto& [text, part] : cases) {
    EXPECT_THAT(error_of(text), HasSubstr("site.toml:")) << text;
    EXPECT_THAT(error_of(text), HasSubstr(part)) << text;
  }
}

TEST(Site, APortAndAnInterfaceAreNotTakenForEachOther) {
  EXPECT_THAT(error_of("[[port]]\nport = \"mlx5_0\"\n"), HasSubstr("no RDMA port"));
  EXPECT_THAT(error_of("[[port]]\nport = \"mlx5_0/one\"\n"), HasSubstr("no RDMA port"));
  EXPECT_THAT(error_of("[[port]]\ninterface = \"mlx5_0/1\"\n"), HasSubstr("no network interface"));
  EXPECT_EQ(error_of("[[port]]\nport = \"mlx5_0/1\"\n"), "no error");
}

TEST(Site, AReaderTellsHostsAndFilesApart) {
  SiteReader reader;
  const SiteText rack{"a.toml", "schema = 1\n[[host]]\nmatch = [\"a\"]\n[host.expect]\ngpu = 8\n"};
  const auto gpus = [&](const SiteText& text, std::string_view host) {
    const auto site = reader.read(text, host);
    return site && site->counts.contains("gpu") ? site->counts.at("gpu").count : -1;
  };
  EXPECT_EQ(gpus(rack, "a"), 8);
  EXPECT_EQ(gpus(rack, "b"), -1);
  EXPECT_EQ(gpus(rack, "a"), 8);
  EXPECT_EQ(gpus({"a.toml", "schema = 1\n[expect]\ngpu = 4\n"}, "a"), 4);
  EXPECT_FALSE(reader.read({"a.toml", "schema = 9\n"}, "a"));
  EXPECT_FALSE(reader.read({"a.toml", "schema = 9\n"}, "b"));
  EXPECT_EQ(reader.read({"b.toml", rack.text}, "a")->file, "b.toml");
}

TEST(Site, TheSchemaMustBeKnown) {
  EXPECT_FALSE(read_site("", "site.toml", "n"));
  EXPECT_FALSE(read_site("schema = 2\n", "site.toml", "n"));
}

TEST(Site, TheExampleForPeopleIsRight) {
  std::ifstream file(LINKBURN_RATINGS_README);
  std::stringstream text;
  text << file.rdbuf();
  const std::string page = text.str();
  const std::size_t begin = page.find("```toml\n");
  ASSERT_NE(begin, std::string::npos);
  const std::string example = page.substr(begin + 8, page.find("\n```\n", begin) - begin - 7);
  const Site site = site_of(example, "gpu007");
  EXPECT_EQ(site.counts.at("gpu").count, 8);
  EXPECT_EQ(site.counts.at("nvme").count, 4);
  ASSERT_EQ(site.slots.size(), 1U);
  EXPECT_EQ(site.slots[0].speed, LinkSpeed{32000});
  EXPECT_EQ(site.ports.size(), 2U);
  EXPECT_EQ(site.slot_names.size(), 3U);
  ASSERT_EQ(site.exceptions.size(), 1U);
  EXPECT_EQ(site.exceptions[0].expires, "2027-01-31");
}

}  // namespace
}  // namespace linkburn
