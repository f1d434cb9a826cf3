// Ways to copy a large block of memory. Which one is fastest depends on the CPU, its memory and the
// C library, so a workload tries those that the CPU can do and keeps the fastest.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace linkburn {

struct CopyMethod {
  std::string_view name;
  bool (*supported)();  ///< by the CPU that we run on
  /// Any alignment and size; the blocks do not overlap. When it returns, a release store by the
  /// same thread makes the copy visible, also for the methods that write past the caches.
  void (*copy)(std::byte* to, const std::byte* from, std::size_t bytes);
};

/// All that were compiled in; the first, "memcpy", runs everywhere.
std::span<const CopyMethod> copy_methods();

}  // namespace linkburn
