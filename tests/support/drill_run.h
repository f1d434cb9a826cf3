// Time in a drill's world for tests: no ticker, no turns.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/drill/model.h"
#include "bench/drill/scenario.h"

namespace linkburn::test {

inline constexpr std::int64_t kMs = 1'000'000, kSecond = 1'000'000'000;

/// The state of a scenario that was loaded for a test alone, which may change it.
inline drill::State& own_state(const drill::Scenario& scenario) {
  return const_cast<drill::State&>(
      *scenario.state);  // NOLINT(cppcoreguidelines-pro-type-const-cast)
}

/// Moves the world from event to event until then.
inline void run_world(drill::State& state, std::int64_t until_ns) {
  while (state.header.now_ns < until_ns && drill::next_event(state) <= until_ns)
    drill::advance(state, drill::next_event(state));
  drill::advance(state, until_ns);
}

/// Until an op is through, but not beyond `limit_ns`; it, as it is then.
inline const drill::Op& run_op(drill::State& state, int stream, std::uint64_t seq,
                               std::int64_t limit_ns = 1000 * kSecond) {
  while (state.streams[stream].done < seq && drill::next_event(state) <= limit_ns)
    drill::advance(state, drill::next_event(state));
  return *drill::find_op(state, stream, seq);
}

/// Without idle links, jitter and ticks: what is left are ops and faults.
inline void keep_awake(drill::State& state) {
  for (drill::Gpu& gpu : state.gpus) gpu.idle_gen = 0;
  state.jitter = 0;
  state.tick_ns = 0;
}

inline drill::Op copy_op(const std::vector<drill::Resource>& path, double bytes, int gpu) {
  drill::Op op{};
  op.kind = drill::OpKind::copy;
  op.work = bytes;
  op.gpu = gpu;
  op.path_length = static_cast<std::int32_t>(path.size());
  for (std::size_t i = 0; i < path.size(); ++i) op.path.at(i) = path[i];
  return op;
}

inline drill::Op kernel_op(drill::Engine engine, double work, int gpu) {
  drill::Op op{};
  op.kind = drill::OpKind::kernel;
  op.unit = engine;
  op.work = work;
  op.gpu = gpu;
  return op;
}

/// One that has no work: a mark, a wait or a gate.
inline drill::Op mark_op(drill::OpKind kind, int other = 0, std::uint64_t other_seq = 0) {
  drill::Op op{};
  op.kind = kind;
  op.gpu = -1;
  op.other = other;
  op.other_seq = other_seq;
  return op;
}

/// The kernel log so far, one line each.
inline std::vector<std::string> log_of(const drill::State& state) {
  std::vector<std::string> lines;
  for (std::uint64_t n = 0; n < state.log_count; ++n)
    lines.emplace_back(state.log[n % drill::kMaxLogLines].text.data());
  return lines;
}

}  // namespace linkburn::test
