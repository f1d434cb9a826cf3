#include "bench/watchdog.h"

#include <unistd.h>

#include <atomic>
#include <optional>

#include "bench/base/clock_thread.h"
#include "bench/base/log.h"
#include "bench/interrupts.h"
#include "report/verdict.h"

namespace linkburn {
namespace {

constexpr Duration kPeriod = std::chrono::milliseconds(500);
constexpr Duration kGrace = std::chrono::seconds(15);  // a clean stop takes five at most

std::atomic<std::int64_t> limit_ns{to_ns(kForever)};

void watch(const Clock& clock) {
  std::optional<Instant> signalled;
  while (true) {
    clock.sleep_until(clock.now() + kPeriod);
    const Instant now = clock.now();
    const int signal = Interrupts::signal();
    if (signal != 0 && !signalled) signalled = now;
    if (signalled && now - *signalled > kGrace) {
      log_error("the signal came, and something hangs; what was recorded is on disk");
      ::_exit(128 + signal);
    }
    if (now >= instant_from_ns(limit_ns)) {
      log_error("the time is over, and something hangs; what was recorded is on disk");
      ::_exit(kExitIncomplete);
    }
  }
}

}  // namespace

void start_watchdog(const Clock& clock) {
  // Lives until the process ends: it must not be waited for by what it watches.
  ClockThread(clock, [&clock] { watch(clock); }).detach();
}

void set_watchdog(Instant limit) {
  if (limit != kForever) limit_ns = to_ns(limit + kGrace);
}

}  // namespace linkburn
