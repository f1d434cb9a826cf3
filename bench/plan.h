// Profile and Inventory to a Plan: what runs where and for how long. Every skip has a reason.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bench/base/clock.h"
#include "bench/inventory/inventory.h"
#include "bench/profile.h"

namespace linkburn {

struct PlannedLane {
  Lane lane;                                  ///< the component and what it loads
  std::map<std::string, std::string> params;  ///< for the workload
};

struct PlannedStep {
  std::string step;  ///< id in the evidence: "host_copy-1"
  std::string workload;
  std::vector<PlannedLane> lanes;  ///< all at once, behind one start gate
  Duration warm_up{0};
  int windows = 1;
  Duration estimate{0};     ///< of the whole step, preparation included
  std::string skip_reason;  ///< not empty: planned away
};

/// Steady-state windows are at least this long, so that one lone slow lap cannot decide one.
inline constexpr std::chrono::milliseconds kWindow{100};

struct Plan {
  std::vector<PlannedStep> steps;
  Duration idle{0}, cool_down{0};
  Duration estimate{0};  ///< of the whole run
  Duration budget{0};    ///< kept when preparing takes longer than estimated, too
};

/// Why a step was cut, by the plan or when time ran out.
std::string budget_reason(Duration budget);

/// The plan keeps the profile's time budget: measuring times shrink first, then the farthest memory
/// paths are cut, each with that reason.
Plan make_plan(const Profile& profile, const Inventory& inventory);

}  // namespace linkburn
