#include <gtest/gtest.h>

#include "bench/drill/model.h"
#include "tests/support/drill_run.h"
#include "tests/support/drill_state.h"

namespace linkburn::drill {
namespace {

using test::kernel_op, test::kMs, test::kSecond, test::run_op, test::run_world;

constexpr double kGen1 = 4e9 * 0.87, kGen5 = 63.015384615384615e9 * 0.87;

class DrillIdleLink : public ::testing::Test {
 protected:
  DrillIdleLink() {
    s_.jitter = 0;
    s_.tick_ns = 0;
    stream_ = open_stream(s_, 0, 0);
  }

  std::uint64_t copy(double bytes) {
    return submit(s_, stream_, test::copy_op(host_path(s_, 0, 0, Direction::to_device), bytes, 0));
  }
  Fault& fault(FaultKind kind, Trigger trigger) {
    Fault& added = test::add_fault(s_, kind, trigger);
    added.gpu = 0;
    return added;
  }
  void sleep_first() {
    run_world(s_, kSecond);
    ASSERT_TRUE(gpu_.asleep);
  }

  std::shared_ptr<State> state_ = test::small_drill_state();
  State& s_ = *state_;
  Gpu& gpu_ = s_.gpus[0];
  Function& link_ = s_.functions[gpu_.function];
  int stream_ = -1;
};

TEST_F(DrillIdleLink, GoesDownOnlyWhenIdleForSoLong) {
  run_world(s_, 500 * kMs - 1);
  EXPECT_EQ(link_.gen, 5);
  EXPECT_FALSE(gpu_.asleep);
  run_world(s_, 500 * kMs);
  EXPECT_EQ(link_.gen, 1);
  EXPECT_EQ(link_.width, 16) << "the width stays";
  EXPECT_TRUE(gpu_.asleep);
  EXPECT_EQ(next_event(s_), kNever);
}

TEST_F(DrillIdleLink, TheTimeCountsFromTheEndOfTheLastOp) {
  const auto end = run_op(s_, stream_, copy(kGen5 * 0.7)).end_ns;
  EXPECT_NEAR(static_cast<double>(end), 7e8, 2) << "no sleep while it runs";
  run_world(s_, end + 500 * kMs - 1);
  EXPECT_EQ(link_.gen, 5);
  run_world(s_, end + 500 * kMs);
  EXPECT_EQ(link_.gen, 1);
}

TEST_F(DrillIdleLink, GapsThatAreShorterDoNotLetItDown) {
  for (int lap = 0; lap < 5; ++lap) {
    run_op(s_, stream_, copy(1e6));
    run_world(s_, s_.header.now_ns + 499 * kMs);
    EXPECT_EQ(link_.gen, 5);
  }
}

TEST_F(DrillIdleLink, AnOpRunsAtTheIdleRateUntilTheLinkIsUp) {
  sleep_first();
  const double bytes = kGen1 * 0.020 + kGen5 * 0.010;
  const auto seq = copy(bytes);
  EXPECT_TRUE(link_.training);
  EXPECT_DOUBLE_EQ(find_op(s_, stream_, seq)->current().rate, kGen1);
  run_world(s_, kSecond + 20 * kMs - 1);
  EXPECT_EQ(link_.gen, 1);
  run_world(s_, kSecond + 20 * kMs);
  EXPECT_EQ(link_.gen, 5);
  EXPECT_FALSE(link_.training);
  EXPECT_EQ(link_.recoveries, 1U);
  EXPECT_FALSE(link_.bandwidth_changed) << "the GPU asked for it";
  EXPECT_NEAR(static_cast<double>(run_op(s_, stream_, seq).end_ns), 1e9 + 30e6, 2);
}

TEST_F(DrillIdleLink, AnyWorkWakesItAndAMarkDoesNot) {
  sleep_first();
  submit(s_, stream_, test::mark_op(OpKind::record_event));
  EXPECT_EQ(gpu_.wake_at_ns, 0);
  submit(s_, stream_, kernel_op(Engine::fp32_flop, 1e12, 0));
  EXPECT_EQ(gpu_.wake_at_ns, kSecond + 20 * kMs);
}

TEST_F(DrillIdleLink, BothEndsOfACopyBetweenPeersWake) {
  sleep_first();
  const int on_one = open_stream(s_, 0, 1);
  submit(s_, on_one, test::copy_op(peer_path(s_, 1, 2), 1e9, 1));
  EXPECT_NE(s_.gpus[1].wake_at_ns, 0);
  EXPECT_NE(s_.gpus[2].wake_at_ns, 0);
  EXPECT_EQ(gpu_.wake_at_ns, 0);
}

TEST_F(DrillIdleLink, ComesUpAndGoesDownAgainAfterAnOpThatWasShorterThanTheWaking) {
  sleep_first();
  const auto end = run_op(s_, stream_, copy(1000)).end_ns;
  EXPECT_LT(end, kSecond + kMs);
  run_world(s_, kSecond + 20 * kMs);
  EXPECT_EQ(link_.gen, 5);
  run_world(s_, end + 500 * kMs);
  EXPECT_EQ(link_.gen, 1);
}

TEST_F(DrillIdleLink, AFaultThatHoldsTheLinkIsStillThereAfterWaking) {
  Fault& held = fault(FaultKind::retrain, Trigger::at);
  held.at_ns = 600 * kMs, held.gen = 3, held.for_ns = kSecond;
  run_world(s_, 700 * kMs);
  EXPECT_EQ(link_.gen, 1) << "asleep";
  copy(kGen5 * 10);
  run_world(s_, 800 * kMs);
  EXPECT_EQ(link_.gen, 3);
  run_world(s_, 1600 * kMs);
  EXPECT_EQ(link_.gen, 5);
}

TEST_F(DrillIdleLink, AFaultThatEndsInSleepLeavesTheLinkAsleep) {
  Fault& held = fault(FaultKind::retrain, Trigger::at);
  held.gen = 3, held.for_ns = 600 * kMs;
  run_world(s_, 550 * kMs);
  EXPECT_EQ(link_.gen, 1);
  run_world(s_, 700 * kMs);
  EXPECT_EQ(link_.gen, 1);
  copy(1e9);
  run_world(s_, 720 * kMs);
  EXPECT_EQ(link_.gen, 5);
}

TEST_F(DrillIdleLink, AFaultOnWakeBeginsWhenTheLinkComesUpAndNotBefore) {
  Fault& weak = fault(FaultKind::retrain, Trigger::on_wake);
  weak.gen = 3, weak.width = 8, weak.for_ns = 100 * kMs;
  sleep_first();
  copy(kGen5 * 10);
  run_world(s_, kSecond + 20 * kMs - 1);
  EXPECT_FALSE(weak.active);
  run_world(s_, kSecond + 20 * kMs);
  EXPECT_EQ(link_.gen, 3);
  EXPECT_EQ(link_.width, 8);
  EXPECT_EQ(link_.recoveries, 2U) << "woken, and trained anew";
  EXPECT_TRUE(link_.bandwidth_changed);
  run_world(s_, kSecond + 120 * kMs);
  EXPECT_EQ(link_.gen, 5);
  EXPECT_EQ(link_.width, 16);
}

TEST_F(DrillIdleLink, AFaultOnWakeOfOneGpuIsNotForTheOthers) {
  Fault& weak = fault(FaultKind::retrain, Trigger::on_wake);
  weak.gpu = 1, weak.gen = 3;
  sleep_first();
  copy(1e9);
  run_world(s_, 2 * kSecond);
  EXPECT_EQ(weak.begun, 0);
}

TEST_F(DrillIdleLink, AFaultOnWakeComesAsOftenAsItMay) {
  Fault& twice = fault(FaultKind::retrain, Trigger::on_wake);
  twice.gen = 3, twice.for_ns = kMs, twice.repeats = 2;
  Fault& always = fault(FaultKind::replays, Trigger::on_wake);
  always.for_ns = kMs, always.repeats = 0;
  for (int lap = 0; lap < 4; ++lap) {
    run_world(s_, s_.header.now_ns + kSecond);
    run_op(s_, stream_, copy(1e9));
  }
  EXPECT_EQ(twice.begun, 2);
  EXPECT_EQ(always.begun, 4);
}

TEST_F(DrillIdleLink, AFailedWakeKeepsItDownUntilTheFaultEnds) {
  Fault& failed = fault(FaultKind::failed_wake, Trigger::on_wake);
  failed.for_ns = 300 * kMs;
  sleep_first();
  const auto seq = copy(kGen5);
  run_world(s_, kSecond + 320 * kMs - 1);
  EXPECT_EQ(link_.gen, 1);
  EXPECT_FALSE(link_.training);
  EXPECT_DOUBLE_EQ(find_op(s_, stream_, seq)->current().rate, kGen1);
  EXPECT_EQ(link_.recoveries, 0U);
  run_world(s_, kSecond + 340 * kMs);
  EXPECT_EQ(link_.gen, 5) << "20 ms after the end";
  EXPECT_EQ(link_.recoveries, 1U);
}

TEST_F(DrillIdleLink, AWakeMayFailForEver) {
  fault(FaultKind::failed_wake, Trigger::at).at_ns = 0;
  sleep_first();
  for (int lap = 0; lap < 3; ++lap) {
    const Op& op = run_op(s_, stream_, copy(kGen1));
    EXPECT_NEAR(static_cast<double>(op.end_ns - op.start_ns), 1e9, 2);
    run_world(s_, s_.header.now_ns + kSecond);
  }
  EXPECT_EQ(link_.gen, 1);
}

TEST_F(DrillIdleLink, AGpuWithoutAnIdleSpeedStaysUp) {
  gpu_.idle_gen = 0;
  run_world(s_, 10 * kSecond);
  EXPECT_EQ(link_.gen, 5);
}

TEST_F(DrillIdleLink, ALinkThatRanSlowerFromTheStartComesBackToThat) {
  link_.gen = 2, link_.width = 4;
  sleep_first();
  EXPECT_EQ(link_.gen, 1);
  copy(1e9);
  run_world(s_, 1020 * kMs);
  EXPECT_EQ(link_.gen, 2);
  EXPECT_EQ(link_.width, 4);
}

TEST_F(DrillIdleLink, WithoutAnyTimesItStillMovesOn) {
  gpu_.idle_after_ms = gpu_.wake_ms = 0;
  Fault& failed = fault(FaultKind::failed_wake, Trigger::on_wake);
  failed.for_ns = 0, failed.repeats = 0;
  advance(s_, 0);
  EXPECT_TRUE(gpu_.asleep);
  copy(1e6);
  for (int event = 0; event < 2000 && next_event(s_) != kNever; ++event)
    drill::advance(s_, next_event(s_));
  EXPECT_EQ(s_.streams[stream_].done, 1U);
  EXPECT_EQ(next_event(s_), kNever);
}

}  // namespace
}  // namespace linkburn::drill
