// How much memory a load may take without pushing anything else out, and what kind it got.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/base/result.h"
#include "bench/base/sysroot.h"

namespace linkburn {

struct MemoryRoom {
  std::int64_t bytes = 0;
  std::string bounded_by;  ///< "free memory of numa1", "memory limit of the cgroup /job_7"
};

/// A quarter of the smallest of: what the machine, each of `nodes`, and the memory cgroups above
/// this process have available. A bound whose file is not there does not bound.
Result<MemoryRoom> memory_room(const Sysroot& root, const std::vector<int>& nodes);

/// How much of this process is in transparent huge pages; nothing when the kernel does not say.
std::optional<std::int64_t> huge_page_bytes(const Sysroot& root);

}  // namespace linkburn
