// The word of a data pattern: it depends on its position and on a seed, so that a word that is
// wrong, in the wrong place or left over from an earlier seed is seen. Constexpr, because kernels
// on a GPU make the same words.
#pragma once

#include <cstdint>

namespace linkburn {

// The output function of splitmix64 over a counter: neighbouring words share no bits to speak of
// [Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, OOPSLA 2014].
constexpr std::uint64_t pattern_word(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t z = (seed << 48) + (index + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

}  // namespace linkburn
