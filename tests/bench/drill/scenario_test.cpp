#include "bench/drill/scenario.h"

#include <gmock/gmock.h>

#include <fstream>
#include <set>

#include "bench/base/component.h"
#include "tests/support/drill_state.h"
#include "tests/support/temp_dir.h"

namespace linkburn::drill {
namespace {

using test::function_of;
using testing::HasSubstr;

/// The first two lines of every scenario here: what a test writes begins in line 3.
const std::string kHead = "schema = 1\nname = \"test\"\n";

std::string refused(const std::string& text) {
  const auto scenario = parse_scenario(kHead + text, "test.toml");
  return scenario ? "taken" : scenario.error().line();
}

Scenario taken(const std::string& text) {
  const auto scenario = parse_scenario(kHead + text, "test.toml");
  EXPECT_TRUE(scenario) << (scenario ? "" : scenario.error().line()) << "\n" << text;
  return scenario ? *scenario : test::small_drill_scenario();
}

/// Keeps the scenario whose state it shows.
struct Node {
  explicit Node(const std::string& text) : scenario(taken(text)), state(*scenario.state) {}
  const Function& function(const std::string& name) const {
    const int index = function_of(state, name);
    EXPECT_GE(index, 0) << name;
    return state.functions[std::max(index, 0)];
  }
  std::string address(const std::string& name) const {
    const Function& f = function(name);
    return to_string(PciAddress{f.domain, f.bus, f.slot, f.function});
  }
  std::string parent(const std::string& name) const {
    const int above = function(name).parent;
    return above < 0 ? "" : state.functions[above].name.data();
  }

