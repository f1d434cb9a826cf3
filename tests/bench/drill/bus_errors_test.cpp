#include "bench/drill/bus_errors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/drill/model.h"
#include "bench/sensors/kernel_topics.h"
#include "tests/support/drill_run.h"
#include "tests/support/drill_state.h"

namespace linkburn::drill {
namespace {

using test::kMs, test::kSecond, test::run_world;
using ::testing::ElementsAre, ::testing::IsEmpty;

class DrillBusErrors : public ::testing::Test {
 protected:
  DrillBusErrors() {
    test::keep_awake(s_);
    s_.tick_ns = 50 * kMs;
  }

  /// From 1 s to 11 s.
  Fault& fault(FaultKind kind, std::string_view function, double per_s, int end = 0) {
    Fault& added = test::add_fault(s_, kind, Trigger::at);
    added.at_ns = kSecond, added.for_ns = 10 * kSecond;
    added.function = test::function_of(s_, function);
    added.amount = per_s, added.number = end;
    return added;
  }
  Function& link(std::string_view name) { return s_.functions[test::function_of(s_, name)]; }

  std::shared_ptr<State> state_ = test::small_drill_state();
  State& s_ = *state_;
};

TEST_F(DrillBusErrors, AreCountedAtTheirEndWhileTheFaultLasts) {
  fault(FaultKind::errors, "gpu0", 40);
  run_world(s_, kSecond);
  EXPECT_EQ(link("gpu0").lower.correctable[0], 0U);
  EXPECT_EQ(link("gpu0").lower.correctable_status, 0U);
  run_world(s_, 11 * kSecond);
  EXPECT_EQ(link("gpu0").lower.correctable[0], 400U) << "two in each tick of 50 ms";
  EXPECT_EQ(link("gpu0").lower.correctable_status, 1U);
  EXPECT_EQ(link("gpu0").upper.correctable[0], 0U);
  run_world(s_, 20 * kSecond);
  EXPECT_EQ(link("gpu0").lower.correctable[0], 400U);
  EXPECT_EQ(link("gpu1").lower.correctable[0], 0U);
}

TEST_F(DrillBusErrors, OfTheUpperEndAreThePorts) {
  fault(FaultKind::errors, "gpu0", 20, 1);
  run_world(s_, 11 * kSecond);
  EXPECT_EQ(link("gpu0").lower.correctable[0], 0U);
  EXPECT_EQ(link("gpu0").upper.correctable[0], 200U);
  EXPECT_THAT(test::log_of(s_)[0],
              "pcieport 0000:00:01.0: AER: Corrected error received: 0000:00:01.0");
}

TEST_F(DrillBusErrors, OfALowRateComeByChanceAndTheSameEachTime) {
  const auto count = [](std::uint64_t seed) {
    const auto state = test::small_drill_state();
    state->header.seed = seed;
    Fault& f = test::add_fault(*state, FaultKind::errors, Trigger::at);
    f.gpu = 0, f.amount = 0.5;
    run_world(*state, 1000 * kSecond);
    return state->functions[state->gpus[0].function].lower.correctable[0];
  };
  const auto one = count(1);
  EXPECT_NEAR(static_cast<double>(one), 500, 100) << "4.5 standard deviations";
  EXPECT_EQ(count(1), one);
  EXPECT_NE(count(2), one);
}

TEST_F(DrillBusErrors, OfTwoFaultsAddUpAndLeaveTogetherNothing) {
  fault(FaultKind::errors, "gpu0", 20).for_ns = 2 * kSecond;
  fault(FaultKind::errors, "gpu0", 40);
  run_world(s_, 2 * kSecond);
  EXPECT_EQ(link("gpu0").errors_per_s[0], 60);
  run_world(s_, 4 * kSecond);
  EXPECT_EQ(link("gpu0").errors_per_s[0], 40);
  run_world(s_, 12 * kSecond);
  EXPECT_EQ(link("gpu0").errors_per_s[0], 0);
}

TEST_F(DrillBusErrors, AreReportedInTheWordsOfAKernel) {
  fault(FaultKind::errors, "gpu1", 20).for_ns = 60 * kMs;
  run_world(s_, 2 * kSecond);
  EXPECT_THAT(
      test::log_of(s_),
      ElementsAre("pcieport 0000:00:02.0: AER: Corrected error received: 0000:42:00.0",
                  "nvidia 0000:42:00.0: PCIe Bus Error: severity=Corrected, type=Physical Layer, "
                  "(Receiver ID)",
                  "nvidia 0000:42:00.0:   device [10de:2330] error status/mask=00000001/00002000",
                  "nvidia 0000:42:00.0:    [ 0] RxErr                  (First)"));
  EXPECT_STREQ(s_.log[1].device.data(), "+pci:0000:42:00.0");
  EXPECT_EQ(s_.log[0].level, 6);
  EXPECT_EQ(s_.log[1].level, 4);
  EXPECT_EQ(sign_in(s_.log[0].text.data()), kNoteReported);
  EXPECT_EQ(sign_in(s_.log[1].text.data()), "aer_corrected");
}

TEST_F(DrillBusErrors, SeveralOfOneTickAreReportedAsMultiple) {
  fault(FaultKind::errors, "gpu0", 1000).for_ns = 60 * kMs;
  run_world(s_, 2 * kSecond);
  EXPECT_EQ(test::log_of(s_)[0],
            "pcieport 0000:00:01.0: AER: Multiple Corrected error received: 0000:17:00.0");
}

TEST_F(DrillBusErrors, AreReportedTenTimesInFiveSecondsAndAllCounted) {
  fault(FaultKind::errors, "gpu0", 20);
  run_world(s_, 5 * kSecond);
  EXPECT_EQ(s_.log_count, 40U) << "four lines each";
  run_world(s_, 11 * kSecond);
  EXPECT_EQ(s_.log_count, 80U);
  EXPECT_EQ(link("gpu0").lower.correctable[0], 200U);
}

TEST_F(DrillBusErrors, OfADeviceThatIsGoneAreNotCounted) {
  fault(FaultKind::errors, "gpu0", 20);
  link("gpu0").gone = true;
  run_world(s_, 3 * kSecond);
  EXPECT_EQ(link("gpu0").lower.correctable[0], 0U);
}

TEST_F(DrillBusErrors, ReplaysGrowWithoutReports) {
  fault(FaultKind::replays, "gpu0", 60);
  run_world(s_, kSecond);
  EXPECT_EQ(link("gpu0").replays, 0U);
  run_world(s_, 11 * kSecond);
  EXPECT_EQ(link("gpu0").replays, 600U);
  run_world(s_, 20 * kSecond);
  EXPECT_EQ(link("gpu0").replays, 600U);
  EXPECT_THAT(test::log_of(s_), IsEmpty());
}

TEST_F(DrillBusErrors, AtAnEndThatIsNotThereAreNotCounted) {
  const int root = test::function_of(s_, "root0");
  s_.functions[root].errors_per_s[0] = s_.functions[root].errors_per_s[1] = 20;
  run_world(s_, kSecond);
  EXPECT_EQ(s_.functions[root].upper.correctable[0], 0U);
}

TEST_F(DrillBusErrors, AFloodDoesNotOverflow) {
  fault(FaultKind::errors, "gpu0", 1e300);
  run_world(s_, 3 * kSecond);
  EXPECT_GT(link("gpu0").lower.correctable[0], 1'000'000'000U);
}

TEST_F(DrillBusErrors, LinesOfTheLogAreCutToTheirRoom) {
  log_line(s_, 6, std::string(500, 'x'));
  EXPECT_EQ(test::log_of(s_)[0].size(), s_.log[0].text.size() - 1);
  for (int n = 0; n < kMaxLogLines; ++n) log_line(s_, 6, "line " + std::to_string(n));
  EXPECT_EQ(s_.log_count, static_cast<std::uint64_t>(kMaxLogLines) + 1);
  EXPECT_STREQ(s_.log[0].text.data(), "line 1023") << "the oldest gives way";
}

}  // namespace
}  // namespace linkburn::drill
