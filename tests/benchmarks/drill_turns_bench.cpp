// What the turn-taking of a drill costs: a turn, a look at files, a tick of a world that idles.
#include <benchmark/benchmark.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "bench/base/clock_thread.h"
#include "bench/base/fd.h"
#include "bench/drill/turns.h"
#include "tests/support/running_drill.h"

namespace linkburn::bench {
namespace {

constexpr double kIdleHours = 8;

/// One participant that waits again and again: with each turn the world moves once.
void turn(benchmark::State& state) {
  test::DrillRun drill;
  drill.start();
  const Clock& clock = drill.clock();
  for ([[maybe_unused]] auto iteration : state)
    clock.sleep_until(clock.now() + std::chrono::nanoseconds(1));
  state.counters["turns"] = static_cast<double>(drill.state().statistics.turns);
}

/// The same beside others that wait for a file, and look at it after each turn.
void turn_and_looks(benchmark::State& state) {
  test::DrillRun drill;
  drill.start();
  const Clock& clock = drill.clock();
  clock.sleep_until(instant_from_ns(1));
  const Fd quiet(::eventfd(0, EFD_CLOEXEC));
  std::atomic<bool> over{false};
  std::vector<ClockThread> others;
  for (int i = 0; i < state.range(0); ++i)
    others.emplace_back(clock, [&] {
      pollfd wait{quiet.get(), POLLIN, 0};
      (void)clock.poll({&wait, 1}, kForever);
    });
  for ([[maybe_unused]] auto iteration : state)
    clock.sleep_until(clock.now() + std::chrono::nanoseconds(1));
  state.counters["looks"] = static_cast<double>(drill.state().statistics.looks);
  const std::uint64_t one = 1;
  benchmark::DoNotOptimize(::write(quiet.get(), &one, sizeof one));
  for (ClockThread& other : others) other.join();
}

void thousand_idle_ticks(benchmark::State& state) {
  test::DrillRun drill;
  drill::Ticker ticker(drill.world(), nullptr);
  const std::int64_t ticks_ns = drill.state().tick_ns * 1000;
  std::int64_t until_ns = 0;
  for ([[maybe_unused]] auto iteration : state) (void)ticker.run(until_ns += ticks_ns, {});
  // Seconds of real time for eight hours of the drill.
  state.counters["s_for_8_hours"] = benchmark::Counter(
      static_cast<double>(state.iterations()) * static_cast<double>(ticks_ns) / 3.6e12 / kIdleHours,
      benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

// The ticker is another thread: its processor time counts too.
BENCHMARK(turn)->MeasureProcessCPUTime()->UseRealTime();
BENCHMARK(turn_and_looks)->Arg(1)->Arg(8)->MeasureProcessCPUTime()->UseRealTime();
BENCHMARK(thousand_idle_ticks)->MeasureProcessCPUTime()->UseRealTime();

}  // namespace
}  // namespace linkburn::bench
