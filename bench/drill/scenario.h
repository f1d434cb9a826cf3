// What a drill is made of: a node and its faults, read from a TOML file. scenarios/README.md
// describes the keys.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/base/result.h"
#include "bench/drill/state.h"

namespace linkburn::drill {

/// The finding that a fault must lead to. `code` empty: none, the fault cannot be seen.
struct Expected {
  std::string code;           ///< "LB-PCIE-WIDTH"
  std::string component;      ///< as in evidence: "0000:17:00.0"
  std::string finding_class;  ///< "degraded"
};

struct Scenario {
  std::string name, purpose;
  double minutes = 1;  ///< of drill time
  std::optional<std::uint64_t> seed;
  /// The initial state of the node and all faults, already laid out; participants are empty.
  std::shared_ptr<const State> state;
  std::vector<Expected> expected;  ///< one for each fault, same index as State::faults
};

/// Reads a scenario. Errors name file and line: unknown key, parent that is not there, two
/// functions at one address, a fault on nothing, more than the state file has room for.
Result<Scenario> parse_scenario(std::string_view text, const std::string& source);

/// Names of the scenarios that are part of this build.
std::vector<std::string> shipped_scenarios();

/// A scenario of this build by name ("hot-retrain"), or a file.
Result<Scenario> load_scenario(const std::string& name_or_file);

}  // namespace linkburn::drill
