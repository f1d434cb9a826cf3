#include "bench/drill/idle_links.h"

#include <algorithm>

#include "bench/drill/faults.h"
#include "bench/drill/resources.h"
#include "bench/drill/streams.h"

namespace linkburn::drill {
namespace {

/// A GPU whose link goes down when it is idle, and that is there.
bool takes_part(const Gpu& gpu) {
  return gpu.used && gpu.function >= 0 && gpu.idle_gen > 0 && !gpu.lost;
}

std::int64_t goes_down_at(const Gpu& gpu) {
  if (gpu.asleep || gpu.busy_until_ns == kNever) return kNever;
  return later_ms(gpu.busy_until_ns, gpu.idle_after_ms);
}

void begin_to_wake(State& state, Gpu& gpu) {
  constexpr std::int64_t soonest_ns = 1000;  // a wake that fails is not tried again at once
  const std::int64_t now = state.header.now_ns;
  gpu.wake_at_ns = std::max(now + soonest_ns, later_ms(now, gpu.wake_ms));
  state.functions[gpu.function].training = true;
}

void come_up(State& state, int number) {
  Gpu& gpu = state.gpus[number];
  Function& f = state.functions[gpu.function];
  gpu.wake_at_ns = 0;
  f.training = false;
  begin_on_wake(state, number);
  if (gpu.lost || stays_down(state, number)) return;
  gpu.asleep = false;
  ++f.recoveries;
  settle_link(state, gpu.function);
}

/// What a link's active faults make of one of its two sizes; the fault that began last decides.
std::uint8_t left_of(const State& state, int function, std::uint8_t full,
                     std::uint8_t Fault::*size) {
  std::uint8_t left = full;
  std::int64_t since = -1;
  for (const Fault& fault : state.faults) {
    if (!holds_down(state, fault, function) || fault.*size == 0 || fault.begun_ns < since) continue;
    left = fault.*size;
    since = fault.begun_ns;
  }
  return left;
}

bool held_down(const State& state, int function) {
  return std::any_of(state.faults.begin(), state.faults.end(),
                     [&](const Fault& fault) { return holds_down(state, fault, function); });
}

}  // namespace

void wake(State& state, int gpu) {
  if (state.gpus[gpu].busy_until_ns != kNever) wake_again(state, gpu);
}

void wake_again(State& state, int gpu) {
  Gpu& g = state.gpus[gpu];
  if (takes_part(g) && g.asleep && g.wake_at_ns == 0) begin_to_wake(state, g);
}

std::int64_t next_link_change(const State& state) {
  std::int64_t next = kNever;
  for (const Gpu& gpu : state.gpus) {
    if (!takes_part(gpu)) continue;
    next = std::min(next, goes_down_at(gpu));
    if (gpu.wake_at_ns != 0) next = std::min(next, gpu.wake_at_ns);
  }
  return next;
}

void change_links(State& state) {
  const std::int64_t now = state.header.now_ns;
  for (int g = 0; g < kMaxGpus; ++g) {
    Gpu& gpu = state.gpus[g];
    if (!takes_part(gpu)) continue;
    if (gpu.wake_at_ns != 0 && gpu.wake_at_ns <= now) come_up(state, g);
    if (goes_down_at(gpu) > now) continue;
    gpu.asleep = true;
    settle_link(state, gpu.function);
  }
}

void settle_link(State& state, int function) {
  Function& f = state.functions[function];
  if (f.full_gen == 0 && f.full_width == 0) f.full_gen = f.gen, f.full_width = f.width;
  f.gen = left_of(state, function, f.full_gen, &Fault::gen);
  f.width = left_of(state, function, f.full_width, &Fault::width);
  const int gpu = gpu_of(state, function);
  const bool asleep = gpu >= 0 && state.gpus[gpu].asleep;
  if (asleep) f.gen = std::min(f.gen, state.gpus[gpu].idle_gen);
  if (!asleep && !held_down(state, function)) f.full_gen = f.full_width = 0;
}

}  // namespace linkburn::drill
