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

void settle_clock(State& state, int number) {
  Gpu& gpu = state.gpus[number];
  gpu.clock_factor = gpu.hot ? kHotClock : 1;
  gpu.reasons = gpu.hot ? kReasonThermal : 0;
  if (gpu.busy_until_ns != kNever)
    gpu.reasons |= kReasonIdle;
  else if (gpu.power_limit_w > 0 && gpu.power_w >= gpu.power_limit_w)
    gpu.reasons |= kReasonPowerCap;
  for (const Fault& fault : state.faults) {
    if (!throttles(state, fault, number)) continue;
    gpu.clock_factor = std::min(gpu.clock_factor, std::max(fault.amount, 0.0));
    gpu.reasons |= static_cast<std::uint64_t>(fault.number);
  }
}

}  // namespace linkburn::drill
