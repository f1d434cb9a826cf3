// The only file that knows Google Benchmark. Written for 1.7 and later.
#include "bench/engine.h"

#include <benchmark/benchmark.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cstdlib>
#include <optional>
#include <string_view>

namespace linkburn {
namespace {

/// The lap loop, shared by both ways to run it.
class LapLoop {
 public:
  LapLoop(Workload& workload, const Clock& clock, const WindowSink& sink, const StopPredicate& stop)
      : workload_(workload), clock_(clock), sink_(sink), stop_(stop) {}

  /// Runs laps until `length` has passed, hands the window over and returns how long it took.
  Duration window(Duration length) {
    Window window;
    window.start = window.end = clock_.now();
    while (window.end - window.start < length) {
      if (!lap(window)) {
        window.whole = false;
        break;
      }
    }
    hand_over(window);
    return window.end - window.start;
  }

  bool over() const { return laps_.stopped || error_; }
  const std::optional<Error>& error() const { return error_; }
  const Laps& laps() const { return laps_; }

 private:
  bool lap(Window& window) {
    if (stop_()) {
      laps_.stopped = true;
      return false;
    }
    const Result<Lap> lap = workload_.lap();
    if (!lap) {
      error_ = lap.error();
      return false;
    }
    window.end = clock_.now();
    ++window.laps;
    window.bytes += lap->bytes;
    window.lap_ns.push_back((lap->end - lap->start).count());
    return true;
  }

  void hand_over(const Window& window) {
    if (window.laps == 0) return;
    ++laps_.windows;
    laps_.laps += window.laps;
    laps_.bytes += window.bytes;
    laps_.time += window.end - window.start;
    sink_(window);
  }

  Workload& workload_;
  const Clock& clock_;
  const WindowSink& sink_;
  const StopPredicate& stop_;
  Laps laps_;
  std::optional<Error> error_;
};

/// Keeps what the library would print.
class CapturingReporter final : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      const auto rate = run.counters.find("bytes_per_second");
      if (rate != run.counters.end()) bytes_per_s_ = rate->second.value;
    }
  }
  std::optional<double> bytes_per_s() const { return bytes_per_s_; }

 private:
  std::optional<double> bytes_per_s_;
};

void clear_benchmark_environment() {
  std::vector<std::string> names;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    if (text.starts_with("BENCHMARK_")) names.emplace_back(text.substr(0, text.find('=')));
  }
  for (const std::string& name : names) ::unsetenv(name.c_str());
}

/// The library takes its flags from the environment while the program is being loaded, before any
/// code of ours can clear it; so all that change what is run or written are set back here.
void reset_benchmark_flags() {
  std::vector<std::string> flags{"linkburn",
                                 "--benchmark_list_tests=false",
                                 "--benchmark_repetitions=1",
                                 "--benchmark_enable_random_interleaving=false",
                                 "--benchmark_report_aggregates_only=false",
                                 "--benchmark_display_aggregates_only=false",
                                 "--benchmark_min_warmup_time=0",
                                 "--benchmark_perf_counters=",
                                 "--benchmark_out=",
                                 "--v=0"};
  // The library keeps the address of argv[0] for good.
  static char name[] = "linkburn";
  std::vector<char*> argv{name};
  for (std::size_t i = 1; i < flags.size(); ++i) argv.push_back(flags[i].data());
  argv.push_back(nullptr);
  int argc = static_cast<int>(flags.size());
  benchmark::Initialize(&argc, argv.data());
}

/// One iteration per window. Their number is fixed, and the library insists on every one of them:
/// what is left when the run is over takes no time and does nothing.
void run_iterations(benchmark::State& state, LapLoop& loop, const WindowPlan& plan,
                    const Clock& clock) {
  const Instant until = clock.now() + plan.windows * plan.window;
  for ([[maybe_unused]] auto iteration : state) {
    const bool begin = !loop.over() && clock.now() < until;
    const Duration took = begin ? loop.window(plan.window) : Duration::zero();
    state.SetIterationTime(std::chrono::duration<double>(took).count());
    if (loop.error()) {
      state.SkipWithError(loop.error()->what.c_str());
      break;
    }
  }
  state.SetBytesProcessed(loop.laps().bytes);
}

}  // namespace

Result<Laps> run_windows(Workload& workload, const WindowPlan& plan, const Clock& clock,
                         const WindowSink& sink, const StopPredicate& stop) {
  check(plan.windows > 0 && plan.window > Duration::zero(), "a run without windows");
  clear_benchmark_environment();
  reset_benchmark_flags();
  LapLoop loop(workload, clock, sink, stop);
  bool ran = false;
  benchmark::ClearRegisteredBenchmarks();
  benchmark::RegisterBenchmark(plan.name.c_str(),
                               [&](benchmark::State& state) {
                                 ran = true;
                                 run_iterations(state, loop, plan, clock);
                               })
      ->UseManualTime()
      ->Iterations(plan.windows)
      ->Repetitions(1);
  CapturingReporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter, nullptr, ".");
  benchmark::ClearRegisteredBenchmarks();
  if (!ran) return Error{Code::unsupported, "Google Benchmark ran nothing", plan.name, {}};
  if (loop.error()) return *loop.error();
  Laps laps = loop.laps();
  laps.bytes_per_s = reporter.bytes_per_s();
  return laps;
}

Result<Laps> run_laps(Workload& workload, const LapPlan& plan, const Clock& clock,
                      const WindowSink& sink, const StopPredicate& stop) {
  check(plan.window > Duration::zero(), "a run without windows");
  LapLoop loop(workload, clock, sink, stop);
  while (!loop.over() && clock.now() < plan.until) (void)loop.window(plan.window);
  if (loop.error()) return *loop.error();
  return loop.laps();
}

}  // namespace linkburn
