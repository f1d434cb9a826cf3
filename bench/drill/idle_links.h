// Links at the speed that faults and idleness leave them: GPUs lower theirs when nothing runs, and
// take a while to raise it again when work comes.
#pragma once

#include <cstdint>

#include "bench/drill/state.h"

namespace linkburn::drill {

/// Work has come to a GPU: its link begins to come up if it is down.
void wake(State& state, int gpu);

/// Does so too while the GPU works already: what kept it down is over.
void wake_again(State& state, int gpu);

/// The next instant at which a link goes down for idleness, or is up again.
std::int64_t next_link_change(const State& state);

/// Lets links go down, and come up, whose time has come.
void change_links(State& state);

/// Sets a link to what its active faults and the idleness of its GPU leave of it.
void settle_link(State& state, int function);

}  // namespace linkburn::drill
