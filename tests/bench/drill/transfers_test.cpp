#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "bench/drill/model.h"
#include "bench/drill/resources.h"
#include "tests/support/drill_run.h"
#include "tests/support/drill_state.h"

namespace linkburn::drill {
namespace {

using test::copy_op, test::kernel_op, test::kMs, test::kSecond, test::mark_op, test::run_op,
    test::run_world;

constexpr double kMiB = 1024 * 1024;
constexpr double kLink = 32.0 * 16 / 8 * 128 / 130 * 0.87 * 1e9;  ///< gen5 x16, as payload
constexpr Direction kIn = Direction::to_device, kOut = Direction::from_device;

class DrillTransfers : public ::testing::Test {
 protected:
  DrillTransfers() { test::keep_awake(s_); }

  int stream(int gpu) { return open_stream(s_, 0, gpu); }
  /// On a stream of its own; returns that.
  int copy(int gpu, double bytes, Direction way = kIn, int numa = -1) {
    return run_on_new(copy_op(host_path(s_, gpu, numa, way), bytes, gpu));
  }
  int run_on_new(const Op& op) {
    const int number = stream(op.gpu);
    EXPECT_EQ(submit(s_, number, op), 1U);
    return number;
  }
  std::int64_t end_of(int number) { return run_op(s_, number, 1).end_ns; }
  double rate_of(int number) const { return find_op(s_, number, 1)->current().rate; }
  /// How long that much takes at that rate: never less than it needs.
  static std::int64_t takes(double amount, double rate) {
    return static_cast<std::int64_t>(std::ceil(amount / rate * 1e9));
  }
  Function& link(std::string_view name) { return s_.functions[test::function_of(s_, name)]; }
  Resource way(std::string_view name, Direction direction) const {
    return link_resource(test::function_of(s_, name), direction);
  }

