// Profiles: what a run does and how strict it is. TOML; an unknown key is an error.
#pragma once

#include <string>
#include <vector>

#include "bench/base/result.h"
#include "report/rules/finding.h"

namespace linkburn {

/// One [[step]] of a profile.
struct ProfileStep {
  std::string workload;  ///< a name of bench/workloads/table.h
  std::string lanes;     ///< how components become lanes: "each_pair", "all_local"
  int warm_up_ms = 200;
  int measure_ms = 600;
  int buffer_mib = 0;  ///< 0: the workload's own choice
};

struct Profile {
  std::string name, purpose;
  std::string text;  ///< the whole file, echoed into the evidence
  int time_budget_s = 0;
  int sampling_period_ms = 50;
  std::vector<Aspect> require;
  int idle_ms = 0, cool_down_ms = 0;
  std::vector<ProfileStep> steps;
};

/// A shipped profile by name, or a TOML file by path (a name with a slash or ending in .toml).
/// Errors are of input: they name the file, the line and the nearest known word.
Result<Profile> load_profile(const std::string& name_or_file);

/// The same over text; `source` stands for the file in messages.
Result<Profile> parse_profile(std::string_view text, const std::string& source);

/// Names of the profiles that are part of the program.
std::vector<std::string> shipped_profiles();

}  // namespace linkburn
