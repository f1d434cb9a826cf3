// Faults of a drill: when they begin and end, and what they do meanwhile.
//
// A fault holds something at another value while it lasts; what it was before is there again when
// the last fault on it ends. Of several on one thing, the one that began last decides.
//
// A temperature triggers when it comes above its threshold, and again only after it was
// kCooledByC below. A fault on temperature that repeats and has no length of its own ends there:
// it is there while the GPU is hot.
#pragma once

#include <cstdint>

#include "bench/drill/state.h"

namespace linkburn::drill {

inline constexpr double kCooledByC = 2.0;

/// The next instant at which a fault begins or ends by the clock.
std::int64_t next_fault_change(const State& state);

/// Begins and ends those whose time or temperature has come.
void change_faults(State& state);

/// The link of a GPU comes up: begins what waits for that.
void begin_on_wake(State& state, int gpu);

/// An op begins: if a fault waits for one of its kind, a bit of it will be wrong.
void flip_bit(State& state, Op& op);

// What active faults ask for, for those who put it into effect.
bool holds_down(const State& state, const Fault& fault, int function);  ///< by FaultKind::retrain
bool throttles(const State& state, const Fault& fault, int gpu);
bool stays_down(const State& state, int gpu);  ///< by FaultKind::failed_wake

}  // namespace linkburn::drill
