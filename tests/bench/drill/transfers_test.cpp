#include <gtest/gtest.h>

#include <cmath>

#include "bench/drill/model.h"
#include "tests/support/drill_run.h"
#include "tests/support/drill_state.h"

namespace linkburn::drill {
namespace {

using test::copy_op, test::kernel_op, test::kMs, test::kSecond, test::mark_op, test::run_op,
    test::run_world;

constexpr double kMiB = 1024 * 1024;
constexpr double kLink = 32.0 * 16 / 8 * 128 / 130 * 0.87 * 1e9;  ///< gen5 x16, as payload

class DrillTransfers : public ::testing::Test {
 protected:
  DrillTransfers() { test::keep_awake(s_); }

  int stream(int gpu) { return open_stream(s_, 0, gpu); }
  std::uint64_t copy(int on, int gpu, double bytes, Direction way = Direction::to_device) {
    return submit(s_, on, copy_op(host_path(s_, gpu, s_.gpus[gpu].numa, way), bytes, gpu));
  }
  /// How long `bytes` take at that rate: never less than they need.
  static std::int64_t takes(double bytes, double rate) {
    return static_cast<std::int64_t>(std::ceil(bytes / rate * 1e9));
  }

  std::shared_ptr<State> state_ = test::small_drill_state();
  State& s_ = *state_;
};

TEST_F(DrillTransfers, ALinkRunsAtItsLineRateTimesEfficiency) {
  EXPECT_DOUBLE_EQ(line_rate_gbs(1, 16), 4);
  EXPECT_DOUBLE_EQ(line_rate_gbs(2, 1), 0.5);
  EXPECT_NEAR(line_rate_gbs(3, 8), 7.877, 0.001);
  EXPECT_NEAR(line_rate_gbs(5, 16), 63.015, 0.001);
  EXPECT_NEAR(line_rate_gbs(6, 16), 118, 0.001);
  for (const auto& [gen, width] : {std::pair(0, 16), {5, 0}, {7, 16}, {15, 63}, {-1, 16}, {5, -1}})
    EXPECT_EQ(line_rate_gbs(gen, width), gen == 15 || gen > 6 || gen < 1 || width < 1 ? 0 : -1);
}

TEST_F(DrillTransfers, ACopyAloneTakesWhatTheLinkTakes) {
  const int a = stream(0);
  const auto seq = copy(a, 0, 256 * kMiB);
  const Op& op = run_op(s_, a, seq);
  EXPECT_EQ(op.start_ns, 0);
  EXPECT_EQ(op.end_ns, takes(256 * kMiB, kLink));
  EXPECT_EQ(s_.streams[a].done, seq);
  EXPECT_FALSE(op.failed);
}

TEST_F(DrillTransfers, OpsOfAStreamRunOneAfterTheOther) {
  const int a = stream(0);
  const auto first = copy(a, 0, kMiB), second = copy(a, 0, kMiB);
  run_op(s_, a, second);
  EXPECT_EQ(find_op(s_, a, second)->start_ns, find_op(s_, a, first)->end_ns);
  EXPECT_EQ(find_op(s_, a, second)->end_ns, 2 * takes(kMiB, kLink));
}

TEST_F(DrillTransfers, AKernelRunsAtItsEngine) {
  const int a = stream(0);
  const auto seq = submit(s_, a, kernel_op(Engine::fp32_flop, 6e9, 0));
  EXPECT_EQ(run_op(s_, a, seq).end_ns, 100'000);  // 60 TFLOP/s
}

}  // namespace
}  // namespace linkburn::drill
