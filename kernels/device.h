// The few words in which kernels (*.cu) are written. nvcc and clang make device code of them; any
// C++ compiler makes the CPU twin (twins.h) of the same text.
//
// Inline PTX instead of a compiler's own functions: clang makes PTX without any file of the
// toolkit. [PTX ISA: special registers, atom, vote]
#pragma once

#include <cstdint>

#include "bench/base/pattern_word.h"
#include "kernels/launch_limits.h"
#include "kernels/wrong_words.h"

#if defined(__CUDACC__) || defined(__CUDA__)

#define LINKBURN_HAS_WARPS

#ifndef __global__  // clang without the toolkit's headers
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#endif
#define LINKBURN_KERNEL extern "C" __global__
#define LINKBURN_DEVICE __device__ inline __attribute__((always_inline))
/// Before a loop over an array that has to stay in registers.
#define LINKBURN_UNROLL _Pragma("unroll")
#define LINKBURN_ROLLED _Pragma("unroll 1")

namespace linkburn::device {

#define LINKBURN_REGISTER(function, type, qualifier, instruction, constraint) \
  LINKBURN_DEVICE type function() {                                           \
    type value;                                                               \
    asm qualifier(instruction : constraint(value));                           \
    return value;                                                             \
  }
LINKBURN_REGISTER(thread_of_block, std::uint32_t, , "mov.u32 %0, %%tid.x;", "=r")
LINKBURN_REGISTER(threads_of_block, std::uint32_t, , "mov.u32 %0, %%ntid.x;", "=r")
LINKBURN_REGISTER(block, std::uint32_t, , "mov.u32 %0, %%ctaid.x;", "=r")
LINKBURN_REGISTER(blocks, std::uint32_t, , "mov.u32 %0, %%nctaid.x;", "=r")
LINKBURN_REGISTER(time_ns, std::uint64_t, volatile, "mov.u64 %0, %%globaltimer;", "=l")
LINKBURN_REGISTER(cycles, std::uint64_t, volatile, "mov.u64 %0, %%clock64;", "=l")
#undef LINKBURN_REGISTER

/// Adds one; returns what was there before.
LINKBURN_DEVICE std::uint64_t add_one(std::uint64_t* counter) {
  std::uint64_t before;
  asm volatile("atom.add.u64 %0, [%1], 1;" : "=l"(before) : "l"(counter) : "memory");
  return before;
}

LINKBURN_DEVICE float multiply_add(float a, float b, float c) {
  float sum;
  asm("fma.rn.f32 %0, %1, %2, %3;" : "=f"(sum) : "f"(a), "f"(b), "f"(c));
  return sum;
}

LINKBURN_DEVICE std::uint32_t bits_of(float value) {
  std::uint32_t bits;
  asm("mov.b32 %0, %1;" : "=r"(bits) : "f"(value));
  return bits;
}

#else

#include <bit>
#include <cmath>

#define LINKBURN_KERNEL inline
#define LINKBURN_DEVICE inline
#define LINKBURN_UNROLL

namespace linkburn::device {

/// Where in its grid the twin of a thread is.
struct Position {
  std::uint32_t thread = 0, threads = 1, block = 0, blocks = 1;
  std::uint64_t time_ns = 0, look_costs_ns = 0;
};
inline thread_local Position position;

inline std::uint32_t thread_of_block() { return position.thread; }
inline std::uint32_t threads_of_block() { return position.threads; }
inline std::uint32_t block() { return position.block; }
inline std::uint32_t blocks() { return position.blocks; }
/// A twin computes in no time. Where it waits, a look at the clock costs some: so waiting ends.
inline std::uint64_t time_ns() { return position.time_ns += position.look_costs_ns; }
inline std::uint64_t cycles() { return position.time_ns; }
inline std::uint64_t add_one(std::uint64_t* counter) { return (*counter)++; }
inline float multiply_add(float a, float b, float c) { return std::fma(a, b, c); }
inline std::uint32_t bits_of(float value) { return std::bit_cast<std::uint32_t>(value); }

#endif

LINKBURN_DEVICE std::uint64_t thread_of_grid() {
  return std::uint64_t{block()} * threads_of_block() + thread_of_block();
}
LINKBURN_DEVICE std::uint64_t threads_of_grid() {
  return std::uint64_t{blocks()} * threads_of_block();
}

/// When a thread has to leave its launch: after `limit_ns`, or kLongestLaunch_ns if that is less.
/// The cycles are for a timer that stands still: clocks beyond 4 GHz would make them too few.
class Deadline {
 public:
  LINKBURN_DEVICE explicit Deadline(std::uint64_t limit_ns)
      : limit_ns_(limit_ns < kLongestLaunch_ns ? limit_ns : kLongestLaunch_ns),
        start_ns_(time_ns()),
        start_cycles_(cycles()) {}

  LINKBURN_DEVICE bool passed() const {
    return time_ns() - start_ns_ >= limit_ns_ || cycles() - start_cycles_ >= 4 * limit_ns_;
  }

 private:
  std::uint64_t limit_ns_, start_ns_, start_cycles_;
};

LINKBURN_DEVICE void report_wrong(WrongWords* wrong, std::uint64_t word, std::uint64_t expected,
                                  std::uint64_t seen) {
  const std::uint64_t place = add_one(&wrong->count);
  if (place < kWrongWordsKept) wrong->kept[place] = {word, expected, seen};
}

}  // namespace linkburn::device
