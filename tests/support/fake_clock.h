// A clock that stands still until a test, or a wait for a deadline, moves it.
#pragma once

#include <atomic>

#include "bench/base/clock.h"

namespace linkburn::test {

class FakeClock final : public Clock {
 public:
  explicit FakeClock(std::string_view name = "fake") : name_(name) {}

  void advance(Duration by) { ns_ += by.count(); }

  std::string_view name() const override { return name_; }
  Instant now() const override { return instant_from_ns(ns_); }

  /// The epoch of wall time is one day before that of now(), so that a mix-up shows.
  std::int64_t wall_ns() const override { return 86'400'000'000'000 + ns_; }

  void sleep_until(Instant deadline) const override { move_to(deadline); }

  Result<int> poll(std::span<pollfd> fds, Instant deadline) const override {
    const int ready = ::poll(fds.data(), fds.size(), deadline == kForever ? -1 : 0);
    if (ready == 0) move_to(deadline);
    if (ready < 0) return errno_error(errno, "waiting failed", "poll");
    return ready;
  }

  bool wait(std::condition_variable& condition, std::unique_lock<std::mutex>& lock,
            Instant deadline) const override {
    if (deadline == kForever) {
      condition.wait(lock);
      return true;
    }
    move_to(deadline);
    return false;
  }

 private:
  void move_to(Instant deadline) const {
    std::int64_t seen = ns_;
    while (seen < to_ns(deadline) && !ns_.compare_exchange_weak(seen, to_ns(deadline))) {
    }
  }

  std::string_view name_;
  mutable std::atomic<std::int64_t> ns_ = 0;
};

}  // namespace linkburn::test
