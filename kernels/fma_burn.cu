// FP32 multiply-adds. IEEE 754 says every bit of each, so a device and a CPU agree to the last.
#pragma once

#include "kernels/burn_inputs.h"
#include "kernels/device.h"

namespace linkburn::device {

// One word of results for each thread. A launch of more blocks than run at once takes `limit_ns`
// more than once. A thread that has to leave early counts itself in `cut_short` and has no result.
LINKBURN_KERNEL void fma_burn(std::uint32_t* results, std::uint64_t seed, std::uint32_t rounds,
                              std::uint64_t limit_ns, std::uint64_t* cut_short) {
  const Deadline deadline(limit_ns);
  float x[burn::kPoints], y[burn::kPoints], turn[burn::kPoints];
  LINKBURN_UNROLL
  for (int i = 0; i < burn::kPoints; ++i) {
    const std::uint64_t word = pattern_word(
        seed, std::uint64_t{thread_of_block()} * burn::kPoints + static_cast<unsigned>(i));
    x[i] = burn::one_to_two(static_cast<std::uint32_t>(word));
    y[i] = burn::one_to_two(static_cast<std::uint32_t>(word >> 23));
    turn[i] = 0.5f * burn::one_to_two(static_cast<std::uint32_t>(word >> 41));
  }
  for (std::uint32_t round = 0; round < rounds; ++round) {
    if (deadline.passed()) {
      add_one(cut_short);
      return;
    }
    for (int step = 0; step < burn::kStepsOfRound; ++step) {
      LINKBURN_UNROLL
      for (int i = 0; i < burn::kPoints; ++i) x[i] = multiply_add(turn[i], y[i], x[i]);
      LINKBURN_UNROLL
      for (int i = 0; i < burn::kPoints; ++i) y[i] = multiply_add(-turn[i], x[i], y[i]);
    }
  }
  std::uint32_t result = 0;
  LINKBURN_UNROLL
  for (int i = 0; i < burn::kPoints; ++i)
    result = burn::fold(burn::fold(result, bits_of(x[i])), bits_of(y[i]));
  results[thread_of_grid()] = result;
}

}  // namespace linkburn::device
