#include "bench/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/support/fake_clock.h"
#include "tests/support/process.h"

namespace linkburn {
namespace {

using namespace std::chrono_literals;
using testing::Each;
using testing::ElementsAre;

/// Each lap moves the clock; one of them may fail.
class TestWorkload final : public Workload {
 public:
  TestWorkload(test::FakeClock& clock, Duration lap_time, int fail_at = -1)
      : clock_(clock), lap_time_(lap_time), fail_at_(fail_at) {}
  Status prepare(const LaneSpec&, Progress&) override { return {}; }
  Result<Lap> lap() override {
    if (laps++ == fail_at_) return Error{Code::io, "the device went away", "lap", "reseat it"};
    const Instant start = clock_.now();
    clock_.advance(lap_time_);
    return Lap{start, clock_.now(), 1000};
  }
  Result<DataCheck> verify() override { return DataCheck{}; }
  void release() override {}
  Facts facts() const override { return {}; }
  int laps = 0;

 private:
  test::FakeClock& clock_;
  Duration lap_time_;
  int fail_at_;
};

class Engine : public testing::Test {
 protected:
  Result<Laps> steady(TestWorkload& workload, int windows) {
    return run_windows(workload, {"test/lane", windows, 100ms}, clock_, sink_, stop_);
  }
  Result<Laps> soak(TestWorkload& workload, Instant until) {
    return run_laps(workload, {until, 100ms}, clock_, sink_, stop_);
  }
  std::vector<std::int64_t> laps_of_windows() const {
    std::vector<std::int64_t> laps;
    for (const Window& window : windows_) laps.push_back(window.laps);
    return laps;
  }

