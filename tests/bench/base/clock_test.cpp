#include "bench/base/clock.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <thread>

#include "bench/base/fd.h"

namespace linkburn {
namespace {

/// Far enough away that no test waits for it, near enough that a hang ends.
Instant far_away() { return real_clock().now() + std::chrono::minutes(1); }
/// A deadline that has passed already, so that nothing depends on how long a wait takes.
Instant long_ago() { return real_clock().now() - std::chrono::seconds(1); }

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{-1, -1};
    if (::pipe(ends.data()) == 0) read = Fd(ends[0]), write = Fd(ends[1]);
  }
  Fd read, write;
};

TEST(RealClock, NeverGoesBack) {
  const Instant before = real_clock().now();
  EXPECT_GE(real_clock().now(), before);
  EXPECT_GT(real_clock().wall_ns(), 1'600'000'000'000'000'000) << "after the year 2020";
  EXPECT_EQ(real_clock().name(), "real");
}

TEST(RealClock, SleepsUntilTheDeadlineAndNotAtAllPastIt) {
  const Instant deadline = real_clock().now() + std::chrono::milliseconds(2);
  real_clock().sleep_until(deadline);
  EXPECT_GE(real_clock().now(), deadline);
  real_clock().sleep_until(long_ago());
}

TEST(RealClock, PollSeesReadyDescriptors) {
  const Pipe pipe;
  std::array<pollfd, 1> fds{{{pipe.read.get(), POLLIN, 0}}};
  EXPECT_EQ(real_clock().poll(fds, long_ago()).value(), 0);
  ASSERT_EQ(::write(pipe.write.get(), "x", 1), 1);
  EXPECT_EQ(real_clock().poll(fds, far_away()).value(), 1);
  EXPECT_EQ(real_clock().poll(fds, kForever).value(), 1);
  EXPECT_TRUE(fds[0].revents & POLLIN);
}

TEST(RealClock, WaitEndsByNotificationOrDeadline) {
  std::mutex mutex;
  std::condition_variable changed;
  bool ready = false;
  std::unique_lock lock(mutex);
  EXPECT_FALSE(real_clock().wait(changed, lock, long_ago()));
  EXPECT_TRUE(lock.owns_lock());
  const std::jthread other([&] {
    const std::lock_guard guard(mutex);
    ready = true;
    changed.notify_all();
  });
  const Instant deadline = far_away();
  while (!ready) ASSERT_TRUE(real_clock().wait(changed, lock, deadline));
}

TEST(InstantConversion, RoundTrips) {
  EXPECT_EQ(to_ns(instant_from_ns(1'234'567'890)), 1'234'567'890);
  EXPECT_EQ(instant_from_ns(1500) - instant_from_ns(500), Duration(1000));
}

TEST(IsoTime, IsUtc) {
  EXPECT_EQ(iso_time(0), "1970-01-01T00:00:00Z");
  EXPECT_EQ(iso_time(1'796'072'992'123'456'789), "2026-11-30T21:09:52Z");
  EXPECT_EQ(iso_time(1'796'072'992'123'456'789, true), "2026-11-30T21:09:52.123Z");
  EXPECT_EQ(iso_time(1'796'072'992'007'000'000, true), "2026-11-30T21:09:52.007Z");
}

}  // namespace
}  // namespace linkburn