  Scenario scenario;
  const State& state;
};

int count_functions(const State& state) {
  return static_cast<int>(std::count_if(state.functions.begin(), state.functions.end(),
                                        [](const Function& f) { return f.used; }));
}

/// The rules that a kernel keeps: a device's bus is that right below its port, the buses below a
/// bridge are a range inside that of the bridge above, and no two bridges share any.
void expect_nested_buses(const State& state) {
  struct Range {
    int first = 256, last = -1;
  };
  std::array<Range, kMaxFunctions> ranges;
  std::set<std::tuple<unsigned, int, int, int>> addresses;
  for (int i = 0; i < count_functions(state); ++i) {
    const Function& f = state.functions[i];
    EXPECT_TRUE(addresses.emplace(f.domain, f.bus, f.slot, f.function).second) << f.name.data();
    for (int above = f.parent; above >= 0; above = state.functions[above].parent) {
      const Function& bridge = state.functions[above];
      EXPECT_EQ(bridge.domain, f.domain);
      EXPECT_GT(f.bus, bridge.bus) << f.name.data();
      ranges[above].first = std::min<int>(ranges[above].first, f.bus);
      ranges[above].last = std::max<int>(ranges[above].last, f.bus);
    }
  }
  for (int i = 0; i < count_functions(state); ++i)
    for (int j = 0; j < i; ++j) {
      const Function &a = state.functions[i], &b = state.functions[j];
      if (a.parent != b.parent || a.domain != b.domain) continue;
      EXPECT_TRUE(ranges[i].last < ranges[j].first || ranges[j].last < ranges[i].first)
          << a.name.data() << " and " << b.name.data();
    }
}

// ---- shipped ----

class ShippedScenario : public testing::TestWithParam<std::string> {};

TEST_P(ShippedScenario, IsWholeAndNamesWhereItsFaultsShow) {
  const auto scenario = load_scenario(GetParam());
  ASSERT_TRUE(scenario) << scenario.error().line();
  EXPECT_EQ(scenario->name, GetParam());
  EXPECT_FALSE(scenario->purpose.empty());
  EXPECT_GE(scenario->state->gpus[0].used, true);
  expect_nested_buses(*scenario->state);
  const bool healthy = GetParam().starts_with("healthy") || GetParam() == "idle";
  EXPECT_EQ(scenario->expected.empty(), healthy);
  for (const Expected& expected : scenario->expected) {
    EXPECT_TRUE(parse_pci_address(expected.component)) << expected.component;
  }
}

INSTANTIATE_TEST_SUITE_P(All, ShippedScenario, testing::ValuesIn(shipped_scenarios()),
                         [](const auto& name) {
                           std::string word = name.param;
                           std::replace(word.begin(), word.end(), '-', '_');
                           return word;
                         });

TEST(ShippedScenarios, AreThereByNameAndAnotherNameIsCorrected) {
  EXPECT_GE(shipped_scenarios().size(), 18U);
  const auto typo = load_scenario("hot-retrian");
  ASSERT_FALSE(typo);
  EXPECT_THAT(typo.error().line(), HasSubstr("did you mean 'hot-retrain'?"));
  const auto other = load_scenario("x");
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().line(), HasSubstr("there is: bad-uplink,"));
}

TEST(ShippedScenarios, AFileIsReadByItsName) {
  const test::TempDir dir;
  const std::string file = dir.path() + "/mine.toml";
  std::ofstream(file) << kHead << "[[gpu]]\n";
  const auto scenario = load_scenario(file);
  ASSERT_TRUE(scenario) << scenario.error().line();
  EXPECT_EQ(scenario->name, "test");
  EXPECT_FALSE(load_scenario(dir.path() + "/none.toml"));
}

TEST(ShippedScenarios, TheUsualNodeHasItsDevicesBehindSwitchesOfTheirSocket) {
  const auto scenario = load_scenario("healthy-8");
  ASSERT_TRUE(scenario);
  const State& state = *scenario->state;
  for (int n = 0; n < 8; ++n) {
    EXPECT_EQ(state.gpus[n].numa, n / 4);
    EXPECT_TRUE(state.nics[n].used);
    const Function& gpu = state.functions[state.gpus[n].function];
    const Function& nic = state.functions[state.nics[n].function];
    const auto switch_above = [&](const Function& f) {
      return state.functions[state.functions[f.parent].parent].name.data();
    };
    EXPECT_EQ(std::string(switch_above(gpu)), "uplink" + std::to_string(n / 2));
    EXPECT_EQ(std::string(switch_above(nic)), switch_above(gpu));
    EXPECT_TRUE(state.gpus[n].nvlinks[17].used);
    EXPECT_EQ(state.gpus[n].nvlinks[17].peer_gpu, -1);
  }
  EXPECT_EQ(count_functions(state), 4 * 2 + 16 * 2 + 4 * 2);
}

// ---- head and host ----

TEST(ScenarioHead, HasDefaults) {
  const Node node("");
  EXPECT_EQ(node.scenario.name, "test");
  EXPECT_EQ(node.scenario.minutes, 1);
  EXPECT_FALSE(node.scenario.seed);
  EXPECT_STREQ(node.state.host.data(), "drill0");
  EXPECT_STREQ(node.state.scenario.data(), "test");
  EXPECT_EQ(node.state.copy_efficiency, 0.87);
  EXPECT_EQ(node.state.tick_ns, 50'000'000);
  EXPECT_TRUE(node.state.numas[1].used);
  EXPECT_FALSE(node.state.numas[2].used);
  EXPECT_STREQ(node.state.numas[1].cpus.data(), "32-63");
  EXPECT_EQ(count_functions(node.state), 0);
}

TEST(ScenarioHead, EachKeyIsTaken) {
  const Node node(
      "purpose = \"why\"\nminutes = 2.5\nseed = 42\ncopy_efficiency = 0.8\njitter = 0\n"
      "tick_ms = 20\n");
  EXPECT_EQ(node.scenario.purpose, "why");
  EXPECT_EQ(node.scenario.minutes, 2.5);
  EXPECT_EQ(node.scenario.seed, 42U);
  EXPECT_EQ(node.state.copy_efficiency, 0.8);
  EXPECT_EQ(node.state.jitter, 0);
  EXPECT_EQ(node.state.tick_ns, 20'000'000);
}

TEST(ScenarioHead, WhatIsWrongIsSaidWithItsLine) {
  EXPECT_EQ(refused("minuts = 2\n"), "unknown key 'minuts', did you mean 'minutes'?: test.toml:3");
  EXPECT_THAT(refused("minutes = 0\n"), HasSubstr("'minutes' must be a number from 0.01"));
  EXPECT_THAT(refused("seed = -1\n"), HasSubstr("'seed' must be a whole number from 0"));
  EXPECT_THAT(refused("\n[["), HasSubstr("test.toml:4"));
  const auto newer = parse_scenario("schema = 2\nname = \"x\"\n", "test.toml");
  ASSERT_FALSE(newer);
  EXPECT_THAT(newer.error().line(), HasSubstr("'schema' must be"));
  const auto unnamed = parse_scenario("schema = 1\n", "test.toml");
  ASSERT_FALSE(unnamed);
  EXPECT_THAT(unnamed.error().line(), HasSubstr("key 'name' is missing"));
  const auto outside = parse_scenario("schema = 1\nname = \"../x\"\n", "test.toml");
  ASSERT_FALSE(outside);
  EXPECT_THAT(outside.error().line(), HasSubstr("'name' takes letters, digits"));
}

TEST(ScenarioHost, EachKeyIsTaken) {
  const Node node(
      "[[host]]\nname = \"n7\"\nport_gen = 4\nport_vendor = 0x1022\nport_device = 0x14ab\n"
      "[[numa]]\ncpus = \"0-7,16-23\"\nmemory_gbs = 80\nfar_gbs = 20\n"
      "[[numa]]\ncpus = \"\"\n[[gpu]]\n");
  EXPECT_STREQ(node.state.host.data(), "n7");
  EXPECT_STREQ(node.state.numas[0].cpus.data(), "0-7,16-23");
  EXPECT_EQ(node.state.numas[0].memory_gbs, 80);
  EXPECT_EQ(node.state.numas[0].far_gbs, 20);
  EXPECT_STREQ(node.state.numas[1].cpus.data(), "");
  EXPECT_EQ(node.function("gpu0-port").vendor, 0x1022);
  EXPECT_EQ(node.function("gpu0-port").device_id, 0x14ab);
  EXPECT_EQ(node.function("gpu0-port").port_gen, 4);
}

TEST(ScenarioHost, ThereIsOneWithAtMostEightNodesOfMemory) {
  EXPECT_EQ(refused("[[host]]\n[[host]]\n"), "a scenario has one host: test.toml:4");
  EXPECT_THAT(refused("[host]\n"), HasSubstr("write [[host]] with two brackets"));
  EXPECT_EQ(refused("[[numa]]\ncount = 8\n"), "taken");
  EXPECT_EQ(refused("[[numa]]\ncount = 8\n[[numa]]\n"), "more than 8 NUMA nodes: test.toml:5");
  EXPECT_THAT(refused("[[numa]]\ncpus = \"a\"\n"), HasSubstr("test.toml:4"));
  EXPECT_THAT(refused("[[numa]]\ncount = 2\ncpus = \"0-1\"\n"), HasSubstr("one by one"));
}

// ---- where devices are ----

TEST(ScenarioLayout, EachDeviceHasAPortOfItsOwnAndSocketsAreFilledEvenly) {
  const Node node("[[gpu]]\ncount = 4\n");
  EXPECT_EQ(node.address("gpu0-port"), "0000:00:01.0");
  EXPECT_EQ(node.address("gpu0"), "0000:01:00.0");
  EXPECT_EQ(node.address("gpu1-port"), "0000:00:02.0");
  EXPECT_EQ(node.address("gpu2-port"), "0000:80:01.0");
  EXPECT_EQ(node.address("gpu3"), "0000:82:00.0");
  EXPECT_EQ(node.state.gpus[1].numa, 0);
  EXPECT_EQ(node.state.gpus[2].numa, 1);
  EXPECT_EQ(node.function("gpu3-port").slot_number, 4);
  expect_nested_buses(node.state);
}

TEST(ScenarioLayout, DevicesAreSpreadBelowSwitchesInTheirOrder) {
  const Node node(
      "[[switch]]\ncount = 2\n[[switch]]\nname = \"inner\"\nbelow = \"uplink1\"\n"
      "[[gpu]]\ncount = 4\nbelow = [\"uplink0\", \"inner\"]\n[[nic]]\nbelow = \"uplink1\"\n");
  EXPECT_EQ(node.parent("gpu1-port"), "uplink0");
  EXPECT_EQ(node.parent("gpu2-port"), "inner");
  EXPECT_EQ(node.parent("inner"), "inner-port");
  EXPECT_EQ(node.parent("inner-port"), "uplink1");
  EXPECT_EQ(node.function("inner-port").kind, PortKind::switch_downstream);
  EXPECT_EQ(node.function("inner").numa, 1);
  EXPECT_EQ(node.address("uplink0"), "0000:01:00.0");
  EXPECT_EQ(node.address("gpu1-port"), "0000:02:01.0");
  EXPECT_EQ(node.address("gpu1"), "0000:04:00.0");
  EXPECT_EQ(node.function("uplink0-port").slot_number, -1);
  expect_nested_buses(node.state);
}

TEST(ScenarioLayout, WrittenAddressesAreKeptAndOthersAreNumberedAround) {
  const Node node(
      "[[switch]]\naddress = \"0000:02:00.0\"\n"
      "[[nic]]\nbelow = \"uplink0\"\naddress = \"0000:05:00.0\"\n"
      "[[gpu]]\nbelow = \"uplink0\"\naddress = \"0000:07:00.0\"\nport_address = \"0000:03:09.0\"\n"
      "[[gpu]]\nport_address = \"0000:16:01.0\"\naddress = \"0000:17:00.0\"\n"
      "[[gpu]]\naddress = \"10000:e1:00.0\"\nnuma = 1\n[[nvme]]\ncount = 3\nnuma = 0\n");
  EXPECT_EQ(node.address("uplink0"), "0000:02:00.0");
  EXPECT_EQ(node.address("gpu0-port"), "0000:03:09.0");
  EXPECT_EQ(node.address("nic0"), "0000:05:00.0");
  EXPECT_EQ(node.address("gpu1-port"), "0000:16:01.0");
  EXPECT_EQ(node.address("gpu2-port"), "10000:80:01.0");
  EXPECT_EQ(node.address("nvme0"), "0000:01:00.0");
  EXPECT_EQ(node.address("nvme1"), "0000:08:00.0");
  EXPECT_EQ(node.address("nvme2"), "0000:09:00.0");
  expect_nested_buses(node.state);
}

TEST(ScenarioLayout, TheBusesOfASwitchFollowFromAnAddressFarBelow) {
  const Node node(
      "[[switch]]\n[[gpu]]\ncount = 2\nbelow = \"uplink0\"\n"
      "address = [\"0000:42:00.0\", \"0000:43:00.0\"]\n");
  EXPECT_EQ(node.address("uplink0"), "0000:40:00.0");
  EXPECT_EQ(node.address("gpu0-port"), "0000:41:00.0");
  EXPECT_EQ(node.address("gpu1-port"), "0000:41:01.0");
  expect_nested_buses(node.state);
}

TEST(ScenarioLayout, AddressesThatCannotBeAreRefused) {
  EXPECT_EQ(refused("[[gpu]]\naddress = \"0000:17:00.0\"\n[[nic]]\naddress = \"0000:17:00.0\"\n"),
            "two functions at 0000:17:00.0: 'gpu0' and 'nic0': test.toml:5");
  EXPECT_EQ(refused("[[gpu]]\naddress = \"0000:17:01.0\"\n"),
            "'gpu0' is alone below its port: its address ends in 00.0: test.toml:3");
  EXPECT_THAT(refused("[[gpu]]\nnuma = 1\naddress = \"0000:17:00.0\"\n"),
              HasSubstr("write the port's address too"));
  EXPECT_THAT(refused("[[switch]]\n[[gpu]]\ncount = 2\nbelow = \"uplink0\"\n"
                      "address = [\"0000:42:00.0\", \"0001:43:00.0\"]\n"),
              HasSubstr("must be on bus"));
  EXPECT_THAT(refused("[[switch]]\naddress = \"0000:40:00.0\"\n"
                      "[[gpu]]\nbelow = \"uplink0\"\naddress = \"0000:41:00.0\"\n"),
              HasSubstr("is taken"));
  EXPECT_THAT(refused("[[switch]]\n[[gpu]]\ncount = 2\nbelow = \"uplink0\"\n"
                      "address = [\"0000:42:00.0\", \"0000:50:00.0\"]\n"
                      "[[nic]]\naddress = \"0000:45:00.0\"\n"),
              HasSubstr("bus 45 would be below both 'uplink0-port' and 'nic0-port'"));
  EXPECT_THAT(
      refused("[[port]]\naddress = \"0000:17:01.0\"\n[[gpu]]\naddress = \"0000:17:00.0\"\n"),
      HasSubstr("bus 17 would hold root ports and be below 'gpu0-port'"));
  EXPECT_THAT(refused("[[gpu]]\naddress = \"17:0\"\n"), HasSubstr("test.toml:4"));
  EXPECT_THAT(refused("[[gpu]]\ncount = 2\naddress = \"0000:17:00.0\"\n"),
              HasSubstr("'address' needs one text for each of the 2: test.toml:5"));
  EXPECT_THAT(refused("[[gpu]]\naddress = \"0000:01:00.0\"\nport_address = \"0000:ff:1f.0\"\n"),
              HasSubstr("not above its own bus ff"));
}

TEST(ScenarioLayout, ParentsMustBeThereAndFree) {
  EXPECT_EQ(refused("[[gpu]]\nbelow = \"uplink0\"\n"),
            "there is no port or switch 'uplink0': test.toml:4");
  EXPECT_EQ(refused("[[gpu]]\n[[nic]]\nbelow = \"gpu0\"\n"),
            "'gpu0' is no port or switch: test.toml:5");
  EXPECT_EQ(refused("[[port]]\n[[gpu]]\nbelow = \"port0\"\n[[nic]]\nbelow = \"port0\"\n"),
            "'port0' holds a card already: test.toml:7");
  EXPECT_EQ(refused("[[gpu]]\n[[nic]]\nname = \"gpu0\"\n"),
            "two devices are called 'gpu0': test.toml:4");
  EXPECT_THAT(refused("[[gpu]]\nnuma = 2\n"), HasSubstr("'numa' must be a whole number"));
}

TEST(ScenarioLayout, RoomIsBoundedOnBothSidesOfTheLimit) {
  EXPECT_EQ(refused("[[gpu]]\ncount = 16\n"), "taken");
  EXPECT_THAT(refused("[[gpu]]\ncount = 17\n"), HasSubstr("from 1 to 16: test.toml:4"));
  EXPECT_EQ(refused("[[gpu]]\ncount = 16\n[[gpu]]\n"), "more than 16 GPUs: test.toml:5");
  EXPECT_EQ(refused("[[nic]]\ncount = 16\n[[nic]]\n"), "more than 16 NICs: test.toml:5");
  EXPECT_EQ(refused("[[nvme]]\ncount = 16\n[[nvme]]\n"), "more than 16 disks: test.toml:5");
  EXPECT_EQ(refused("[[port]]\ncount = 32\n[[port]]\ncount = 32\n[[port]]\ncount = 32\n"), "taken");
  EXPECT_EQ(refused("[[port]]\ncount = 32\n[[port]]\ncount = 32\n[[port]]\ncount = 32\n[[nic]]\n"),
            "more than 96 PCI functions, ports among them: test.toml:9");
}

TEST(ScenarioPorts, EachKeyIsTaken) {
  const Node node(
      "[[port]]\nname = \"riser\"\ngen = 4\nwidth = 8\nnuma = 1\nslot = 7\n"
      "slot_label = \"PCIE 7\"\naddress = \"0000:c0:03.1\"\n"
      "[[port]]\ncount = 2\n[[gpu]]\nbelow = \"riser\"\n");
  const Function& riser = node.function("riser");
  EXPECT_EQ(riser.kind, PortKind::root_port);
  EXPECT_EQ(riser.slot_number, 7);
  EXPECT_STREQ(riser.slot_label.data(), "PCIE 7");
  EXPECT_EQ(node.address("riser"), "0000:c0:03.1");
  EXPECT_EQ(node.address("gpu0"), "0000:c1:00.0");
  EXPECT_EQ(node.function("gpu0").gen, 1) << "asleep";
  EXPECT_EQ(node.function("gpu0").width, 8);
  EXPECT_EQ(node.function("gpu0").target_gen, 4);
  EXPECT_EQ(node.function("port1").slot_number, -1);
  EXPECT_THAT(refused("[[port]]\nwidth = 3\n"), HasSubstr("1, 2, 4, 8 or 16 lanes"));
}

// ---- what devices are ----

TEST(ScenarioCards, LinksRunAtTheLowerOfBothEnds) {
  const Node node(
      "[[nic]]\nport_gen = 4\n[[nic]]\nport_width = 8\n[[nic]]\ngen = 3\nwidth = 4\n"
      "[[nic]]\ntarget_gen = 2\n[[nic]]\nlink_gen = 1\nlink_width = 1\n[[nvme]]\n");
  const auto link = [&](const std::string& name) {
    const Function& f = node.function(name);
    return std::to_string(f.gen) + " x" + std::to_string(f.width) + " target " +
           std::to_string(f.target_gen);
  };
  EXPECT_EQ(link("nic0"), "4 x16 target 4");
  EXPECT_EQ(link("nic1"), "5 x8 target 5");
  EXPECT_EQ(link("nic2"), "3 x4 target 5");
  EXPECT_EQ(link("nic3"), "2 x16 target 2");
  EXPECT_EQ(link("nic4"), "1 x1 target 5");
  EXPECT_EQ(link("nvme0"), "4 x4 target 5");
  EXPECT_EQ(node.function("nic1").cap_width, 16);
  EXPECT_EQ(node.function("nic1-port").port_width, 8);
  EXPECT_EQ(node.function("nvme0-port").port_width, 4);
  EXPECT_EQ(node.function("nic2-port").port_width, 16);
}

TEST(ScenarioCards, IdentityAndSlotAreTaken) {
  const Node node(
      "[[nic]]\nname = \"rail\"\nvendor = 0x1234\ndevice = 0x5678\nsubsystem_vendor = 1\n"
      "subsystem_device = 2\nclass = 0x020000\ndriver = \"ice\"\nslot = 12\n"
      "slot_label = \"RISER1\"\n[[nic]]\nslot = 0\n[[nic]]\ncount = 2\nslot = 20\n");
  const Function& rail = node.function("rail");
  EXPECT_EQ(rail.vendor, 0x1234);
  EXPECT_EQ(rail.device_id, 0x5678);
  EXPECT_EQ(rail.subsystem_vendor, 1);
  EXPECT_EQ(rail.subsystem_device, 2);
  EXPECT_EQ(rail.class_code, 0x020000U);
  EXPECT_STREQ(rail.driver.data(), "ice");
  EXPECT_EQ(rail.drift, 1);
  EXPECT_EQ(node.function("rail-port").slot_number, 12);
  EXPECT_STREQ(node.function("rail-port").slot_label.data(), "RISER1");
  EXPECT_EQ(node.function("nic1-port").slot_number, -1);
  EXPECT_EQ(node.function("nic3-port").slot_number, 21);
  EXPECT_THAT(refused("[[nic]]\nname = \"a/b\"\n"), HasSubstr("'name' takes letters"));
  EXPECT_THAT(refused("[[nic]]\nname = \"" + std::string(25, 'a') + "\"\n"), HasSubstr("at most"));
  EXPECT_EQ(refused("[[nic]]\nname = \"" + std::string(24, 'a') + "\"\n"), "taken");
  EXPECT_THAT(refused("[[nic]]\nslot_label = \"..\"\n"), HasSubstr("without '/'"));
  EXPECT_THAT(refused("[[nic]]\nvendor = 0xffff\n"), HasSubstr("'vendor' must be"));
  EXPECT_THAT(refused("[[nic]]\ndriver = \"" + std::string(16, 'a') + "\"\n"),
              HasSubstr("'driver' takes at most 15"));
}

TEST(ScenarioCards, NicsAndDisksAndOthers) {
  const Node node(
      "[[nic]]\nmodel = \"cx6\"\nlayer = \"ethernet\"\ninterface = \"ens3\"\nrated_gbps = 100\n"
      "rate_gbps = 25\nup = false\ntemperature_c = 60\n[[nic]]\n[[nvme]]\nmodel = \"gen5\"\n"
      "temperature_c = 33\n[[other]]\nmodel = \"bmc-vga\"\n[[other]]\nmodel = \"usb\"\n"
      "integrated = true\naddress = \"0000:00:14.0\"\n");
  const Nic& nic = node.state.nics[0];
  EXPECT_STREQ(nic.name.data(), "mlx5_0");
  EXPECT_STREQ(nic.interface_name.data(), "ens3");
  EXPECT_FALSE(nic.infiniband);
  EXPECT_FALSE(nic.up);
  EXPECT_EQ(nic.rated_gbps, 100);
  EXPECT_EQ(nic.rate_gbps, 25);
  EXPECT_EQ(nic.temperature_c, 60);
  EXPECT_EQ(node.function("nic0").class_code, 0x020000U);
  EXPECT_EQ(node.function("nic0").device_id, 0x101b);
  EXPECT_STREQ(node.state.nics[1].interface_name.data(), "ib0");
  EXPECT_EQ(node.state.nics[1].rate_gbps, 400);
  EXPECT_EQ(node.state.nvmes[0].temperature_c, 33);
  EXPECT_EQ(node.function("nvme0").cap_gen, 5);
  EXPECT_EQ(node.function("other0").width, 1);
  EXPECT_EQ(node.function("other1").kind, PortKind::integrated);
  EXPECT_EQ(node.function("other1").width, 0);
  EXPECT_EQ(node.address("other1"), "0000:00:14.0");
  EXPECT_THAT(refused("[[nic]]\ninterface = \"../x\"\n"), HasSubstr("'interface' takes"));
  EXPECT_THAT(refused("[[nic]]\nrate_gbps = 401\n"), HasSubstr("'rate_gbps' must be"));
}

TEST(ScenarioGpus, BeginAtRestAndAsleep) {
  const Node node("[[gpu]]\n[[gpu]]\nidle_gen = 0\n");
  const Gpu& gpu = node.state.gpus[0];
  EXPECT_TRUE(gpu.asleep);
  EXPECT_EQ(node.function("gpu0").gen, 1);
  EXPECT_EQ(node.function("gpu0").width, 16);
  EXPECT_EQ(node.function("gpu0").target_gen, 5);
  EXPECT_DOUBLE_EQ(gpu.temperature_c, 28 + 70 * 0.06);
  EXPECT_EQ(gpu.power_w, 70);
  EXPECT_EQ(gpu.power_limit_w, 700);
  EXPECT_EQ(gpu.clock_factor, 1);
  EXPECT_EQ(gpu.owner_process, -1);
  EXPECT_TRUE(gpu.fabric_ready);
  EXPECT_STREQ(gpu.serial.data(), "DRILL0000");
  EXPECT_STRNE(gpu.uuid.data(), node.state.gpus[1].uuid.data());
  EXPECT_FALSE(node.state.gpus[1].asleep);
  EXPECT_EQ(node.function("gpu1").gen, 5);
}

TEST(ScenarioGpus, EachKeyIsTaken) {
  const Node node(
      "[[gpu]]\nmodel = \"a100-sxm\"\nserial = \"S1\"\nproduct = \"Mine\"\nmemory_mib = 64\n"
      "fp32_tflops = 1\ntensor_tflops = 2\nmemory_gbs = 3\nto_device_gbs = 4\nfrom_device_gbs = 5\n"
      "chip_to_chip_gbs = 6\nsms = 7\nclock_mhz = 8\nmemory_clock_mhz = 9\n"
      "compute_capability = \"8.9\"\nambient_c = 30\nc_per_w = 0.1\ntau_s = 5\nidle_w = 50\n"
      "full_w = 500\nslowdown_c = 90\nshutdown_c = 99\nmemory_offset_c = 3\npower_limit_w = 450\n"
      "context_ms = 100\nteardown_ms = 101\nidle_after_ms = 102\nwake_ms = 103\nidle_gen = 2\n"
      "compute_mode = \"exclusive\"\nmig = true\nfabric_ready = false\nbusy_pid = 4711\n"
      "ecc_corrected = 11\necc_uncorrected = 12\nremapped_rows = 13\n");
  const Gpu& gpu = node.state.gpus[0];
  EXPECT_STREQ(gpu.serial.data(), "S1");
  EXPECT_STREQ(gpu.model.data(), "Mine");
  EXPECT_EQ(gpu.memory_bytes, 64U << 20);
  EXPECT_EQ(std::vector({gpu.fp32_tflops, gpu.tensor_tflops, gpu.memory_gbs, gpu.copy_gbs[0],
                         gpu.copy_gbs[1], gpu.chip_to_chip_gbs}),
            (std::vector<double>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(std::vector({gpu.sms, gpu.clock_mhz, gpu.max_clock_mhz, gpu.memory_clock_mhz,
                         gpu.compute_major, gpu.compute_minor}),
            (std::vector{7, 8, 8, 9, 8, 9}));
  const Thermal& t = gpu.thermal;
  EXPECT_EQ(std::vector({t.ambient_c, t.c_per_w, t.tau_s, t.idle_w, t.full_w, t.slowdown_c,
                         t.shutdown_c, t.memory_offset_c, gpu.power_limit_w}),
            (std::vector<double>{30, 0.1, 5, 50, 500, 90, 99, 3, 450}));
  EXPECT_EQ(std::vector({gpu.context_ms, gpu.teardown_ms, gpu.idle_after_ms, gpu.wake_ms}),
            (std::vector<std::int64_t>{100, 101, 102, 103}));
  EXPECT_EQ(gpu.idle_gen, 2);
  EXPECT_EQ(gpu.compute_mode, 3);
  EXPECT_TRUE(gpu.mig);
  EXPECT_FALSE(gpu.fabric_ready);
  EXPECT_EQ(gpu.foreign_pid, 4711);
  EXPECT_EQ(gpu.ecc_corrected + gpu.ecc_uncorrected + gpu.remapped_rows, 11U + 12 + 13);
  EXPECT_EQ(node.function("gpu0").device_id, 0x20b2);
}

TEST(ScenarioGpus, HeatOfAllIsOverriddenByHeatOfOne) {
  const Node node("[thermal]\nambient_c = 35\ntau_s = 7\n[[gpu]]\n[[gpu]]\nambient_c = 40\n");
  EXPECT_EQ(node.state.gpus[0].thermal.ambient_c, 35);
  EXPECT_EQ(node.state.gpus[1].thermal.ambient_c, 40);
  EXPECT_EQ(node.state.gpus[1].thermal.tau_s, 7);
  EXPECT_THAT(refused("[thermal]\nambient = 35\n"), HasSubstr("did you mean 'ambient_c'?"));
}

TEST(ScenarioGpus, WhatCannotBeIsRefused) {
  EXPECT_THAT(refused("[[gpu]]\nmodel = \"h100-smx\"\n"), HasSubstr("did you mean 'h100-sxm'?"));
  EXPECT_THAT(refused("[[gpu]]\nfull_w = 60\n"), HasSubstr("'full_w' must not be below 'idle_w'"));
  EXPECT_EQ(refused("[[gpu]]\nfull_w = 70\n"), "taken");
  EXPECT_THAT(refused("[[gpu]]\ntau_s = 0\n"), HasSubstr("'tau_s' must be a number"));
  EXPECT_THAT(refused("[[gpu]]\nc_per_w = nan\n"), HasSubstr("'c_per_w' must be a number"));
  EXPECT_THAT(refused("[[gpu]]\nwake_ms = -1\n"), HasSubstr("'wake_ms' must be"));
  EXPECT_THAT(refused("[[gpu]]\nmig = 1\n"), HasSubstr("'mig' must be true or false"));
  EXPECT_THAT(refused("[[gpu]]\nmemory_mib = 0\n"), HasSubstr("'memory_mib' must be"));
  for (const char* wrong : {"9", "9.", ".1", "9.10", "a.b", "9.0x", "2.0", ""})
    EXPECT_THAT(refused(std::string("[[gpu]]\ncompute_capability = \"") + wrong + "\"\n"),
                HasSubstr("'compute_capability' must be a text"))
        << wrong;
}

TEST(ScenarioNvlinks, GoToSwitchesOrFromEachToEach) {
  const Node node(
      "[[gpu]]\nmodel = \"a100-sxm\"\ncount = 4\n[[nvlink]]\nshape = \"mesh\"\n"
      "links = 4\nrate_gbs = 20\n[[gpu]]\nname = \"alone\"\n"
      "[[nvlink]]\ngpus = \"alone\"\nlinks = 18\n");
  const auto& links = node.state.gpus[2].nvlinks;
  EXPECT_EQ(links[3].peer_gpu, 0);
  EXPECT_EQ(links[4].peer_gpu, 1);
  EXPECT_EQ(links[11].peer_gpu, 3);
  EXPECT_TRUE(links[11].active);
  EXPECT_EQ(links[11].rate_gbs, 20);
  EXPECT_FALSE(links[12].used);
  EXPECT_EQ(node.state.gpus[4].nvlinks[17].peer_gpu, -1);
  EXPECT_THAT(refused("[[gpu]]\n[[nvlink]]\n"), HasSubstr("key 'links' is missing"));
  EXPECT_THAT(refused("[[nvlink]]\nlinks = 1\n"), HasSubstr("there is no further GPU 'gpu*'"));
  EXPECT_THAT(refused("[[gpu]]\n[[nvlink]]\nshape = \"mesh\"\nlinks = 1\n"),
              HasSubstr("at least two"));
  EXPECT_THAT(refused("[[gpu]]\ncount = 4\n[[nvlink]]\nshape = \"mesh\"\nlinks = 7\n"),
              HasSubstr("at most 18 NVLinks"));
}

}  // namespace
}  // namespace linkburn::drill
