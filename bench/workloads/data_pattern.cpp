#include "bench/workloads/data_pattern.h"

namespace linkburn {

// The output function of splitmix64 over a counter: neighbouring words share no bits to speak of
// [Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, OOPSLA 2014].
std::uint64_t pattern_word(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t z = (seed << 48) + (index + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

void fill_pattern(std::span<std::uint64_t> words, std::uint64_t seed, std::uint64_t first_index) {
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = pattern_word(seed, first_index + i);
}

PatternCheck check_pattern(std::span<const std::uint64_t> words, std::uint64_t seed,
                           std::uint64_t first_index) {
  PatternCheck check;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::uint64_t expected = pattern_word(seed, first_index + i);
    if (words[i] == expected) continue;
    if (check.wrong_words++ == 0) check.first = WrongWord{first_index + i, expected, words[i]};
  }
  return check;
}

}  // namespace linkburn