  std::shared_ptr<State> state_ = test::small_drill_state();
  State& s_ = *state_;
};

TEST_F(DrillTransfers, ALinkHasTheRateOfItsLanesAfterLineCoding) {
  EXPECT_DOUBLE_EQ(line_rate_gbs(1, 16), 4);
  EXPECT_DOUBLE_EQ(line_rate_gbs(2, 1), 0.5);
  EXPECT_NEAR(line_rate_gbs(3, 8), 7.877, 0.001);
  EXPECT_NEAR(line_rate_gbs(5, 16), 63.015, 0.001);
  EXPECT_NEAR(line_rate_gbs(6, 16), 118, 0.001);
}

TEST_F(DrillTransfers, ALinkOfNoKnownSpeedOrWidthCarriesNothing) {
  EXPECT_EQ(line_rate_gbs(0, 16), 0);
  EXPECT_EQ(line_rate_gbs(7, 16), 0);
  EXPECT_EQ(line_rate_gbs(5, 0), 0);
  EXPECT_EQ(line_rate_gbs(-1, -1), 0);
}

TEST_F(DrillTransfers, ACopyAloneTakesWhatTheLinkTakes) {
  const Op op = run_op(s_, copy(0, 256 * kMiB), 1);
  EXPECT_EQ(op.start_ns, 0);
  EXPECT_EQ(op.end_ns, takes(256 * kMiB, kLink));
  EXPECT_FALSE(op.failed);
}

TEST_F(DrillTransfers, CopiesOfOneLinkShareItAndTheLongerSpeedsUpWhenTheOtherEnds) {
  const int small = copy(0, 100 * kMiB), large = copy(0, 200 * kMiB);
  EXPECT_DOUBLE_EQ(rate_of(small), kLink / 2);
  EXPECT_NEAR(static_cast<double>(end_of(small)), 200 * kMiB / kLink * 1e9, 2);
  EXPECT_DOUBLE_EQ(rate_of(large), kLink);
  EXPECT_NEAR(static_cast<double>(end_of(large)), 300 * kMiB / kLink * 1e9, 2);
}

TEST_F(DrillTransfers, TheTwoDirectionsOfALinkDoNotDisturbEachOther) {
  const int in = copy(0, 100 * kMiB), out = copy(0, 100 * kMiB, kOut);
  EXPECT_DOUBLE_EQ(rate_of(in), kLink);
  EXPECT_DOUBLE_EQ(rate_of(out), kLink);
}

TEST_F(DrillTransfers, GpusBelowOneSwitchShareItsUplink) {
  const int one = copy(1, 100 * kMiB), two = copy(2, 100 * kMiB), elsewhere = copy(0, 100 * kMiB);
  EXPECT_DOUBLE_EQ(rate_of(one), kLink / 2);
  EXPECT_DOUBLE_EQ(rate_of(two), kLink / 2);
  EXPECT_DOUBLE_EQ(rate_of(elsewhere), kLink);
}

TEST_F(DrillTransfers, WhoIsHeldBackElsewhereLeavesTheRestToOthers) {
  link("gpu1").width = 4;
  const int narrow = copy(1, 100 * kMiB), wide = copy(2, 100 * kMiB);
  EXPECT_DOUBLE_EQ(rate_of(narrow), kLink / 4);
  EXPECT_DOUBLE_EQ(rate_of(wide), kLink * 3 / 4);
}

TEST_F(DrillTransfers, BothDirectionsShareTheMemoryOfANode) {
  s_.numas[0].memory_gbs = 60;
  const int in = copy(0, 100 * kMiB), out = copy(0, 100 * kMiB, kOut);
  EXPECT_DOUBLE_EQ(rate_of(in), 30e9);
  EXPECT_DOUBLE_EQ(rate_of(out), 30e9);
}

TEST_F(DrillTransfers, MemoryOfTheOtherSocketIsReachedThroughTheWayBetweenThem) {
  s_.numas[0].far_gbs = 20;
  EXPECT_DOUBLE_EQ(rate_of(copy(0, kMiB, kIn, 1)), 20e9);
  EXPECT_DOUBLE_EQ(rate_of(copy(0, kMiB, kOut, 1)), 20e9);
  EXPECT_DOUBLE_EQ(rate_of(copy(1, kMiB, kIn, 1)), kLink);
}

TEST_F(DrillTransfers, AMachineWithoutNodesOfMemoryHasOnlyLinks) {
  s_.numas[0].used = s_.numas[1].used = false;
  s_.gpus[0].numa = -1;
  EXPECT_EQ(host_path(s_, 0, -1, kIn), std::vector{way("gpu0", kIn)});
  EXPECT_EQ(host_path(s_, 0, 1, kIn), std::vector{way("gpu0", kIn)});
}

TEST_F(DrillTransfers, AGpuHasItsOwnCopyLimit) {
  s_.gpus[0].copy_gbs[1] = 40;
  EXPECT_DOUBLE_EQ(rate_of(copy(0, kMiB, kIn)), kLink);
  EXPECT_DOUBLE_EQ(rate_of(copy(0, kMiB, kOut)), 40e9);
}

TEST_F(DrillTransfers, AChipToChipLinkStandsInForTheBus) {
  s_.gpus[0].chip_to_chip_gbs = 100;
  link("gpu0").gen = 1, link("gpu0").width = 1;
  EXPECT_DOUBLE_EQ(rate_of(copy(0, kMiB)), 87e9);
}

TEST_F(DrillTransfers, PeersBelowOneSwitchDoNotLoadTheUplink) {
  EXPECT_EQ(peer_path(s_, 1, 2), (std::vector{way("gpu1", kOut), way("gpu2", kIn)}));
  const int peer = run_on_new(copy_op(peer_path(s_, 1, 2), 100 * kMiB, 1));
  const int host = copy(1, 100 * kMiB, kIn);
  EXPECT_DOUBLE_EQ(rate_of(peer), kLink);
  EXPECT_DOUBLE_EQ(rate_of(host), kLink);
}

TEST_F(DrillTransfers, PeersOnTwoSocketsLoadEveryLinkAndTheWayBetween) {
  EXPECT_EQ(peer_path(s_, 0, 1),
            (std::vector{way("gpu0", kOut), kSocketResources, kSocketResources + 3,
                         way("gpu1", kIn), way("uplink1", kIn)}));
  s_.gpus[1].numa = 0;  // two root ports of one socket
  EXPECT_EQ(peer_path(s_, 0, 1),
            (std::vector{way("gpu0", kOut), way("gpu1", kIn), way("uplink1", kIn)}));
}

TEST_F(DrillTransfers, PeersWithNvlinkUseItWhileItWorks) {
  s_.gpus[0].nvlinks[0] = {true, true, 1, 25, 0, 0, 0};
  s_.gpus[0].nvlinks[1] = {true, true, 1, 25, 0, 0, 0};
  const auto path = peer_path(s_, 0, 1);
  ASSERT_EQ(path.size(), 1U);
  EXPECT_DOUBLE_EQ(capacity(s_, path[0]), 50e9 * 0.87);
  s_.gpus[0].nvlinks[0].active = false;
  EXPECT_DOUBLE_EQ(capacity(s_, path[0]), 25e9 * 0.87);
  s_.gpus[0].nvlinks[1].active = false;
  EXPECT_EQ(capacity(s_, path[0]), 0);
  EXPECT_EQ(peer_path(s_, 0, 1).size(), 5U);
}

TEST_F(DrillTransfers, GpusOnNvlinkSwitchesShareTheirLinksToThem) {
  for (int g = 0; g < 3; ++g) s_.gpus[g].nvlinks[0] = {true, true, -1, 100, 0, 0, 0};
  const int a = run_on_new(copy_op(peer_path(s_, 0, 1), kMiB, 0));
  const int b = run_on_new(copy_op(peer_path(s_, 2, 1), kMiB, 2));
  const int back = run_on_new(copy_op(peer_path(s_, 1, 0), kMiB, 1));
  EXPECT_DOUBLE_EQ(rate_of(a), 43.5e9);
  EXPECT_DOUBLE_EQ(rate_of(b), 43.5e9);
  EXPECT_DOUBLE_EQ(rate_of(back), 87e9);
}

TEST_F(DrillTransfers, ACopyWithinAGpuReadsAndWritesItsMemory) {
  EXPECT_DOUBLE_EQ(rate_of(run_on_new(copy_op(peer_path(s_, 0, 0), kMiB, 0))), 1500e9);
}

TEST_F(DrillTransfers, ALostGpuAndOneInSlicesAreNobodysPeers) {
  EXPECT_TRUE(peers(s_, 0, 2));
  EXPECT_FALSE(peers(s_, 0, 0));
  EXPECT_FALSE(peers(s_, 0, 3));
  EXPECT_FALSE(peers(s_, -1, 0));
  s_.gpus[1].lost = true, s_.gpus[2].mig = true;
  EXPECT_FALSE(peers(s_, 0, 1));
  EXPECT_FALSE(peers(s_, 2, 0));
}

TEST_F(DrillTransfers, KernelsShareTheirEngineAndItsClock) {
  const int alone = run_on_new(kernel_op(Engine::tensor_flop, 6e9, 0));
  EXPECT_DOUBLE_EQ(rate_of(alone), 600e12);
  const int a = run_on_new(kernel_op(Engine::fp32_flop, 6e9, 0));
  EXPECT_EQ(rate_of(a), 60e12);
  const int b = run_on_new(kernel_op(Engine::fp32_flop, 12e9, 0));
  EXPECT_EQ(rate_of(a), 30e12);
  EXPECT_NEAR(static_cast<double>(end_of(a)), 200'000, 1);
  s_.gpus[0].clock_factor = 0.5;
  drill::advance(s_, s_.header.now_ns);
  EXPECT_EQ(rate_of(b), 30e12);
  EXPECT_NEAR(static_cast<double>(end_of(b)), 400'000, 2);
}

TEST_F(DrillTransfers, ALinkThatChangesInMidTransferChangesTheRateFromThatInstant) {
  Fault& fault = test::add_fault(s_, FaultKind::retrain, Trigger::at);
  fault.function = test::function_of(s_, "gpu0");
  fault.at_ns = 1 * kMs, fault.width = 8;
  const int number = copy(0, 100 * kMiB);
  const double left = 100 * kMiB - kLink * 1e-3;
  EXPECT_NEAR(static_cast<double>(end_of(number)), 1e6 + left / (kLink / 2) * 1e9, 2);
}

TEST_F(DrillTransfers, ALinkWithoutLanesHoldsACopyUntilItHasSomeAgain) {
  link("gpu0").width = 0;
  const int number = copy(0, 100 * kMiB);
  EXPECT_EQ(next_event(s_), kNever);
  advance(s_, kSecond);
  EXPECT_EQ(find_op(s_, number, 1)->end_ns, -1);
  link("gpu0").width = 16;
  advance(s_, kSecond);
  EXPECT_EQ(end_of(number), kSecond + takes(100 * kMiB, kLink));
}

TEST_F(DrillTransfers, JitterMakesOpsLongerByAShareFromTheSeed) {
  s_.jitter = 0.01;
  const auto times = [](State& state) {
    std::vector<std::int64_t> all;
    const int number = open_stream(state, 0, 0);
    const Op op = copy_op(host_path(state, 0, 0, kIn), 100 * kMiB, 0);
    for (int n = 0; n < 100; ++n) {
      const Op& done = run_op(state, number, submit(state, number, op));
      all.push_back(done.end_ns - done.start_ns);
    }
    return all;
  };
  const auto first = times(s_);
  const auto [least, most] = std::minmax_element(first.begin(), first.end());
  const auto whole = takes(100 * kMiB, kLink);
  EXPECT_GE(*least, whole);
  EXPECT_LT(*least, whole + whole / 1000);
  EXPECT_LE(*most, whole + whole / 100 + 1);
  EXPECT_GT(*most, whole + whole * 9 / 1000);
  const auto again = test::small_drill_state(), other = test::small_drill_state();
  for (State* state : {again.get(), other.get()}) test::keep_awake(*state), state->jitter = 0.01;
  other->header.seed = 1;
  EXPECT_EQ(times(*again), first);
  EXPECT_NE(times(*other), first);
}

}  // namespace
}  // namespace linkburn::drill
