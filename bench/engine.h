// Drives a workload lap by lap, in windows of time, on the calling thread.
//
// run_windows() is for steady-state bandwidth: one Google Benchmark run, one iteration per window.
// run_laps() is the same loop without it, for warm-up, soak and heat, where laps must go on for as
// long as somebody says so. A step ends by time, never by amount: a fault makes laps longer.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/workloads/workload.h"

namespace linkburn {

/// Laps that ran one after the other.
struct Window {
  Instant start, end;
  std::int64_t laps = 0, bytes = 0;  ///< bytes: payload moved, counted once
  std::vector<std::int64_t> lap_ns;
  bool whole = true;  ///< false: cut short by a stop or an error
};

/// Receives each window as it completes, so that a killed worker loses the current one at most. A
/// window without laps is not handed over.
using WindowSink = std::function<void(const Window&)>;

/// Asked before every lap; true ends the run.
using StopPredicate = std::function<bool()>;

struct WindowPlan {
  std::string name;   ///< of the run in Google Benchmark, "host_copy/numa0->numa0"
  int windows = 0;    ///< none is begun when windows * window has passed already
  Duration window{};  ///< each ends with the first lap that ends after this time
};

struct LapPlan {
  Instant until = kForever;  ///< no window is begun after it
  Duration window{};
};

/// What a run came to.
struct Laps {
  std::int64_t windows = 0, laps = 0, bytes = 0;
  Duration time{};                    ///< sum of the windows
  bool stopped = false;               ///< by the predicate, before its time was over
  std::optional<double> bytes_per_s;  ///< as Google Benchmark reports it; of run_windows() only
};

/// One at a time in a process: Google Benchmark's registry is global. Removes BENCHMARK_* variables
/// from the environment, so no other thread may read the environment meanwhile. Prints nothing. An
/// Error is that of the failed lap; the windows before it have been handed over.
Result<Laps> run_windows(Workload& workload, const WindowPlan& plan, const Clock& clock,
                         const WindowSink& sink, const StopPredicate& stop);

Result<Laps> run_laps(Workload& workload, const LapPlan& plan, const Clock& clock,
                      const WindowSink& sink, const StopPredicate& stop);

}  // namespace linkburn
