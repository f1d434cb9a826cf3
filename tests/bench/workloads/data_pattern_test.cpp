#include "bench/workloads/data_pattern.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace linkburn {
namespace {

std::vector<std::uint64_t> pattern(std::uint64_t seed, std::size_t count) {
  std::vector<std::uint64_t> words(count);
  fill_pattern(words, seed, 0);
  return words;
}

TEST(DataPattern, MatchesItself) {
  const auto words = pattern(3, 1000);
  EXPECT_EQ(check_pattern(words, 3, 0).wrong_words, 0);
  EXPECT_FALSE(check_pattern(words, 3, 0).first);
}

TEST(DataPattern, MatchesInParts) {
  const auto words = pattern(3, 1000);
  EXPECT_EQ(check_pattern(std::span(words).subspan(400), 3, 400).wrong_words, 0);
}

TEST(DataPattern, SeesEverySingleFlippedBit) {
  for (int bit = 0; bit < 64; ++bit) {
    auto words = pattern(3, 100);
    const std::uint64_t right = words[42];
    words[42] ^= std::uint64_t{1} << bit;
    const PatternCheck check = check_pattern(words, 3, 0);
    EXPECT_EQ(check.wrong_words, 1);
    ASSERT_TRUE(check.first);
    EXPECT_EQ(check.first->index, 42);
    EXPECT_EQ(check.first->expected, right);
    EXPECT_EQ(check.first->seen, words[42]);
  }
}

TEST(DataPattern, SeesWordsInTheWrongPlace) {
  auto words = pattern(3, 100);
  std::rotate(words.begin(), words.begin() + 1, words.end());
  EXPECT_EQ(check_pattern(words, 3, 0).wrong_words, 100);
}

TEST(DataPattern, SeesDataOfAnEarlierSeed) {
  EXPECT_EQ(check_pattern(pattern(3, 100), 4, 0).wrong_words, 100);
}

TEST(DataPattern, ReportsTheFirstWrongWordAndCountsAll) {
  auto words = pattern(3, 100);
  words[99] = 0;
  words[17] = 0;
  words[50] = 0;
  const PatternCheck check = check_pattern(words, 3, 0);
  EXPECT_EQ(check.wrong_words, 3);
  EXPECT_EQ(check.first->index, 17);
}

TEST(DataPattern, NoWordsAreRightWords) { EXPECT_EQ(check_pattern({}, 3, 0).wrong_words, 0); }

}  // namespace
}  // namespace linkburn
