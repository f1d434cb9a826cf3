// A scenario while it is read: the state that it becomes, and what is kept until all of it is
// known. The functions that read the tables of a scenario file, in the order of their calls.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/base/component.h"
#include "bench/base/toml_table.h"
#include "bench/drill/scenario.h"
#include "bench/drill/state.h"

namespace linkburn::drill {

/// Where a function was written, and the address that it was given there.
struct Written {
  int line = 0;
  std::optional<PciAddress> address;
};

/// What a fault says of things that are known only later.
struct FaultText {
  int line = 0;
  std::string after;      ///< id of another fault
  std::string component;  ///< "gpu0", or an id as in evidence
};

struct Draft {
  std::string source;
  Scenario scenario;
  std::shared_ptr<State> state;
  Function root_port{};                ///< what root ports of this host are by default
  std::vector<Written> functions;      ///< of each of State::functions
  std::vector<FaultText> fault_texts;  ///< of each of State::faults
  int numas = 0, gpus = 0, nics = 0, nvmes = 0, slots = 0;

  const Function& function(int index) const { return state->functions[index]; }
  /// By its name; -1: none.
  int find(std::string_view name) const;
  Error error(int line, std::string what) const;
};

/// A state of zeros whose pages are made when they are touched: most of its megabytes are room for
/// ops that a scenario does not have.
std::shared_ptr<State> empty_state();

/// False, and the table's error: another function has this name.
bool check_name(const Draft& draft, TableReader& table, const std::string& name);

/// Adds a function and names it. -1, and the table's error: no room, or the name is taken.
int add_function(Draft& draft, TableReader& table, const Function& function,
                 const std::string& name);

/// What a link trains to at most, whatever both of its ends can.
struct TrainedLink {
  std::uint8_t most_gen = 6, most_width = 16;
  std::uint8_t target_gen = 0;  ///< set at the upper end; 0: as high as that can
};

/// Sets the link above a function as the kernel would find it after boot.
void train_link(Draft& draft, int index, const TrainedLink& link);

void read_host(TableReader& table, Draft& draft);     // scenario_host.cpp: [[host]], [[numa]]
void read_bridges(TableReader& table, Draft& draft);  // scenario_bridges.cpp: [[port]], [[switch]]
void read_gpus(TableReader& table, Draft& draft);     // scenario_gpus.cpp: [[gpu]], [thermal]
void read_nvlinks(TableReader& table, Draft& draft);  // scenario_nvlinks.cpp: [[nvlink]]
void read_adapters(TableReader& table,
                   Draft& draft);  // scenario_adapters.cpp: [[nic]], [[nvme]], [[other]]
void read_faults(TableReader& table, Draft& draft);  // scenario_faults.cpp: [[fault]]

/// Gives every function an address, those that were written and for the others free ones, so that
/// bus numbers nest as a kernel numbers them. (layout.cpp)
Status lay_out(Draft& draft);

/// What faults say of each other and of components. (scenario_faults.cpp)
Status connect_faults(Draft& draft);

}  // namespace linkburn::drill
