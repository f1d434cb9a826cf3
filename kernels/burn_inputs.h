// What burns compute with, and how much: the same on a device and in a twin.
//
// Inputs depend on the seed and on the thread's place in its block alone, so all blocks compute the
// same and one block of a twin says what a whole launch has to give. They are never zero and toggle
// like noise: zeros draw much less power.
#pragma once

#include <cstdint>

#include "bench/base/pattern_word.h"

namespace linkburn::burn {

inline constexpr std::uint32_t kWarp = 32;

/// Adds a word to a result. Whichever bit of it is wrong, the result is wrong.
constexpr std::uint32_t fold(std::uint32_t result, std::uint32_t word) {
  return ((result << 5 | result >> 27) ^ word) * 0x9e3779b1u;
}

// ---- fma_burn: points that run round ellipses, one multiply-add for each coordinate in turn ----
//
// x += t y; y -= t x keeps the area, so that points stay in range for as long as anyone waits, and
// a wrong bit stays to be seen [Minsky's circle: HAKMEM item 149, MIT AI memo 239, 1972].

inline constexpr int kPoints = 8;         ///< of a thread; independent, to fill the pipeline
inline constexpr int kStepsOfRound = 64;  ///< of each point
inline constexpr double kFmaFlopOfRound = kStepsOfRound * kPoints * 2 * 2;  ///< of a thread

/// In [1, 2), with `bits` of 23 as fraction.
constexpr float one_to_two(std::uint32_t bits) {
  return 1.0f + static_cast<float>(bits & 0x7fffff) * 0x1p-23f;
}

// ---- tensor_burn: integers so small that all sums are exact, in any order ----
//
// A round multiplies two 16x16 matrices with four 16x8 ones, kMultiplications times, and adds up.
// |sum| stays below 127 * 127 * 16 * 16 < 2^22, which FP32 holds exactly; FP16 holds the factors.

inline constexpr int kLeft = 2, kRight = 4, kRows = 16, kColumns = 8, kDepth = 16;
inline constexpr int kMultiplications = 16;
inline constexpr double kTensorFlopOfRound =
    2.0 * kMultiplications * kLeft * kRight * kRows * kColumns * kDepth;  ///< of a warp

/// Entry of matrix `matrix` (the left ones first) of a warp, -127 to 127 without 0. `line` is the
/// row of a left matrix, the column of a right one.
constexpr int entry(std::uint64_t seed, std::uint32_t warp, int matrix, int line, int depth) {
  const std::uint64_t word =
      pattern_word(seed, ((warp * std::uint64_t{8} + static_cast<unsigned>(matrix)) * kRows +
                          static_cast<unsigned>(line)) *
                                 kDepth +
                             static_cast<unsigned>(depth));
  const int size = 1 + static_cast<int>(word % 127);
  return word >> 63 ? -size : size;
}

/// Before each round some entries of the right matrices change sign: bit 4 * matrix + 2 * half +
/// odd for all entries in that half of the depth whose depth is odd, or even.
constexpr std::uint32_t sign_changes(std::uint64_t seed, std::uint32_t round) {
  return static_cast<std::uint32_t>(pattern_word(~seed, round));
}

}  // namespace linkburn::burn
