// No launch is longer than this: a GPU that also serves a display or a debugger stays usable, a
// worker notices within it that it has lost its lease, and a wait for a stream ends.
#pragma once

#include <cstdint>

namespace linkburn {

inline constexpr std::uint64_t kLongestLaunch_ns = 200'000'000;

/// What `gate` says of itself. What is queued behind one that timed out has started all the same.
inline constexpr std::uint32_t kGateOpened = 1, kGateTimedOut = 2;

}  // namespace linkburn
