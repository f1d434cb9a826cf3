#include "bench/drill/scenario.h"

#include <gmock/gmock.h>

#include <fstream>

#include "tests/bench/drill/parsed_scenario.h"
#include "tests/support/temp_dir.h"

namespace linkburn::drill {
namespace {

using testing::HasSubstr;

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

}  // namespace
}  // namespace linkburn::drill
