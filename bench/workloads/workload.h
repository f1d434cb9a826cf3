// A workload: what loads one path of the node. It knows its devices and nothing of plans, processes
// or Google Benchmark; the engine (bench/engine.h) drives it lap by lap, in a worker process.
//
// All members of one workload are called from one thread, in the order prepare, lap and verify in
// any mix, release. Calls that can hang are announced through Progress before they start: slow is a
// result, silent is a hang.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "bench/base/clock.h"
#include "bench/base/component.h"
#include "bench/base/result.h"

namespace linkburn {

/// What one lane of a step shall do: plain data out of the plan.
struct LaneSpec {
  ComponentId component;
  std::map<std::string, std::string> params;  ///< the keys are the workload's own
  std::string step;                           ///< id of the step, "host_copy-1"
};

/// One pass over the data. `bytes` is the payload moved, counted once.
struct Lap {
  Instant start, end;
  std::int64_t bytes = 0;
};

/// Comparison of everything that the laps wrote with what they should have written.
struct DataCheck {
  std::int64_t words_checked = 0, wrong_words = 0;  ///< of 8 bytes
  std::string first_wrong;  ///< lap count, place, expected and seen value; empty when all is right
};

/// Statements about how the load was made, for the evidence: "threads" = "8".
using Facts = std::map<std::string, std::string>;

/// How a workload talks to whoever supervises it. Outlives every workload that it was given to.
class Progress {
 public:
  virtual ~Progress() = default;

  /// `call` starts now and is a hang when it has not returned after `allowed`.
  virtual void doing(std::string_view call, Duration allowed) = 0;

  /// True when the caller wants back; long preparations look at it between their parts.
  virtual bool stop_requested() const = 0;
};

class Workload {
 public:
  virtual ~Workload() = default;

  /// Takes all that the laps need. After an error nothing is held any more.
  virtual Status prepare(const LaneSpec& lane, Progress& progress) = 0;

  virtual Result<Lap> lap() = 0;

  /// Compares the data. Later laps write different data, so that a lap that wrote nothing is seen.
  virtual Result<DataCheck> verify() = 0;

  /// Gives everything back: threads, memory, locks. Harmless when nothing is held.
  virtual void release() = 0;

  /// Known after prepare(); kept after release().
  virtual Facts facts() const = 0;
};

struct WorkloadInfo {
  std::string_view name;     ///< as in a profile's step
  std::string_view purpose;  ///< one line for people
  std::string_view unit;     ///< of its rate, "GB/s"
  std::unique_ptr<Workload> (*make)(const Clock& clock);
};

}  // namespace linkburn
