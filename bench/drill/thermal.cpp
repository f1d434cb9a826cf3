#include "bench/drill/thermal.h"

#include <algorithm>
#include <cmath>

#include "bench/drill/faults.h"

namespace linkburn::drill {
namespace {

/// Mean load since the last tick, from which counting begins anew.
double take_load(Gpu& gpu, std::int64_t now_ns, std::int64_t passed_ns) {
  const double sum = gpu.busy_sum + gpu.busy * static_cast<double>(now_ns - gpu.busy_since_ns);
  gpu.busy_sum = 0;
  gpu.busy_since_ns = now_ns;
  return sum / static_cast<double>(passed_ns);
}

void set_power(Gpu& gpu, double load) {
  const Thermal& thermal = gpu.thermal;
  const double asked = thermal.idle_w + load * gpu.clock_factor * (thermal.full_w - thermal.idle_w);
  gpu.power_w = gpu.power_limit_w > 0 ? std::min(asked, gpu.power_limit_w) : asked;
}

void set_temperature(Gpu& gpu, std::int64_t passed_ns) {
  const Thermal& thermal = gpu.thermal;
  const double passed_s = static_cast<double>(passed_ns) / 1e9;
  const double way = thermal.tau_s > 0 ? 1 - std::exp(-passed_s / thermal.tau_s) : 1;
  const double end_c = thermal.ambient_c + thermal.c_per_w * gpu.power_w;
  gpu.temperature_c += (end_c - gpu.temperature_c) * way;
  if (thermal.slowdown_c <= 0) return;
  if (gpu.temperature_c > thermal.slowdown_c)
    gpu.hot = true;
  else if (gpu.temperature_c <= thermal.slowdown_c - kHotUntilC)
    gpu.hot = false;
}

}  // namespace

void warm(State& state, std::int64_t passed_ns) {
  if (passed_ns <= 0) return;
  for (int g = 0; g < kMaxGpus; ++g) {
    Gpu& gpu = state.gpus[g];
    if (!gpu.used) continue;
    const double load = take_load(gpu, state.header.now_ns, passed_ns);
    if (gpu.thermal.full_w > 0) {
      set_power(gpu, load);
      set_temperature(gpu, passed_ns);
    }
    settle_clock(state, g);
  }
}

void settle_clock(State& state, int gpu) {
  Gpu& g = state.gpus[gpu];
  g.clock_factor = g.hot ? kHotClock : 1;
  g.reasons = g.hot ? kReasonThermal : 0;
  if (g.busy_until_ns != kNever)
    g.reasons |= kReasonIdle;
  else if (g.power_limit_w > 0 && g.power_w >= g.power_limit_w)
    g.reasons |= kReasonPowerCap;
  for (const Fault& fault : state.faults) {
    if (!throttles(state, fault, gpu)) continue;
    g.clock_factor = std::min(g.clock_factor, std::max(fault.amount, 0.0));
    g.reasons |= static_cast<std::uint64_t>(fault.number);
  }
}

}  // namespace linkburn::drill
