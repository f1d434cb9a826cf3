// How running ops share the resources of a drill's world: each gets the largest rate that takes
// nothing from one with a smaller one (max-min fair).
#pragma once

#include <array>
#include <cstdint>

#include "bench/drill/state.h"

namespace linkburn::drill {

/// Ops in a fixed order: by number of their stream.
struct RunningOps {
  std::array<Op*, kMaxStreams> ops;
  int count = 0;
};

/// Copies and kernels that run now.
RunningOps running_ops(State& state);

/// Gives each running op its rate from now on. What it does until now is settled when its rate
/// changes, and only then, so that rounding does not depend on how often somebody asks.
void share_rates(State& state, const RunningOps& running);

/// The first instant at which that much is through at that rate; kNever for a rate of 0.
std::int64_t due_at(std::int64_t now_ns, double rest, double rate);

}  // namespace linkburn::drill
