#include "bench/drill/ticker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "bench/base/clock_thread.h"
#include "bench/drill/turns.h"
#include "tests/support/running_drill.h"

namespace linkburn::drill {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

TEST(DrillTicker, StopsAtTheAskedInstant) {
  test::DrillRun drill;
  {
    Ticker ticker(drill.world(), nullptr);
    EXPECT_TRUE(ticker.run(123'456'789, {}));
    EXPECT_EQ(drill.state().header.now_ns, 123'456'789);
    EXPECT_TRUE(ticker.run(200'000'000, {}));
    EXPECT_EQ(drill.state().header.now_ns, 200'000'000);
    EXPECT_EQ(drill.state().header.ended, 0U);
  }
  EXPECT_EQ(drill.state().header.ended, 1U);
}

TEST(DrillTicker, MovesTheWorldWhileNobodyTakesPart) {
  test::DrillRun drill;
  Ticker ticker(drill.world(), nullptr);
  EXPECT_TRUE(ticker.run(10 * drill.state().tick_ns, {}));
  EXPECT_EQ(drill.state().statistics.ticks, 10U);
}

TEST(DrillTicker, WakesAtTheDeadlineAndNotAtTheNextEvent) {
  test::DrillRun drill;
  drill.start();
  const Clock& clock = drill.clock();
  clock.sleep_until(instant_from_ns(33'000'001));
  EXPECT_EQ(drill.state().header.now_ns, 33'000'001);
}

TEST(DrillTicker, EndsAWorldWhoseParticipantNeverGivesTheTurnBack) {
  TurnLimits limits;
  limits.work = milliseconds(30);
  test::DrillRun drill(limits);
  drill.start();
  const Turns turns(drill.state());
  while (!turns.ended()) {
  }
  drill.stop();
  ASSERT_FALSE(drill.status());
  EXPECT_THAT(drill.status().error().line(), HasSubstr("works for longer than any work takes"));
  EXPECT_THAT(drill.status().error().line(), HasSubstr(std::to_string(::gettid())));
}

}  // namespace
}  // namespace linkburn::drill
