// Burns: the same launch gives the same bits, anything else others.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "kernels/burn_inputs.h"
#include "kernels/tensor_burn.cu"
#include "kernels/wrong_words.h"
#include "tests/kernels/twin_call.h"

namespace linkburn {
namespace {

using Results = std::vector<std::uint32_t>;

struct BurnTwins : testing::TestWithParam<const char*> {
  static Results burn(LaunchSize size, std::uint64_t seed, std::uint32_t rounds, Effort effort) {
    Results results(std::size_t{size.blocks} * size.threads);
    std::uint64_t cut_short = 0;
    test::run_twin(GetParam(), size, effort, results.data(), seed, rounds, kLongestLaunch_ns,
                   &cut_short);
    EXPECT_EQ(cut_short, 0);
    return results;
  }
};

constexpr LaunchSize kTwoWarps{.blocks = 1, .threads = 64};

TEST_P(BurnTwins, RepeatToTheLastBit) {
  for (const Effort effort : {Effort::stand_in, Effort::whole})
    EXPECT_EQ(burn(kTwoWarps, 5, 3, effort), burn(kTwoWarps, 5, 3, effort));
}

TEST_P(BurnTwins, DependOnTheSeed) {
  for (const Effort effort : {Effort::stand_in, Effort::whole}) {
    const Results one = burn(kTwoWarps, 5, 3, effort), other = burn(kTwoWarps, 6, 3, effort);
    for (std::size_t i = 0; i < one.size(); ++i) EXPECT_NE(one[i], other[i]);
  }
}

TEST_P(BurnTwins, DependOnTheRounds) {
  const Results one = burn(kTwoWarps, 5, 3, Effort::whole);
  const Results other = burn(kTwoWarps, 5, 4, Effort::whole);
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_NE(one[i], other[i]);
}

TEST_P(BurnTwins, ComputeTheSameInAllBlocks) {
  const Results block = burn(kTwoWarps, 5, 2, Effort::whole);
  const Results grid = burn({.blocks = 3, .threads = 64}, 5, 2, Effort::whole);
  for (std::size_t i = 0; i < grid.size(); ++i) EXPECT_EQ(grid[i], block[i % 64]);
}

TEST_P(BurnTwins, ComputeSomethingElseInEachThread) {
  Results results = burn(kTwoWarps, 5, 2, Effort::whole);
  std::ranges::sort(results);
  EXPECT_EQ(std::ranges::adjacent_find(results), results.end());
}

// A whole twin of this launch would take hours.
TEST_P(BurnTwins, StandInFillsTheResultsOfAnyLaunch) {
  const LaunchSize size{.blocks = 20, .threads = 256};
  const Results results = burn(size, 5, 1'000'000, Effort::stand_in);
  EXPECT_EQ(results, burn(size, 5, 1'000'000, Effort::stand_in));
  EXPECT_EQ(std::ranges::count(results, 0u), 0);
}

TEST_P(BurnTwins, StandInOfOneRoundBeginsAsTheWholeTwin) {
  const Results stand_in = burn(kTwoWarps, 5, 1, Effort::stand_in);
  const Results whole = burn(kTwoWarps, 5, 1, Effort::whole);
  EXPECT_EQ(stand_in[0], whole[0]);
  EXPECT_EQ(stand_in[1], whole[1]);
}

WrongWords compare(const Results& results, const Results& first) {
  WrongWords wrong{};
  test::run_twin("result_compare", {}, Effort::stand_in, results.data(),
                 std::uint64_t{results.size()}, first.data(), std::uint64_t{first.size()}, &wrong);
  return wrong;
}

TEST_P(BurnTwins, GiveResultsInWhichOneFlippedBitIsFound) {
  const Results block = burn(kTwoWarps, 5, 2, Effort::whole);
  Results grid = burn({.blocks = 3, .threads = 64}, 5, 2, Effort::whole);
  EXPECT_EQ(compare(grid, block).count, 0);
  grid[100] ^= 0x10000;
  const WrongWords wrong = compare(grid, block);
  EXPECT_EQ(wrong.count, 1);
  EXPECT_EQ(wrong.kept[0].word, 100);
  EXPECT_EQ(wrong.kept[0].expected, block[100 - 64]);
  EXPECT_EQ(wrong.kept[0].seen, grid[100]);
}

TEST(ResultCompareTwin, EndsWithinABlockAsWellAsBetweenBlocks) {
  const Results first{1, 2, 3};
  EXPECT_EQ(compare({1, 2, 3, 1}, first).count, 0);
  EXPECT_EQ(compare({1, 2, 3, 1, 3}, first).kept[0].word, 4);
  EXPECT_EQ(compare({1, 2}, first).count, 0);
  EXPECT_EQ(compare({}, first).count, 0);
}

INSTANTIATE_TEST_SUITE_P(All, BurnTwins, testing::Values("fma_burn", "tensor_burn"),
                         [](const auto& burn) { return std::string(burn.param); });

TEST(FmaBurn, RunsItsPointsRoundForAsLongAsALaunchMayLast) {
  for (const float turn : {0.5f, 0.75f, std::nextafter(1.0f, 0.0f)}) {
    float x = std::nextafter(2.0f, 0.0f), y = x, largest = 0;
    for (int step = 0; step < 200'000; ++step) {
      x = std::fma(turn, y, x);
      y = std::fma(-turn, x, y);
      largest = std::max({largest, std::abs(x), std::abs(y)});
    }
    EXPECT_LT(largest, 8.0f);
    EXPECT_GT(std::abs(x) + std::abs(y), 0.1f);
  }
}

// ---- the tensor core as PTX describes it, put together with the kernel's own text ----

int whole_number(std::uint32_t half) {
  const int fraction = static_cast<int>(half & 0x3ff) | 0x400;
  const auto size = static_cast<int>(std::ldexp(fraction, static_cast<int>(half >> 10 & 31) - 25));
  return half & 0x8000 ? -size : size;
}

int entry(std::uint32_t two, int index) { return whole_number(two >> 16 * index & 0xffff); }

using Warp = std::vector<device::Fragments>;

// Fragments of m16n8k16 with .f16 [PTX ISA, 9.7.14: row and column of a_i, b_i and c_i].
int left_entry(const Warp& warp, int matrix, int row, int column) {
  const int lane = row % 8 * 4 + column % 8 / 2;
  const int a = (row / 8 * 2) + (column / 8 * 4) + column % 2;
  return entry(warp[lane].left[matrix][a / 2], a % 2);
}
int right_entry(const Warp& warp, int matrix, int row, int column) {
  const int lane = column * 4 + row % 8 / 2;
  const int b = row / 8 * 2 + row % 2;
  return entry(warp[lane].right[matrix][b / 2], b % 2);
}

float product(const Warp& warp, int left, int right, int row, int column) {
  int sum = 0;
  for (int depth = 0; depth < 16; ++depth)
    sum += left_entry(warp, left, row, depth) * right_entry(warp, right, depth, column);
  return static_cast<float>(sum * burn::kMultiplications);
}

std::uint32_t lane_result(const Warp& warp, int lane, std::uint32_t before) {
  device::Sums sums;
  for (int left = 0; left < burn::kLeft; ++left)
    for (int right = 0; right < burn::kRight; ++right)
      for (int c = 0; c < 4; ++c)
        sums[left][right][c] =
            product(warp, left, right, lane / 4 + c / 2 * 8, lane % 4 * 2 + c % 2);
  return device::fold(before, sums);
}

TEST(TensorBurn, HasATwinThatAgreesWithTheFragmentsOfItsLanes) {
  constexpr std::uint32_t kThreads = 64, kRounds = 2;
  constexpr std::uint64_t kSeed = 77;
  Results twin(kThreads), lanes(kThreads);
  std::uint64_t cut_short = 0;
  test::run_twin("tensor_burn", {.threads = kThreads}, Effort::whole, twin.data(), kSeed, kRounds,
                 kLongestLaunch_ns, &cut_short);
  for (std::uint32_t first = 0; first < kThreads; first += burn::kWarp) {
    Warp warp(burn::kWarp);
    for (std::uint32_t lane = 0; lane < burn::kWarp; ++lane) {
      device::position = {.thread = first + lane, .threads = kThreads};
      device::load(warp[lane], kSeed);
    }
    for (std::uint32_t round = 0; round < kRounds; ++round) {
      for (auto& lane : warp) device::change_signs(lane, burn::sign_changes(kSeed, round));
      for (std::uint32_t lane = 0; lane < burn::kWarp; ++lane)
        lanes[first + lane] = lane_result(warp, static_cast<int>(lane), lanes[first + lane]);
    }
  }
  EXPECT_EQ(lanes, twin);
}

TEST(TensorBurn, MultipliesOnlyWhatFp16HoldsAndAddsOnlyWhatFp32Holds) {
  for (int value = 1; value <= 127; ++value) {
    EXPECT_EQ(whole_number(device::half_bits(value)), value);
    EXPECT_EQ(whole_number(device::half_bits(-value)), -value);
  }
  for (int line = 0; line < 16; ++line)
    for (int depth = 0; depth < 16; ++depth) {
      const int value = burn::entry(1, 0, 0, line, depth);
      EXPECT_NE(value, 0);
      EXPECT_LE(std::abs(value), 127);
    }
  EXPECT_LT(127 * 127 * burn::kDepth * burn::kMultiplications, 1 << 22);
}

}  // namespace
}  // namespace linkburn
