#include "kernels/twins_tensor.h"

#include <array>

#include "bench/base/result.h"
#include "kernels/burn_inputs.h"

namespace linkburn {
namespace {

// Indexed by line (row of a left matrix, column of a right one), then depth.
using Line = std::array<int, burn::kDepth>;
template <std::size_t lines>
using Matrix = std::array<Line, lines>;

struct Operands {
  std::array<Matrix<burn::kRows>, burn::kLeft> left;
  std::array<Matrix<burn::kColumns>, burn::kRight> right;
};

void load(std::span<Line> lines, std::uint64_t seed, std::uint32_t warp, int matrix) {
  for (int line = 0; Line & entries : lines) {
    for (int depth = 0; depth < burn::kDepth; ++depth)
      entries[depth] = burn::entry(seed, warp, matrix, line, depth);
    ++line;
  }
}

Operands operands(std::uint64_t seed, std::uint32_t warp) {
  Operands result{};
  int number = 0;
  for (auto& matrix : result.left) load(matrix, seed, warp, number++);
  for (auto& matrix : result.right) load(matrix, seed, warp, number++);
  return result;
}

void change_signs(Operands& operands, std::uint32_t changes) {
  for (auto& matrix : operands.right) {
    for (Line& column : matrix)
      for (int depth = 0; depth < burn::kDepth; ++depth)
        if (changes >> (depth / 8 * 2 + depth % 2) & 1) column[depth] = -column[depth];
    changes >>= 4;
  }
}

// What one matrix product, multiplied so often, leaves in the sums of a round.
void multiply(const Matrix<burn::kRows>& left, const Matrix<burn::kColumns>& right,
              int (&sums)[burn::kRows][burn::kColumns]) {
  for (int row = 0; row < burn::kRows; ++row)
    for (int column = 0; column < burn::kColumns; ++column) {
      int sum = 0;
      for (int depth = 0; depth < burn::kDepth; ++depth)
        sum += left[row][depth] * right[column][depth];
      sums[row][column] = sum * burn::kMultiplications;
    }
}

// Each lane folds the four sums that it holds [PTX ISA, fragments of mma.m16n8k16].
void round_results(const Operands& operands, std::span<std::uint32_t> lanes) {
  for (const auto& left : operands.left)
    for (const auto& right : operands.right) {
      int sums[burn::kRows][burn::kColumns];
      multiply(left, right, sums);
      for (std::size_t lane = 0; lane < lanes.size(); ++lane)
        for (std::size_t i = 0; i < 4; ++i) {
          const int sum = sums[lane / 4 + i / 2 * 8][lane % 4 * 2 + i % 2];
          lanes[lane] = burn::fold(lanes[lane], static_cast<std::uint32_t>(sum));
        }
    }
}

}  // namespace

void compute_tensor(std::span<std::uint32_t> results, std::uint64_t seed, std::uint32_t rounds) {
  check(results.size() % burn::kWarp == 0, "a tensor burn's block is not of whole warps");
  for (std::uint32_t warp = 0; warp < results.size() / burn::kWarp; ++warp) {
    const auto lanes = results.subspan(std::size_t{warp} * burn::kWarp, burn::kWarp);
    for (std::uint32_t& result : lanes) result = 0;
    Operands matrices = operands(seed, warp);
    for (std::uint32_t round = 0; round < rounds; ++round) {
      change_signs(matrices, burn::sign_changes(seed, round));
      round_results(matrices, lanes);
    }
  }
}

}  // namespace linkburn
