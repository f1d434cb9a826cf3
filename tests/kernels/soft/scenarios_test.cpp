// Every shipped scenario in the hands of a program, and what each view says of it: calls of CUDA
// and NVML, files and log of the kernel.
#include <gtest/gtest.h>

#include <map>

#include "bench/drill/scenario.h"
#include "tests/kernels/soft/soft_node.h"

namespace linkburn::test {
namespace {

constexpr std::int64_t kRestMs = 1000, kBeginMs = 4900, kEndMs = 5300;  // most faults begin at 5 s
constexpr double kEfficiency = 0.87;

/// The link of a GPU as its ends allow it.
std::string best_link(const drill::State& state, int gpu) {
  const drill::Function& f = state.functions[state.gpus[gpu].function];
  const drill::Function& port = state.functions[f.parent];
  const bool nominal = state.gpus[gpu].chip_to_chip_gbs > 0;  // one lane
  return fmt::format("gen{} x{}", std::min(f.cap_gen, port.port_gen),
                     nominal ? 1 : std::min(f.cap_width, port.port_width));
}

std::string link_at_rest(const drill::State& state, int gpu) {
  const std::string best = best_link(state, gpu);
  return state.gpus[gpu].idle_gen > 0 ? "gen1" + best.substr(4) : best;
}

struct Wrong {
  int gpu = -1;
  std::string link;  ///< at the end, under load; empty: as healthy
  double share = 1;  ///< of the rate that a healthy link of that kind has
};

/// What the end of each faulty scenario looks like; all others are as their ends allow.
Wrong wrong_in(const std::string& scenario) {
  const std::map<std::string, Wrong> all{
      {"failed-wake", {0, "gen1 x16", 4 / 63.0154}},
      {"lost-lanes", {1, "gen5 x8", 0.5}},
      {"wake-retrain", {1, "gen3 x16", 0.25}},
      {"off-bus", {2, "NVML GPU is lost, files Unknown x63", 0}},
      {"hung-call", {0, "gen1 x16", 0}},  // is not loaded here: the call would not come back
  };
  const auto found = all.find(scenario);
  return found == all.end() ? Wrong{} : found->second;
}

class SoftScenario : public testing::TestWithParam<std::string> {};

TEST_P(SoftScenario, RestsWakesAndIsSeenAlikeFromAllSides) {
  SoftNode node(shipped(GetParam()));
  const Wrong wrong = wrong_in(GetParam());
  const bool hangs = GetParam() == "hung-call";
  node.sleep_until_ms(kRestMs);
  for (int n = 0; n < node.count(); ++n)
    EXPECT_EQ(node.link(n), link_at_rest(node.state(), n)) << "at rest: gpu" << n;
  node.sleep_until_ms(kBeginMs);
  node.load_until_ms(kEndMs, hangs ? wrong.gpu : -1);
  for (int n = 0; n < node.count(); ++n) {
    if (n == wrong.gpu) continue;
    EXPECT_EQ(node.link(n), best_link(node.state(), n)) << "loaded: gpu" << n;
    EXPECT_EQ(node.error(n), cuda::kSuccess);
    EXPECT_GT(node.rate_gbs(n), 10) << "gpu" << n;
  }
  if (wrong.gpu < 0) return;
  EXPECT_EQ(node.link(wrong.gpu), wrong.link);
  EXPECT_NEAR(node.rate_gbs(wrong.gpu), 63.0154 * kEfficiency * wrong.share, 0.3);
}

TEST(SoftScenarioLinks, WrittenSlowerThanTheirEndsComeBackToThatEachTime) {
  const auto scenario = drill::parse_scenario(
      "schema = 1\nname = \"slow\"\n[[gpu]]\nmodel = \"h100-pcie\"\nlink_gen = 4\nlink_width = 8\n",
      "slow.toml");
  ASSERT_TRUE(scenario) << scenario.error().line();
  SoftNode node(*scenario);
  for (const std::int64_t from_ms : {0, 2000}) {
    node.sleep_until_ms(from_ms + 900);
    EXPECT_EQ(node.link(0), "gen1 x8");
    node.load_until_ms(from_ms + 1100);
    EXPECT_EQ(node.link(0), "gen4 x8");
    EXPECT_NEAR(node.rate_gbs(0), 31.5077 / 2 * kEfficiency, 0.1);
  }
}

INSTANTIATE_TEST_SUITE_P(All, SoftScenario, testing::ValuesIn(drill::shipped_scenarios()),
                         [](const auto& name) {
                           std::string word = name.param;
                           std::replace(word.begin(), word.end(), '-', '_');
                           return word;
                         });

}  // namespace
}  // namespace linkburn::test
