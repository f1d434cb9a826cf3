#include "bench/drill/clock.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>

#include "bench/base/clock_thread.h"
#include "tests/support/running_drill.h"

namespace linkburn::drill {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(DrillClock, AnHourPassesAtOnce) {
  test::DrillRun drill;
  drill.start();
  const Instant start = drill.clock().now();
  drill.clock().sleep_until(start + hours(1));
  EXPECT_EQ(drill.clock().now(), start + hours(1));
  EXPECT_EQ(drill.clock().name(), "drill");
  EXPECT_EQ(drill.clock().wall_ns(),
            drill.state().header.wall_at_start_ns + to_ns(start + hours(1)));
}

TEST(DrillClock, ALoopOnTheClockEnds) {
  test::DrillRun drill;
  drill.start();
  const Clock& clock = drill.clock();
  const Instant end = clock.now() + milliseconds(1);
  int looks = 0;
  while (clock.now() < end) ++looks;
  EXPECT_GE(looks, 100 * 990);
  EXPECT_LE(looks, 100 * 1000 + 1000);
}

TEST(DrillClock, AByteIsSeenBeforeTimePasses) {
  test::DrillRun drill;
  drill.start();
  const Clock& clock = drill.clock();
  std::array<int, 2> ends{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
  Instant seen{};
  ClockThread reader(clock, [&] {
    pollfd wait{ends[0], POLLIN, 0};
    const auto ready = clock.poll({&wait, 1}, kForever);
    EXPECT_TRUE(ready && *ready == 1);
    seen = clock.now();
  });
  clock.sleep_until(instant_from_ns(1000));
  EXPECT_EQ(::write(ends[1], "x", 1), 1);
  clock.sleep_until(instant_from_ns(2000));
  reader.join();
  EXPECT_EQ(seen, instant_from_ns(1000));
  ::close(ends[0]), ::close(ends[1]);
}

}  // namespace
}  // namespace linkburn::drill
