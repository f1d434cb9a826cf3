// The clock through which everything reads time and waits.
//
// Real runs use real_clock(). A drill gives every participant a clock whose time a ticker advances,
// so no other file of the product calls clock_gettime, sleep, poll or a timed wait on its own.
#pragma once

#include <poll.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

#include "bench/base/result.h"

namespace linkburn {

/// Tag of linkburn's own time line: monotonic, the same for all processes of a node.
struct RunTime {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<RunTime>;
  static constexpr bool is_steady = true;
};

using Duration = RunTime::duration;
using Instant = RunTime::time_point;

inline constexpr Instant kForever = Instant::max();

inline std::int64_t to_ns(Instant at) { return at.time_since_epoch().count(); }
inline Instant instant_from_ns(std::int64_t ns) { return Instant(Duration(ns)); }

/// All members may be called from any thread.
class Clock {
 public:
  virtual ~Clock() = default;

  /// "real" or "drill"; written into the evidence.
  virtual std::string_view name() const = 0;

  virtual Instant now() const = 0;

  /// Nanoseconds since 1970-01-01 UTC, for people and for joining evidence of several nodes.
  virtual std::int64_t wall_ns() const = 0;

  /// Returns at `deadline`, or earlier when a signal arrives.
  virtual void sleep_until(Instant deadline) const = 0;

  /// poll(2) until `deadline`: the number of ready descriptors, 0 at the deadline or on a signal.
  virtual Result<int> poll(std::span<pollfd> fds, Instant deadline) const = 0;

  /// Waits for a notification; false when `deadline` passed. Callers loop on their own condition.
  virtual bool wait(std::condition_variable& condition, std::unique_lock<std::mutex>& lock,
                    Instant deadline) const = 0;
};

/// CLOCK_MONOTONIC and CLOCK_REALTIME.
const Clock& real_clock();

/// "2026-11-30T21:09:52Z" and with milliseconds "2026-11-30T21:09:52.123Z".
std::string iso_time(std::int64_t wall_ns, bool with_ms = false);

}  // namespace linkburn
