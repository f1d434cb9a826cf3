#include "bench/drill/thermal.h"

#include <gtest/gtest.h>

#include <cmath>

#include "bench/drill/model.h"
#include "tests/support/drill_run.h"
#include "tests/support/drill_state.h"

namespace linkburn::drill {
namespace {

using test::kernel_op, test::kMs, test::kSecond, test::run_world;

constexpr double kForever = 1e20;  ///< operations: longer than any test

class DrillThermal : public ::testing::Test {
 protected:
  DrillThermal() {
    test::keep_awake(s_);
    s_.tick_ns = 50 * kMs;
  }

  void burn(Engine engine = Engine::tensor_flop, double work = kForever) {
    submit(s_, open_stream(s_, 0, 0), kernel_op(engine, work, 0));
  }
  void copy(double bytes = kForever) {
    submit(s_, open_stream(s_, 0, 0),
           test::copy_op(host_path(s_, 0, 0, Direction::to_device), bytes, 0));
  }

  std::shared_ptr<State> state_ = test::small_drill_state();
  State& s_ = *state_;
  Gpu& gpu_ = s_.gpus[0];
};

TEST_F(DrillThermal, AnIdleGpuStaysAtItsIdlePowerAndTemperature) {
  run_world(s_, 60 * kSecond);
  EXPECT_DOUBLE_EQ(gpu_.power_w, 70);
  EXPECT_NEAR(gpu_.temperature_c, 28 + 70 * 0.085, 1e-9);
  EXPECT_EQ(gpu_.reasons, kReasonIdle);
}

TEST_F(DrillThermal, PowerFollowsWhatRuns) {
  run_world(s_, 50 * kMs);
  copy();
  run_world(s_, 100 * kMs);
  EXPECT_DOUBLE_EQ(gpu_.power_w, 70 + 0.15 * 630);
  burn(Engine::memory_byte);
  run_world(s_, 150 * kMs);
  EXPECT_DOUBLE_EQ(gpu_.power_w, 70 + 0.85 * 630);
  burn(Engine::fp32_flop);
  run_world(s_, 200 * kMs);
  EXPECT_DOUBLE_EQ(gpu_.power_w, 700) << "never more than everything";
  EXPECT_DOUBLE_EQ(s_.gpus[1].power_w, 70) << "others do not notice";
}

TEST_F(DrillThermal, PowerIsThatOfTheWholeTickAndNotOfItsLastInstant) {
  burn(Engine::fp32_flop, 60e12 * 0.020);  // 20 ms of the tick's 50
  run_world(s_, 50 * kMs);
  EXPECT_NEAR(gpu_.power_w, 70 + 0.4 * 630, 1e-6);
}

TEST_F(DrillThermal, TemperatureNearsItsEndByTheTimeConstant) {
  gpu_.thermal.slowdown_c = 100;
  const double start_c = gpu_.temperature_c, end_c = 28 + 700 * 0.085;
  burn();
  run_world(s_, 12 * kSecond);  // one time constant, in 240 ticks
  EXPECT_NEAR(gpu_.temperature_c, end_c + (start_c - end_c) * std::exp(-1), 1e-6);
  run_world(s_, 240 * kSecond);
  EXPECT_NEAR(gpu_.temperature_c, end_c, 1e-6);
}

TEST_F(DrillThermal, PowerStopsAtItsLimitAndSaysSo) {
  gpu_.power_limit_w = 400;
  burn();
  run_world(s_, 50 * kMs);
  EXPECT_EQ(gpu_.power_w, 400);
  EXPECT_EQ(gpu_.reasons, kReasonPowerCap);
  gpu_.power_limit_w = 701;
  run_world(s_, 100 * kMs);
  EXPECT_EQ(gpu_.power_w, 700);
  EXPECT_EQ(gpu_.reasons, 0U);
  gpu_.power_limit_w = 0;  // not known
  run_world(s_, 150 * kMs);
  EXPECT_EQ(gpu_.reasons, 0U);
}

TEST_F(DrillThermal, HeatLowersTheClockAboveTheThresholdAndNotAtIt) {
  gpu_.thermal.c_per_w = 0, gpu_.thermal.tau_s = 0;
  gpu_.thermal.ambient_c = 87;
  burn();
  run_world(s_, 50 * kMs);
  EXPECT_EQ(gpu_.temperature_c, 87);
  EXPECT_EQ(gpu_.clock_factor, 1);
  gpu_.thermal.ambient_c = 87.01;
  run_world(s_, 100 * kMs);
  EXPECT_EQ(gpu_.clock_factor, kHotClock);
  EXPECT_EQ(gpu_.reasons & kReasonThermal, kReasonThermal);
  EXPECT_EQ(find_op(s_, 0, 1)->current().rate, 600e12 * kHotClock) << "what runs is slower at once";
}

TEST_F(DrillThermal, ThrottlingLastsUntilItIsFiveDegreesCooler) {
  gpu_.thermal.c_per_w = 0, gpu_.thermal.tau_s = 0;
  gpu_.thermal.ambient_c = 90;
  run_world(s_, 50 * kMs);
  gpu_.thermal.ambient_c = 82.01;
  run_world(s_, 100 * kMs);
  EXPECT_EQ(gpu_.clock_factor, kHotClock);
  gpu_.thermal.ambient_c = 82;
  run_world(s_, 150 * kMs);
  EXPECT_EQ(gpu_.clock_factor, 1);
  EXPECT_EQ(gpu_.reasons & kReasonThermal, 0U);
}

TEST_F(DrillThermal, AThrottledGpuNeedsLessPower) {
  gpu_.power_limit_w = 0;
  gpu_.thermal.slowdown_c = 60;
  burn();
  run_world(s_, 120 * kSecond);
  EXPECT_EQ(gpu_.power_w, 70 + 630 * (gpu_.hot ? kHotClock : 1));
  EXPECT_LT(gpu_.temperature_c, 28 + 700 * 0.085 - 5);
}

TEST_F(DrillThermal, WithoutNumbersNothingMovesAndNothingBreaks) {
  gpu_.thermal = {};
  gpu_.temperature_c = 40, gpu_.power_w = 5, gpu_.power_limit_w = 0;
  burn();
  run_world(s_, kSecond);
  EXPECT_EQ(gpu_.temperature_c, 40);
  EXPECT_EQ(gpu_.power_w, 5);
  EXPECT_EQ(gpu_.clock_factor, 1);
}

TEST_F(DrillThermal, WithoutATimeConstantTheEndIsThereAtOnce) {
  gpu_.thermal.tau_s = 0;
  burn();
  run_world(s_, 50 * kMs);
  EXPECT_DOUBLE_EQ(gpu_.temperature_c, 28 + 700 * 0.085);
}

TEST_F(DrillThermal, WithoutATickTheWorldStandsStill) {
  s_.tick_ns = 0;
  burn();
  EXPECT_GT(next_event(s_), 3600 * kSecond);
  run_world(s_, 60 * kSecond);
  EXPECT_NEAR(gpu_.temperature_c, 28 + 70 * 0.085, 1e-9);
}

}  // namespace
}  // namespace linkburn::drill
