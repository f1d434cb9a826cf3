// The data that laps move, made and checked by the CPU (bench/base/pattern_word.h).
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "bench/base/pattern_word.h"

namespace linkburn {

/// Writes the words `first_index`, `first_index + 1`, ... of the pattern.
void fill_pattern(std::span<std::uint64_t> words, std::uint64_t seed, std::uint64_t first_index);

struct WrongWord {
  std::uint64_t index = 0, expected = 0, seen = 0;
};

struct PatternCheck {
  std::int64_t wrong_words = 0;
  std::optional<WrongWord> first;
};

PatternCheck check_pattern(std::span<const std::uint64_t> words, std::uint64_t seed,
                           std::uint64_t first_index);

}  // namespace linkburn
