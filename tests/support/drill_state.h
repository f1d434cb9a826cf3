// A small world of software devices for tests of the drill, made by hand and not from a scenario.
//
//   0000:00:01.0 root port, slot 1 --- 0000:17:00.0 gpu0                      numa 0
//   0000:00:02.0 root port --- 0000:40:00.0 uplink1 (switch), below it        numa 1
//                                0000:41:00.0 --- 0000:42:00.0 gpu1 (slot 2)
//                                0000:41:01.0 --- 0000:43:00.0 gpu2 (slot 3)
//                                0000:41:02.0 --- 0000:44:00.0 nic0, mlx5_0
// All links gen5 x16, GPUs that idle at gen1, 700 W, 16 MiB of memory each.
#pragma once

#include <memory>

#include "bench/drill/scenario.h"
#include "bench/drill/state.h"

namespace linkburn::test {

std::shared_ptr<drill::State> small_drill_state();

/// The same as a scenario, ready for World::create().
drill::Scenario small_drill_scenario();

/// Index of the function with this name.
int function_of(const drill::State& state, std::string_view name);

/// Adds a fault and returns it; the caller fills in the rest.
drill::Fault& add_fault(drill::State& state, drill::FaultKind kind, drill::Trigger trigger);

template <std::size_t N>
void set_text(std::array<char, N>& to, std::string_view text) {
  to = {};
  text.copy(to.data(), N - 1);
}

}  // namespace linkburn::test
