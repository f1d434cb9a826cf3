// The ops of a drill's streams, one after the other.
#pragma once

#include <bit>
#include <cstdint>

#include "bench/drill/state.h"

namespace linkburn::drill {

/// Calls `use(number)` for each stream that may have something to do.
template <typename Use>
void for_busy_streams(const State& state, Use use) {
  for (std::size_t word = 0; word < state.busy_streams.size(); ++word)
    for (std::uint64_t bits = state.busy_streams[word]; bits != 0; bits &= bits - 1)
      use(static_cast<int>(64 * word) + std::countr_zero(bits));
}

inline const Op& op_of(const Stream& stream, std::uint64_t seq) {
  return stream.ops[(seq - 1) % kMaxOps];
}
inline Op& op_of(Stream& stream, std::uint64_t seq) { return stream.ops[(seq - 1) % kMaxOps]; }

/// The op whose turn it is; null: none is left.
inline Op* head_op(Stream& stream) {
  return stream.done < stream.submitted ? &op_of(stream, stream.done + 1) : nullptr;
}
inline const Op* head_op(const Stream& stream) {
  return stream.done < stream.submitted ? &op_of(stream, stream.done + 1) : nullptr;
}

/// The op's new pace, all of it or nothing.
void set_pace(Op& op, const Pace& pace);

/// Ends ops that are through, starts those whose turn it is, and so on until nothing more happens
/// at this instant.
void run_streams(State& state);

/// The next instant at which an op is through.
std::int64_t next_op_end(const State& state);

/// Shares resources between the ops that run, and notes which GPUs they keep busy.
void share_load(State& state);

/// Instants do not overflow: what is too far away never comes.
inline std::int64_t later(std::int64_t from_ns, std::int64_t by_ns) {
  return by_ns < kNever - from_ns ? from_ns + by_ns : kNever;
}
inline std::int64_t later_ms(std::int64_t from_ns, std::int64_t by_ms) {
  constexpr std::int64_t ns_per_ms = 1'000'000;
  return by_ms < kNever / ns_per_ms ? later(from_ns, by_ms * ns_per_ms) : kNever;
}

}  // namespace linkburn::drill
