#include "bench/base/clock.h"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <ctime>

namespace linkburn {
namespace {

timespec to_timespec(Duration time) {
  const auto ns = time.count();
  return {static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
}

std::int64_t read_clock(clockid_t id) {
  timespec now{};
  clock_gettime(id, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

class RealClock final : public Clock {
 public:
  std::string_view name() const override { return "real"; }
  Instant now() const override { return instant_from_ns(read_clock(CLOCK_MONOTONIC)); }
  std::int64_t wall_ns() const override { return read_clock(CLOCK_REALTIME); }

  void sleep_until(Instant deadline) const override {
    const timespec until = to_timespec(deadline.time_since_epoch());
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
  }

  Result<int> poll(std::span<pollfd> fds, Instant deadline) const override {
    timespec rest{};
    if (deadline != kForever) rest = to_timespec(std::max(Duration::zero(), deadline - now()));
    const int ready =
        ::ppoll(fds.data(), fds.size(), deadline == kForever ? nullptr : &rest, nullptr);
    if (ready >= 0) return ready;
    if (errno == EINTR) return 0;
    return errno_error(errno, "waiting failed", "ppoll");
  }

  bool wait(std::condition_variable& condition, std::unique_lock<std::mutex>& lock,
            Instant deadline) const override {
    if (deadline == kForever) {
      condition.wait(lock);
      return true;
    }
    const auto until = std::chrono::steady_clock::time_point(deadline.time_since_epoch());
    return condition.wait_until(lock, until) == std::cv_status::no_timeout;
  }
};

}  // namespace

const Clock& real_clock() {
  // Never destroyed: a thread that was left behind may ask for the time until the process is gone.
  static const RealClock& clock = *new RealClock;
  return clock;
}

std::string iso_time(std::int64_t wall_ns, bool with_ms) {
  const time_t seconds = wall_ns / 1'000'000'000;
  tm utc{};
  gmtime_r(&seconds, &utc);
  const std::string stem =
      fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", utc.tm_year + 1900, utc.tm_mon + 1,
                  utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec);
  return with_ms ? fmt::format("{}.{:03}Z", stem, wall_ns / 1'000'000 % 1000) : stem + "Z";
}

}  // namespace linkburn
