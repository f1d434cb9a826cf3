#include "kernels/twins.h"

#include <gtest/gtest.h>

#include <vector>

#include "bench/workloads/data_pattern.h"
#include "kernels/wrong_words.h"
#include "tests/kernels/twin_call.h"

namespace linkburn {
namespace {

using test::run_twin;
using test::work_of;

using Words = std::vector<std::uint64_t>;

Words filled(std::uint64_t seed, std::uint64_t first_index, std::size_t count) {
  Words words(count);
  run_twin("pattern_fill", {.blocks = 7, .threads = 64}, Effort::stand_in, words.data(),
           std::uint64_t{count}, seed, first_index);
  return words;
}

WrongWords compared(const Words& words, std::uint64_t seed, std::uint64_t first_index) {
  WrongWords wrong{};
  run_twin("pattern_compare", {.blocks = 7, .threads = 64}, Effort::stand_in, words.data(),
           std::uint64_t{words.size()}, seed, first_index, &wrong);
  return wrong;
}

void invert_memory(Words& words, std::uint32_t rounds, Effort effort) {
  std::uint64_t cut_short = 0;
  run_twin("memory_burn", {}, effort, reinterpret_cast<void*>(words.data()),
           std::uint64_t{words.size() / 2}, rounds, kLongestLaunch_ns, &cut_short);
  EXPECT_EQ(cut_short, 0);
}

TEST(Twins, AreFoundByName) {
  for (const Twin& twin : twins()) EXPECT_EQ(find_twin(twin.name), &twin);
  EXPECT_EQ(find_twin("pattern"), nullptr);
  EXPECT_EQ(find_twin(""), nullptr);
}

TEST(PatternTwins, FillMemoryWithTheWordsOfTheHost) {
  EXPECT_EQ(check_pattern(filled(3, 0, 1001), 3, 0).wrong_words, 0);
  EXPECT_EQ(check_pattern(filled(4, 1'000'000, 77), 4, 1'000'000).wrong_words, 0);
}

TEST(PatternTwins, FindNothingInWordsOfTheHost) {
  Words words(1000);
  fill_pattern(words, 9, 50);
  EXPECT_EQ(compared(words, 9, 50).count, 0);
  EXPECT_EQ(compared({}, 9, 50).count, 0);
}

TEST(PatternTwins, FindEverySingleFlippedBitWithItsPlace) {
  for (int bit = 0; bit < 64; ++bit) {
    Words words = filled(3, 500, 100);
    const std::uint64_t right = words[42];
    words[42] ^= std::uint64_t{1} << bit;
    const WrongWords wrong = compared(words, 3, 500);
    EXPECT_EQ(wrong.count, 1);
    EXPECT_EQ(wrong.kept[0].word, 42);
    EXPECT_EQ(wrong.kept[0].expected, right);
    EXPECT_EQ(wrong.kept[0].seen, words[42]);
  }
}

TEST(PatternTwins, KeepTheFirstFewAndCountAll) {
  const WrongWords wrong = compared(filled(3, 0, 100), 4, 0);
  EXPECT_EQ(wrong.count, 100);
  EXPECT_EQ(wrong.kept[kWrongWordsKept - 1].word, kWrongWordsKept - 1);
}

TEST(PatternTwins, AddToWhatAnEarlierLaunchFound) {
  const Words words = filled(3, 0, 5);
  WrongWords wrong{};
  for (int launch = 0; launch < 2; ++launch)
    run_twin("pattern_compare", {}, Effort::stand_in, words.data(), std::uint64_t{5},
             std::uint64_t{4}, std::uint64_t{0}, &wrong);
  EXPECT_EQ(wrong.count, 10);
  EXPECT_EQ(wrong.kept[5].word, 0);
}

TEST(MemoryBurnTwin, LeavesMemoryAsItWasAfterAnEvenNumberOfRounds) {
  for (const Effort effort : {Effort::stand_in, Effort::whole}) {
    Words words = filled(3, 0, 100);
    invert_memory(words, 6, effort);
    EXPECT_EQ(compared(words, 3, 0).count, 0);
  }
}

TEST(MemoryBurnTwin, InvertsEveryBitInEachRound) {
  for (const Effort effort : {Effort::stand_in, Effort::whole}) {
    Words words = filled(3, 0, 100);
    invert_memory(words, 3, effort);
    for (std::uint64_t& word : words) word = ~word;
    EXPECT_EQ(compared(words, 3, 0).count, 0);
  }
}

TEST(MemoryBurnTwin, KeepsABitThatFlippedInBetween) {
  Words words = filled(3, 0, 100);
  invert_memory(words, 1, Effort::whole);
  words[10] ^= 1;
  invert_memory(words, 1, Effort::whole);
  EXPECT_EQ(compared(words, 3, 0).kept[0].word, 10);
}

std::uint32_t gate_outcome(std::uint32_t flag, std::uint64_t limit_ns) {
  std::uint32_t outcome = 0;
  run_twin("gate", {}, Effort::stand_in, &flag, limit_ns, &outcome);
  return outcome;
}

TEST(GateTwin, OpensWhenTheHostHasSetItsFlag) {
  EXPECT_EQ(gate_outcome(1, 1'000'000), kGateOpened);
  EXPECT_EQ(gate_outcome(0x80000000, 0), kGateOpened);
}

TEST(GateTwin, SaysThatItTimedOut) {
  EXPECT_EQ(gate_outcome(0, 1'000'000), kGateTimedOut);
  EXPECT_EQ(gate_outcome(0, 0), kGateTimedOut);
}

TEST(GateTwin, NeverWaitsLongerThanALaunchMay) {
  EXPECT_EQ(gate_outcome(0, ~std::uint64_t{0}), kGateTimedOut);
}

TEST(TwinWork, OfPatternsIsTheBytesThatTheyTouch) {
  const std::uint64_t count = 1000, seed = 1, first = 0;
  void* none = nullptr;
  EXPECT_EQ(work_of("pattern_fill", {}, none, count, seed, first), 8000);
  EXPECT_EQ(work_of("pattern_compare", {}, none, count, seed, first, none), 8000);
  EXPECT_EQ(work_of("result_compare", {}, none, count, none, std::uint64_t{32}, none), 4000);
}

TEST(TwinWork, OfBurnsGrowsWithRoundsAndThreads) {
  const std::uint64_t seed = 1, limit_ns = 0;
  void* none = nullptr;
  const auto fma = [&](LaunchSize size, std::uint32_t rounds) {
    return work_of("fma_burn", size, none, seed, rounds, limit_ns, none);
  };
  const auto tensor = [&](LaunchSize size, std::uint32_t rounds) {
    return work_of("tensor_burn", size, none, seed, rounds, limit_ns, none);
  };
  EXPECT_EQ(fma({}, 1), 64 * 8 * 2 * 2);  // steps, points, coordinates, multiply and add
  EXPECT_EQ(fma({.blocks = 3, .threads = 64}, 10), fma({}, 1) * 3 * 64 * 10);
  EXPECT_EQ(tensor({.threads = 32}, 1), 16 * 2 * 4 * (2 * 16 * 8 * 16));
  EXPECT_EQ(tensor({.blocks = 3, .threads = 64}, 10), tensor({.threads = 32}, 1) * 3 * 2 * 10);
}

TEST(TwinWork, OfMemoryBurnIsReadsAndWrites) {
  void* none = nullptr;
  EXPECT_EQ(work_of("memory_burn", {}, none, std::uint64_t{100}, 7u, std::uint64_t{0}, none),
            100 * 7 * 32);
  EXPECT_EQ(test::twin("memory_burn").pace, Pace::memory_byte);
  EXPECT_EQ(test::twin("fma_burn").pace, Pace::fp32_flop);
  EXPECT_EQ(test::twin("tensor_burn").pace, Pace::tensor_flop);
  EXPECT_EQ(test::twin("gate").pace, Pace::host_flag);
}

}  // namespace
}  // namespace linkburn
