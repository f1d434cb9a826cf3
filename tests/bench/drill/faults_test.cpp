// When faults begin and end, and what several on one thing make of it.
#include "bench/drill/faults.h"

#include <gtest/gtest.h>

#include "bench/drill/model.h"
#include "tests/support/drill_run.h"
#include "tests/support/drill_state.h"

namespace linkburn::drill {
namespace {

using test::kMs, test::kSecond, test::run_world;

class DrillFaults : public ::testing::Test {
 protected:
  DrillFaults() { test::keep_awake(s_); }

  Fault& fault(FaultKind kind, Trigger trigger, int gpu = 0) {
    Fault& added = test::add_fault(s_, kind, trigger);
    added.gpu = gpu;
    return added;
  }
  Fault& narrow(Trigger trigger, int width) {
    Fault& added = fault(FaultKind::retrain, trigger);
    added.width = static_cast<std::uint8_t>(width);
    return added;
  }
  void heat(double celsius) {
    s_.gpus[0].temperature_c = celsius;
    drill::advance(s_, s_.header.now_ns + kMs);
  }

  std::shared_ptr<State> state_ = test::small_drill_state();
  State& s_ = *state_;
  Function& link_ = s_.functions[s_.gpus[0].function];
};

TEST_F(DrillFaults, BeginsAtItsTimeAndEndsAfterItsLength) {
  Fault& f = narrow(Trigger::at, 8);
  f.at_ns = 10 * kMs, f.for_ns = 5 * kMs;
  EXPECT_EQ(next_event(s_), 10 * kMs);
  run_world(s_, 10 * kMs - 1);
  EXPECT_FALSE(f.active);
  EXPECT_EQ(link_.width, 16);
  run_world(s_, 10 * kMs);
  EXPECT_TRUE(f.active);
  EXPECT_EQ(link_.width, 8);
  EXPECT_EQ(next_event(s_), 15 * kMs);
  run_world(s_, 15 * kMs - 1);
  EXPECT_EQ(link_.width, 8);
  run_world(s_, 15 * kMs);
  EXPECT_FALSE(f.active);
  EXPECT_EQ(link_.width, 16);
  EXPECT_EQ(next_event(s_), kNever);
}

TEST_F(DrillFaults, AtATimeComesOnceHoweverOftenItMay) {
  Fault& f = narrow(Trigger::at, 8);
  f.at_ns = kMs, f.for_ns = kMs, f.repeats = 0;
  run_world(s_, kSecond);
  EXPECT_EQ(f.begun, 1);
}

TEST_F(DrillFaults, WithoutEndItStays) {
  narrow(Trigger::at, 8).at_ns = kMs;
  run_world(s_, 3600 * kSecond);
  EXPECT_EQ(link_.width, 8);
}

TEST_F(DrillFaults, OfNoLengthIsOverAtOnceAndLeavesItsMarks) {
  Fault& f = narrow(Trigger::at, 8);
  f.for_ns = 0;
  advance(s_, 0);
  EXPECT_EQ(f.begun, 1);
  EXPECT_FALSE(f.active);
  EXPECT_EQ(link_.width, 16);
  EXPECT_EQ(link_.recoveries, 2U);
  EXPECT_TRUE(link_.bandwidth_changed);
  EXPECT_EQ(next_event(s_), kNever);
}

TEST_F(DrillFaults, FollowsAnotherAfterItsTime) {
  Fault& cause = narrow(Trigger::at, 8);
  cause.at_ns = 10 * kMs;
  Fault& effect = fault(FaultKind::replays, Trigger::after);
  effect.after = 0, effect.at_ns = 20 * kMs;
  Fault& last = fault(FaultKind::off_bus, Trigger::after);
  last.after = 1, last.at_ns = 0;
  run_world(s_, 30 * kMs - 1);
  EXPECT_FALSE(effect.active);
  run_world(s_, 30 * kMs);
  EXPECT_TRUE(effect.active);
  EXPECT_TRUE(last.active) << "at the same instant";
  EXPECT_TRUE(s_.gpus[0].lost);
}

TEST_F(DrillFaults, ThatFollowsItselfOrNothingNeverBegins) {
  Fault& itself = narrow(Trigger::after, 8);
  itself.after = 0;
  Fault& nothing = narrow(Trigger::after, 8);
  nothing.after = -1;
  Fault& one = narrow(Trigger::after, 8);
  one.after = 3;
  narrow(Trigger::after, 8).after = 2;
  EXPECT_EQ(next_event(s_), kNever);
  run_world(s_, kSecond);
  EXPECT_EQ(link_.width, 16);
}

TEST_F(DrillFaults, FollowsEachTimeThatItsCauseBegins) {
  Fault& cause = fault(FaultKind::replays, Trigger::temperature);
  cause.above_c = 70, cause.for_ns = kMs, cause.repeats = 0;
  Fault& effect = fault(FaultKind::ecc, Trigger::after);
  effect.after = 0, effect.at_ns = kMs, effect.for_ns = 0, effect.repeats = 2;
  effect.number = 1;
  for (int lap = 1; lap <= 3; ++lap) {
    heat(80);
    run_world(s_, s_.header.now_ns + 10 * kMs);
    heat(50);
    EXPECT_EQ(cause.begun, lap);
    EXPECT_EQ(effect.begun, std::min(lap, 2)) << "no more often than it may";
  }
  EXPECT_EQ(s_.gpus[0].ecc_uncorrected, 2U);
}

TEST_F(DrillFaults, OfHeatBeginsAboveItsTemperatureAndNotAtIt) {
  Fault& f = narrow(Trigger::temperature, 8);
  f.above_c = 70;
  heat(70);
  EXPECT_FALSE(f.active);
  heat(70.01);
  EXPECT_TRUE(f.active);
  heat(30);
  EXPECT_TRUE(f.active) << "it has no end";
}

TEST_F(DrillFaults, OfHeatListensToItsGpuAlone) {
  Fault& f = narrow(Trigger::temperature, 8);
  f.gpu = 1, f.above_c = 70;
  heat(90);
  EXPECT_FALSE(f.active);
}

TEST_F(DrillFaults, OfHeatComesAgainOnlyAfterItHasCooledDown) {
  Fault& f = narrow(Trigger::temperature, 8);
  f.above_c = 70, f.for_ns = kMs, f.repeats = 0;
  heat(71);
  heat(71);
  heat(71);
  EXPECT_EQ(f.begun, 1);
  EXPECT_EQ(link_.width, 16) << "over after its length, hot or not";
  heat(68.01);
  heat(71);
  EXPECT_EQ(f.begun, 1) << "not cool enough";
  heat(68);
  heat(71);
  EXPECT_EQ(f.begun, 2);
}

TEST_F(DrillFaults, OfHeatThatRepeatsWithoutLengthIsThereWhileItIsHot) {
  Fault& f = narrow(Trigger::temperature, 8);
  f.above_c = 70, f.repeats = 0;
  for (int lap = 1; lap <= 3; ++lap) {
    heat(75);
    EXPECT_EQ(link_.width, 8);
    heat(68.01);
    EXPECT_EQ(link_.width, 8);
    heat(68);
    EXPECT_EQ(link_.width, 16);
    EXPECT_EQ(f.begun, lap);
  }
}

TEST_F(DrillFaults, TwoOnOneLinkLeaveItToTheLaterAndThenToTheOther) {
  Fault& first = narrow(Trigger::at, 8);
  first.at_ns = kMs, first.for_ns = 10 * kMs;
  Fault& second = narrow(Trigger::at, 4);
  second.at_ns = 2 * kMs, second.for_ns = 2 * kMs, second.gen = 3;
  Fault& third = narrow(Trigger::at, 1);
  third.at_ns = 6 * kMs, third.for_ns = 10 * kMs;
  run_world(s_, 3 * kMs);
  EXPECT_EQ(link_.width, 4);
  EXPECT_EQ(link_.gen, 3);
  run_world(s_, 5 * kMs);
  EXPECT_EQ(link_.width, 8);
  EXPECT_EQ(link_.gen, 5) << "the first keeps the speed";
  run_world(s_, 12 * kMs);
  EXPECT_EQ(link_.width, 1) << "the first has ended below the third";
  run_world(s_, 16 * kMs);
  EXPECT_EQ(link_.width, 16);
}

TEST_F(DrillFaults, TwoOnOneValueGiveBackWhatWasThereAtFirst) {
  for (const int n : {0, 1}) {
    Fault& f = fault(FaultKind::ambient, Trigger::at);
    f.at_ns = n * kMs, f.for_ns = 3 * kMs, f.amount = 40 + n;
  }
  const double& ambient = s_.gpus[0].thermal.ambient_c;
  run_world(s_, 2 * kMs);
  EXPECT_EQ(ambient, 41);
  run_world(s_, 3 * kMs);
  EXPECT_EQ(ambient, 41);
  run_world(s_, 4 * kMs);
  EXPECT_EQ(ambient, 28);
}

TEST_F(DrillFaults, OnNothingDoNoHarm) {
  for (int kind = 0; kind <= static_cast<int>(FaultKind::ambient); ++kind) {
    Fault& f = fault(static_cast<FaultKind>(kind), Trigger::at, -1);
    f.at_ns = kMs, f.for_ns = kMs, f.number = 99;
  }
  Fault& f = fault(FaultKind::retrain, Trigger::temperature, -1);
  f.above_c = -300;
  fault(FaultKind::retrain, Trigger::on_wake, -1);
  run_world(s_, kSecond);
  EXPECT_EQ(s_.log_count, 0U);
}

}  // namespace
}  // namespace linkburn::drill
