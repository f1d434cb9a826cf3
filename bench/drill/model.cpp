#include "bench/drill/model.h"

#include <algorithm>

#include "bench/drill/bus_errors.h"
#include "bench/drill/fault_effects.h"
#include "bench/drill/faults.h"
#include "bench/drill/idle_links.h"
#include "bench/drill/streams.h"
#include "bench/drill/thermal.h"

namespace linkburn::drill {
namespace {

std::int64_t next_tick(const State& state) {
  return state.tick_ns > 0 ? later(state.last_tick_ns, state.tick_ns) : kNever;
}

/// What changes little by little. Faults that a temperature triggers follow in advance().
void tick(State& state) {
  const std::int64_t passed_ns = state.header.now_ns - state.last_tick_ns;
  state.last_tick_ns = state.header.now_ns;
  warm(state, passed_ns);
  drift_links(state);
  count_errors(state, passed_ns);
  ++state.statistics.ticks;
}

}  // namespace

std::int64_t next_event(const State& state) {
  const std::int64_t next = std::min(
      {next_op_end(state), next_tick(state), next_link_change(state), next_fault_change(state)});
  return std::max(next, state.header.now_ns.load());
}

void advance(State& state, std::int64_t to_ns) {
  state.header.now_ns = std::max(to_ns, state.header.now_ns.load());
  ++state.statistics.events;
  run_streams(state);  // what is through by now was not touched by what happens now
  if (next_tick(state) <= to_ns) tick(state);
  change_faults(state);
  change_links(state);
  run_streams(state);
  share_load(state);
}

std::uint64_t free_memory(const Gpu& gpu) {
  std::uint64_t free = gpu.memory_bytes;
  for (const std::uint64_t taken : gpu.memory_of) free -= std::min(free, taken);
  return free;
}

double noise(std::uint64_t seed, std::uint64_t stream, std::uint64_t index) {
  // SplitMix64 [Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014]
  const auto mix = [](std::uint64_t z) {
    z += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  };
  return static_cast<double>(mix(mix(mix(seed) ^ stream) ^ index) >> 11) * 0x1p-53;
}

}  // namespace linkburn::drill
