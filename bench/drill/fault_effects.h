// What faults do to the world of a drill, by kind.
#pragma once

#include "bench/drill/state.h"

namespace linkburn::drill {

void begin_effect(State& state, Fault& fault);
void end_effect(State& state, Fault& fault);  ///< `active` is false already

/// Links whose payload rate drifts have lost a bit more by now.
void drift_links(State& state);

/// The function or GPU that a fault is about; -1: none. Each stands for the other of the two.
int function_of_fault(const State& state, const Fault& fault);
int gpu_of_fault(const State& state, const Fault& fault);

}  // namespace linkburn::drill