  test::FakeClock clock_;
  std::vector<Window> windows_;
  WindowSink sink_ = [this](const Window& window) { windows_.push_back(window); };
  StopPredicate stop_ = [] { return false; };
};

TEST_F(Engine, GivesWindowsOfTheirTimeWithEveryLap) {
  clock_.advance(5s);
  TestWorkload workload(clock_, 10ms);
  const auto laps = steady(workload, 3);
  ASSERT_TRUE(laps) << laps.error().line();
  EXPECT_THAT(laps_of_windows(), ElementsAre(10, 10, 10));
  const Window& second = windows_[1];
  EXPECT_EQ(second.start, instant_from_ns(0) + 5100ms);
  EXPECT_EQ(second.end, instant_from_ns(0) + 5200ms);
  EXPECT_EQ(second.bytes, 10'000);
  EXPECT_EQ(second.lap_ns.size(), 10);
  EXPECT_THAT(second.lap_ns, Each(10'000'000));
  EXPECT_TRUE(second.whole);
  EXPECT_EQ(laps->windows, 3);
  EXPECT_EQ(laps->laps, 30);
  EXPECT_EQ(laps->bytes, 30'000);
  EXPECT_EQ(laps->time, Duration(300ms));
  EXPECT_NEAR(laps->bytes_per_s.value(), 100'000, 1e-6);
  EXPECT_FALSE(laps->stopped);
}

TEST_F(Engine, AWindowEndsWithTheLapThatReachesItsTime) {
  TestWorkload workload(clock_, 30ms);
  ASSERT_TRUE(steady(workload, 2));
  EXPECT_THAT(laps_of_windows(), ElementsAre(4, 4));
  EXPECT_EQ(windows_[0].end - windows_[0].start, Duration(120ms));
}

TEST_F(Engine, EndsByTimeWhenLapsAreMuchLongerThanWindows) {
  TestWorkload workload(clock_, 800ms);
  const auto laps = steady(workload, 10);
  ASSERT_TRUE(laps);
  EXPECT_THAT(laps_of_windows(), ElementsAre(1, 1));
  EXPECT_EQ(clock_.now(), instant_from_ns(0) + 1600ms);
  EXPECT_NEAR(laps->bytes_per_s.value(), 1250, 1e-6);
  EXPECT_FALSE(laps->stopped);
}

TEST_F(Engine, HandsEachWindowOverBeforeTheNextBegins) {
  TestWorkload workload(clock_, 50ms);
  std::vector<int> laps_at_hand_over;
  sink_ = [&](const Window&) { laps_at_hand_over.push_back(workload.laps); };
  ASSERT_TRUE(steady(workload, 3));
  EXPECT_THAT(laps_at_hand_over, ElementsAre(2, 4, 6));
}

TEST_F(Engine, AFailedLapIsTheErrorAndKeepsWhatWasMeasured) {
  TestWorkload workload(clock_, 10ms, 14);
  const auto laps = steady(workload, 5);
  ASSERT_FALSE(laps);
  EXPECT_EQ(laps.error().code, Code::io);
  EXPECT_EQ(laps.error().line(), "the device went away: lap (reseat it)");
  EXPECT_THAT(laps_of_windows(), ElementsAre(10, 4));
  EXPECT_TRUE(windows_[0].whole);
  EXPECT_FALSE(windows_[1].whole);
  EXPECT_EQ(workload.laps, 15);
}

TEST_F(Engine, AFailedFirstLapGivesNoWindow) {
  TestWorkload workload(clock_, 10ms, 0);
  EXPECT_FALSE(steady(workload, 5));
  EXPECT_TRUE(windows_.empty());
}

TEST_F(Engine, StopsBetweenLaps) {
  TestWorkload workload(clock_, 10ms);
  stop_ = [&] { return workload.laps == 25; };
  const auto laps = steady(workload, 1000);
  ASSERT_TRUE(laps);
  EXPECT_TRUE(laps->stopped);
  EXPECT_THAT(laps_of_windows(), ElementsAre(10, 10, 5));
  EXPECT_FALSE(windows_[2].whole);
  EXPECT_EQ(workload.laps, 25);
}

TEST_F(Engine, AStopBeforeTheFirstLapRunsNone) {
  TestWorkload workload(clock_, 10ms);
  stop_ = [] { return true; };
  const auto laps = steady(workload, 5);
  ASSERT_TRUE(laps);
  EXPECT_TRUE(laps->stopped);
  EXPECT_EQ(workload.laps, 0);
  EXPECT_TRUE(windows_.empty());
}

TEST_F(Engine, RunsAgainAfterAnError) {
  TestWorkload bad(clock_, 10ms, 3);
  EXPECT_FALSE(steady(bad, 2));
  windows_.clear();
  TestWorkload good(clock_, 10ms);
  EXPECT_TRUE(steady(good, 2));
  EXPECT_THAT(laps_of_windows(), ElementsAre(10, 10));
}

TEST_F(Engine, PrintsNothing) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  TestWorkload good(clock_, 10ms);
  TestWorkload bad(clock_, 10ms, 3);
  const bool good_ran = steady(good, 2).has_value();
  const bool bad_ran = steady(bad, 2).has_value();
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_TRUE(good_ran);
  EXPECT_FALSE(bad_ran);
}

// Run by the next test with an environment that would change everything.
TEST_F(Engine, DISABLED_IsNotMovedByItsEnvironment) {
  TestWorkload workload(clock_, 10ms);
  ASSERT_TRUE(steady(workload, 3));
  EXPECT_THAT(laps_of_windows(), ElementsAre(10, 10, 10));
  EXPECT_EQ(std::getenv("BENCHMARK_LIST_TESTS"), nullptr);
  EXPECT_EQ(std::getenv("BENCHMARK_ANYTHING"), nullptr);
}

TEST_F(Engine, IgnoresVariablesOfGoogleBenchmark) {
  EXPECT_EQ(test::run_own_test(
                "Engine.DISABLED_IsNotMovedByItsEnvironment",
                {"BENCHMARK_LIST_TESTS=true", "BENCHMARK_FILTER=nothing", "BENCHMARK_REPETITIONS=7",
                 "BENCHMARK_MIN_WARMUP_TIME=1", "BENCHMARK_ENABLE_RANDOM_INTERLEAVING=true",
                 "BENCHMARK_OUT=/dev/full", "BENCHMARK_ANYTHING=1"}),
            0);
}

TEST_F(Engine, LapsGoOnUntilTheirTime) {
  TestWorkload workload(clock_, 10ms);
  const auto laps = soak(workload, clock_.now() + 250ms);
  ASSERT_TRUE(laps);
  EXPECT_THAT(laps_of_windows(), ElementsAre(10, 10, 10));
  EXPECT_FALSE(laps->stopped);
}

TEST_F(Engine, NoLapRunsWhenTheTimeIsOverAlready) {
  TestWorkload workload(clock_, 10ms);
  const auto laps = soak(workload, clock_.now());
  ASSERT_TRUE(laps);
  EXPECT_EQ(workload.laps, 0);
}

TEST_F(Engine, LapsWithoutEndGoOnUntilReleased) {
  TestWorkload workload(clock_, 10ms);
  stop_ = [&] { return workload.laps == 12'345; };
  const auto laps = soak(workload, kForever);
  ASSERT_TRUE(laps);
  EXPECT_TRUE(laps->stopped);
  EXPECT_EQ(laps->laps, 12'345);
}

TEST_F(Engine, AFailedLapEndsASoak) {
  TestWorkload workload(clock_, 10ms, 14);
  const auto laps = soak(workload, kForever);
  ASSERT_FALSE(laps);
  EXPECT_EQ(laps.error().what, "the device went away");
  EXPECT_THAT(laps_of_windows(), ElementsAre(10, 4));
}

}  // namespace
}  // namespace linkburn
