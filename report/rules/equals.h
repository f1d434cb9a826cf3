// Which of many equal things are the rule, and which the exception.
#pragma once

#include <cstddef>

namespace linkburn {

/// Fewer do not show what is usual.
constexpr std::size_t kFewestEquals = 4;

/// What at least three of four are is the rule, the rest the exception. Less than that is a machine
/// that is built of two kinds of slots.
constexpr bool is_majority(std::size_t same, std::size_t all) { return 4 * same >= 3 * all; }

/// Machines with as many equal GPUs are built alike for all of them. Smaller ones, and disks and
/// NICs anywhere, may have a narrower slot by design.
constexpr std::size_t kBuiltAlike = 8;

}  // namespace linkburn
