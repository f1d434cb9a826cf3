// Tensor cores: FP16 factors, FP32 sums. No text says in which order a tensor core adds, or how it
// rounds in between; therefore the inputs are such that nothing has to be rounded (burn_inputs.h).
// A warp computes together, which no twin made of this text can do: twins_tensor.cpp is written by
// hand, and a test puts it together with the part of this text that needs no tensor core.
//
// Which lane holds which entry: [PTX ISA, "Matrix Fragments for mma.m16n8k16 with floating point
// type", same for m16n8k8]. Half of the depth of m16n8k16 is an m16n8k8, which is all that sm_75 has.
#pragma once

#include "kernels/burn_inputs.h"
#include "kernels/device.h"

namespace linkburn::device {

// FP16 of a whole number, -2048 to 2048 without 0 [IEEE 754, binary16 and binary32].
LINKBURN_DEVICE std::uint32_t half_bits(int value) {
  const std::uint32_t bits = bits_of(static_cast<float>(value));
  return (bits >> 16 & 0x8000) | ((bits >> 13 & 0x3ffff) - ((127 - 15) << 10));
}

// What one lane holds of the matrices of its warp: two entries in each register.
struct Fragments {
  std::uint32_t left[burn::kLeft][4], right[burn::kRight][2];
};

LINKBURN_DEVICE std::uint32_t two_entries(std::uint64_t seed, int matrix, int line, int depth) {
  const std::uint32_t warp = thread_of_block() / burn::kWarp;
  return half_bits(burn::entry(seed, warp, matrix, line, depth)) |
         half_bits(burn::entry(seed, warp, matrix, line, depth + 1)) << 16;
}

LINKBURN_DEVICE void load(Fragments& fragments, std::uint64_t seed) {
  const int lane = static_cast<int>(thread_of_block() % burn::kWarp);
  const int line = lane / 4, depth = lane % 4 * 2;
  LINKBURN_UNROLL
  for (int matrix = 0; matrix < burn::kLeft; ++matrix)
    LINKBURN_UNROLL
    for (int i = 0; i < 4; ++i)
      fragments.left[matrix][i] =
          two_entries(seed, matrix, line + i % 2 * 8, depth + i / 2 * 8);
  LINKBURN_UNROLL
  for (int matrix = 0; matrix < burn::kRight; ++matrix)
    LINKBURN_UNROLL
    for (int half = 0; half < 2; ++half)
      fragments.right[matrix][half] =
          two_entries(seed, burn::kLeft + matrix, line, depth + half * 8);
}

LINKBURN_DEVICE void change_signs(Fragments& fragments, std::uint32_t changes) {
  LINKBURN_UNROLL
  for (int matrix = 0; matrix < burn::kRight; ++matrix)
    LINKBURN_UNROLL
    for (int half = 0; half < 2; ++half) {
      const std::uint32_t two = changes >> (4 * matrix + 2 * half) & 3;
      fragments.right[matrix][half] ^= (two & 1) << 15 | (two & 2) << 30;
    }
}

// Of one lane: four entries of each product.
using Sums = float[burn::kLeft][burn::kRight][4];

LINKBURN_DEVICE std::uint32_t fold(std::uint32_t result, const Sums& sums) {
  LINKBURN_UNROLL
  for (int left = 0; left < burn::kLeft; ++left)
    LINKBURN_UNROLL
    for (int right = 0; right < burn::kRight; ++right)
      LINKBURN_UNROLL
      for (const float sum : sums[left][right])
        result = burn::fold(result, static_cast<std::uint32_t>(static_cast<std::int32_t>(sum)));
  return result;
}

#ifdef LINKBURN_HAS_WARPS

LINKBURN_DEVICE bool any_lane(bool one) {
  std::uint32_t any;
  asm volatile(
      "{\n"
      ".reg .pred one, any;\n"
      "setp.ne.u32 one, %1, 0;\n"
      "vote.sync.any.pred any, one, 0xffffffff;\n"
      "selp.u32 %0, 1, 0, any;\n"
      "}"
      : "=r"(any)
      : "r"(std::uint32_t{one}));
  return any != 0;
}

#if __CUDA_ARCH__ >= 800
LINKBURN_DEVICE void multiply_add(float (&sum)[4], const std::uint32_t (&left)[4],
                                  const std::uint32_t (&right)[2]) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(right[0]), "r"(right[1]));
}
#else
LINKBURN_DEVICE void multiply_add(float (&sum)[4], const std::uint32_t (&left)[4],
                                  const std::uint32_t (&right)[2]) {
  LINKBURN_UNROLL
  for (int half = 0; half < 2; ++half)
    asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, "
        "{%0,%1,%2,%3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(left[2 * half]), "r"(left[2 * half + 1]), "r"(right[half]));
}
#endif

LINKBURN_DEVICE void multiply(const Fragments& fragments, Sums& sums) {
  // Unrolled, it would be one sum after the other, each waiting for itself.
  LINKBURN_ROLLED
  for (int n = 0; n < burn::kMultiplications; ++n)
    LINKBURN_UNROLL
    for (int left = 0; left < burn::kLeft; ++left)
      LINKBURN_UNROLL
      for (int right = 0; right < burn::kRight; ++right)
        multiply_add(sums[left][right], fragments.left[left], fragments.right[right]);
}

// See fma_burn. Blocks are whole warps.
LINKBURN_KERNEL void tensor_burn(std::uint32_t* results, std::uint64_t seed, std::uint32_t rounds,
                                 std::uint64_t limit_ns, std::uint64_t* cut_short) {
  const Deadline deadline(limit_ns);
  Fragments fragments;
  load(fragments, seed);
  std::uint32_t result = 0;
  for (std::uint32_t round = 0; round < rounds; ++round) {
    if (any_lane(deadline.passed())) {
      add_one(cut_short);
      return;
    }
    change_signs(fragments, burn::sign_changes(seed, round));
    Sums sums = {};
    multiply(fragments, sums);
    result = fold(result, sums);
  }
  results[thread_of_grid()] = result;
}

#endif

}  // namespace linkburn::device
