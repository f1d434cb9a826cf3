// Power and heat of a drill's GPUs, and what heat does to their clocks.
#pragma once

#include <cstdint>

#include "bench/drill/state.h"

namespace linkburn::drill {

/// Reasons for lower clocks [nvml.h, nvmlClocksEventReason...].
inline constexpr std::uint64_t kReasonIdle = 0x1, kReasonPowerCap = 0x4, kReasonThermal = 0x20;

inline constexpr double kHotClock = 0.7;   ///< share of the clock that heat leaves
inline constexpr double kHotUntilC = 5.0;  ///< so far below the slowdown temperature it is over

/// Lets `passed_ns` of what runs warm the GPUs. Power follows the mean load of that time and the
/// clock, up to the limit. A GPU without numbers (full_w 0) keeps its temperature.
void warm(State& state, std::int64_t passed_ns);

/// Sets clock and reasons to what heat, power and active faults leave.
void settle_clock(State& state, int gpu);

}  // namespace linkburn::drill
