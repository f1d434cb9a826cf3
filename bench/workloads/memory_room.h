// How large the buffers of a load may be without pushing anything else out, and what pages they
// got.
#pragma once

#include <cstddef>
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

struct BufferSize {
  std::size_t bytes = 0;
  std::string text;  ///< "64 MiB", or what was wanted and what bounded it
};

/// Size of each of two equal buffers: `wanted_mib`, or when that is 0, four times the caches in use
/// within 64 MiB and 1 GiB. It is cut to the room; an Error when no room is left.
Result<BufferSize> buffer_size(std::int64_t wanted_mib, std::int64_t cache_bytes,
                               const MemoryRoom& room);

/// How much of this process is in transparent huge pages; nothing when the kernel does not say.
std::optional<std::int64_t> huge_page_bytes(const Sysroot& root);

}  // namespace linkburn
