// What a launch is, and how long it may be.
#pragma once

#include <cstdint>

namespace linkburn {

/// Blocks and threads of a block. All kernels of ours are one-dimensional.
struct LaunchSize {
  std::uint32_t blocks = 1, threads = 1;
};

struct KernelArgument {
  std::uint32_t bytes = 0;
  bool device_pointer = false;

  friend bool operator==(const KernelArgument&, const KernelArgument&) = default;
};

/// No launch is longer than this: a worker notices within it that it has lost its lease, and a wait
/// for a stream ends. Burns and gates look at a clock; patterns and comparisons are bounded by the
/// memory of a GPU, whose words all pass in less.
inline constexpr std::uint64_t kLongestLaunch_ns = 200'000'000;

/// What `gate` says of itself. What is queued behind one that timed out has started all the same.
inline constexpr std::uint32_t kGateOpened = 1, kGateTimedOut = 2;

}  // namespace linkburn
