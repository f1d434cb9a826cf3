// The clock through which everything reads time and waits.
//
// Real runs use real_clock(). A drill gives every participant a clock whose time a ticker advances,
// so no other file of the product calls clock_gettime, sleep, poll or a timed wait on its own.
#pragma once

#include <poll.h>
#include <sys/types.h>

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

  /// Wakes those who wait() for the condition. Whoever changes what a waiter looks at calls this
  /// and not the condition itself: a drill has to know.
  virtual void notify_all(std::condition_variable& condition) const { condition.notify_all(); }

  // Threads and processes that share the clock. In a drill time passes only while all of them wait,
  // so it has to know of each before it starts; elsewhere these do nothing. ClockThread
  // (clock_thread.h) and ChildProcess use them.

  /// A thread is about to be started. The number is for the three below.
  virtual int announce_thread() const { return 0; }
  virtual void enter_thread(int /*number*/) const {}  ///< first thing in the new thread
  virtual void leave_thread() const {}                ///< last thing in it
  virtual void await_thread(int /*number*/) const {}  ///< before it is joined

  /// A child process is about to be started: what its environment has to hold besides, "NAME=text".
  /// Empty: nothing. Then child_started() with its pid, -1 when there is none.
  virtual std::string announce_child(std::string_view /*name*/) const { return {}; }
  virtual void child_started(pid_t /*pid*/) const {}
  /// The child was killed, or has said that it ends: it will be gone before any time has passed.
  virtual void await_child(pid_t /*pid*/) const {}
};

/// CLOCK_MONOTONIC and CLOCK_REALTIME.
const Clock& real_clock();

/// "2026-11-30T21:09:52Z" and with milliseconds "2026-11-30T21:09:52.123Z".
std::string iso_time(std::int64_t wall_ns, bool with_ms = false);

}  // namespace linkburn
