#include "bench/workloads/data_pattern.h"

namespace linkburn {

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
