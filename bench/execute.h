// Runs a plan: workers load the links, sensors sample, everything becomes evidence.
#pragma once

#include <optional>
#include <vector>

#include "bench/base/clock.h"
#include "bench/base/sysroot.h"
#include "bench/inventory/inventory.h"
#include "bench/plan.h"
#include "report/evidence/writer.h"

namespace linkburn {

struct Execution {
  const Clock& clock;
  const Sysroot& root;
  const Inventory& inventory;
  EvidenceWriter& evidence;
  std::vector<std::string> worker_command;
  Duration sampling_period;
  Instant deadline;  ///< of all steps; what is left then is skipped and said
  int wake_fd = -1;  ///< readable: stop now
};

/// Runs all steps through their phases: idle, then warm-up and measure of each step, then
/// cool-down. Never fails as a whole: what went wrong is in the evidence. Returns with no worker
/// left, or with the stuck ones named; false when the run was stopped or ran out of time before its
/// last step.
bool execute(const Plan& plan, const Execution& with);

/// Asks a worker which libraries of the driver layers are here; their Part records.
std::vector<Part> probe_libraries(const Clock& clock, std::vector<std::string> worker_command,
                                  int wake_fd);

}  // namespace linkburn
