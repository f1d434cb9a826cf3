// The live machine's CPUs, caches and NUMA nodes as far as binding needs them: the only user of
// hwloc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "bench/base/result.h"

struct hwloc_topology;

namespace linkburn {

/// CPUs of one NUMA node that the calling thread may use, by their kernel numbers.
struct NodeCpus {
  std::vector<int> cores;     ///< the first usable CPU of each core
  std::vector<int> siblings;  ///< the other hardware threads of those cores
  int size() const { return static_cast<int>(cores.size() + siblings.size()); }
};

/// `count` CPUs that share as few cores and caches as possible; all of them when there are fewer.
std::vector<int> spread(const NodeCpus& cpus, int count);

/// After load() all members may be called from any thread.
class HostTopology {
 public:
  static Result<HostTopology> load();

  /// Errors: not_found, no such node; unsupported, it has no CPUs; permission, none that we may
  /// use.
  Result<NodeCpus> usable_cpus(int node) const;

  /// Errors: not_found, no such node; permission, its memory is not ours to use.
  Status usable_memory(int node) const;

  /// Size of the last-level caches that these CPUs reach, each counted once; 0 when unknown.
  std::int64_t cache_bytes(const std::vector<int>& cpus) const;

  /// Binding of the calling thread.
  Status bind_thread(const std::vector<int>& cpus) const;
  Result<std::vector<int>> thread_binding() const;

  /// Pages touched later come from this node only.
  Status bind_memory(void* start, std::size_t bytes, int node) const;

  /// The nodes on which the touched pages of this range are.
  Result<std::vector<int>> nodes_of(const void* start, std::size_t bytes) const;

 private:
  struct Destroy {
    void operator()(hwloc_topology* topology) const;
  };
  explicit HostTopology(hwloc_topology* topology) : topology_(topology) {}
  std::unique_ptr<hwloc_topology, Destroy> topology_;
};

}  // namespace linkburn
