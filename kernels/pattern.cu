// Data patterns in device memory: the words of bench/base/pattern_word.h.
#pragma once

#include "kernels/device.h"

namespace linkburn::device {

// Writes the words `first_index`, `first_index + 1`, ... of the pattern.
LINKBURN_KERNEL void pattern_fill(std::uint64_t* words, std::uint64_t count, std::uint64_t seed,
                                  std::uint64_t first_index) {
  for (std::uint64_t i = thread_of_grid(); i < count; i += threads_of_grid())
    words[i] = pattern_word(seed, first_index + i);
}

LINKBURN_KERNEL void pattern_compare(const std::uint64_t* words, std::uint64_t count,
                                     std::uint64_t seed, std::uint64_t first_index,
                                     WrongWords* wrong) {
  for (std::uint64_t i = thread_of_grid(); i < count; i += threads_of_grid()) {
    const std::uint64_t expected = pattern_word(seed, first_index + i);
    const std::uint64_t seen = words[i];
    if (seen != expected) report_wrong(wrong, i, expected, seen);
  }
}

// Compares what a burn has computed with what its first launch, or its twin, has: bit by bit. All
// blocks of a burn compute the same, so `first_count` may be less than `count`: it starts again.
LINKBURN_KERNEL void result_compare(const std::uint32_t* results, std::uint64_t count,
                                    const std::uint32_t* first, std::uint64_t first_count,
                                    WrongWords* wrong) {
  const std::uint64_t step = threads_of_grid() % first_count;
  std::uint64_t place = thread_of_grid() % first_count;
  for (std::uint64_t i = thread_of_grid(); i < count; i += threads_of_grid()) {
    const std::uint32_t expected = first[place], seen = results[i];
    if (seen != expected) report_wrong(wrong, i, expected, seen);
    place += step;
    if (place >= first_count) place -= first_count;
  }
}

}  // namespace linkburn::device
