// Traffic of device memory: every word is read, inverted and written back, so that each bit toggles
// in each round. After an even number of rounds the memory holds what it held before, which
// pattern_compare checks: a bit that flipped, and a write that got lost, have stayed.
#pragma once

#include "kernels/device.h"

namespace linkburn::device {

struct alignas(16) WordPair {
  std::uint64_t first, second;
};

// `count` is in pairs. The limit is looked at between rounds; a round moves 32 bytes for each pair.
// A launch that was cut short leaves memory that has to be filled anew.
LINKBURN_KERNEL void memory_burn(WordPair* pairs, std::uint64_t count, std::uint32_t rounds,
                                 std::uint64_t limit_ns, std::uint64_t* cut_short) {
  constexpr int kBatch = 4;  // reads under way at once
  const Deadline deadline(limit_ns);
  const std::uint64_t threads = threads_of_grid();
  for (std::uint32_t round = 0; round < rounds; ++round) {
    if (deadline.passed()) {
      add_one(cut_short);
      return;
    }
    for (std::uint64_t start = thread_of_grid(); start < count; start += kBatch * threads) {
      WordPair held[kBatch];
      LINKBURN_UNROLL
      for (unsigned i = 0; i < kBatch; ++i)
        if (start + i * threads < count) held[i] = pairs[start + i * threads];
      LINKBURN_UNROLL
      for (unsigned i = 0; i < kBatch; ++i)
        if (start + i * threads < count)
          pairs[start + i * threads] = {~held[i].first, ~held[i].second};
    }
  }
}

}  // namespace linkburn::device
