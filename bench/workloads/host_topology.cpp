#include "bench/workloads/host_topology.h"

#include <fmt/core.h>
#include <hwloc.h>

#include <algorithm>
#include <cerrno>
#include <set>

namespace linkburn {
namespace {

class Bitmap {
 public:
  Bitmap() : bits_(hwloc_bitmap_alloc()) { check(bits_ != nullptr, "hwloc_bitmap_alloc failed"); }
  explicit Bitmap(const std::vector<int>& numbers) : Bitmap() {
    for (const int number : numbers) hwloc_bitmap_set(bits_, static_cast<unsigned>(number));
  }
  Bitmap(const Bitmap&) = delete;
  Bitmap& operator=(const Bitmap&) = delete;
  ~Bitmap() { hwloc_bitmap_free(bits_); }

  hwloc_bitmap_t get() const { return bits_; }
  bool empty() const { return hwloc_bitmap_iszero(bits_) != 0; }
  bool has(unsigned number) const { return hwloc_bitmap_isset(bits_, number) != 0; }

  /// Finite sets only; a full one comes from hwloc where nothing is bound.
  std::vector<int> numbers() const {
    std::vector<int> all;
    if (hwloc_bitmap_last(bits_) < 0) return all;
    for (int i = hwloc_bitmap_first(bits_); i >= 0; i = hwloc_bitmap_next(bits_, i))
      all.push_back(i);
    return all;
  }

  std::string text() const {
    char* list = nullptr;
    if (hwloc_bitmap_list_asprintf(&list, bits_) < 0) return {};
    std::string copy(list);
    std::free(list);
    return copy;
  }

 private:
  hwloc_bitmap_t bits_;
};

Result<hwloc_obj_t> find_node(hwloc_topology_t topology, int node) {
  if (hwloc_obj_t found = hwloc_get_numanode_obj_by_os_index(topology, static_cast<unsigned>(node)))
    return found;
  Bitmap present;
  hwloc_bitmap_copy(present.get(), hwloc_topology_get_topology_nodeset(topology));
  return Error{Code::not_found, fmt::format("there is no NUMA node {}", node),
               "/sys/devices/system/node", fmt::format("this machine has {}", present.text())};
}

/// What the cpuset (cgroup) and the affinity of the calling thread allow.
Status allowed_cpus(hwloc_topology_t topology, Bitmap& allowed) {
  if (hwloc_get_cpubind(topology, allowed.get(), HWLOC_CPUBIND_THREAD) != 0)
    return errno_error(errno, "cannot read the CPU binding", "sched_getaffinity");
  hwloc_bitmap_and(allowed.get(), allowed.get(), hwloc_topology_get_allowed_cpuset(topology));
  return {};
}

}  // namespace

std::vector<int> spread(const NodeCpus& cpus, int count) {
  const int cores = static_cast<int>(cpus.cores.size());
  std::vector<int> chosen;
  for (int i = 0; i < std::min(count, cores); ++i)
    chosen.push_back(cpus.cores[static_cast<std::size_t>(i * cores / std::min(count, cores))]);
  for (int i = 0; i < std::min(count, cpus.size()) - cores; ++i)
    chosen.push_back(cpus.siblings[static_cast<std::size_t>(i)]);
  return chosen;
}

void HostTopology::Destroy::operator()(hwloc_topology* topology) const {
  hwloc_topology_destroy(topology);
}

Result<HostTopology> HostTopology::load() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0)
    return errno_error(errno, "cannot read the topology", "hwloc_topology_init");
  HostTopology topology(raw);
  // Nodes and CPUs that a cpuset keeps from us are wanted too: "not allowed" is not "not there".
  hwloc_topology_set_flags(raw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  if (hwloc_topology_load(raw) != 0)
    return errno_error(errno, "cannot read the topology", "hwloc_topology_load");
  if (hwloc_topology_is_thissystem(raw) == 0)
    return Error{Code::invalid, "hwloc describes another machine", "hwloc_topology_is_thissystem",
                 "unset HWLOC_XMLFILE, HWLOC_SYNTHETIC and HWLOC_FSROOT"};
  return topology;
}

Result<NodeCpus> HostTopology::usable_cpus(int node) const {
  const auto found = find_node(topology_.get(), node);
  if (!found) return found.error();
  if (hwloc_bitmap_iszero((*found)->cpuset))
    return Error{Code::unsupported, fmt::format("NUMA node {} has no CPUs", node),
                 "/sys/devices/system/node", "copy from a node that has some"};
  Bitmap allowed;
  if (const Status read = allowed_cpus(topology_.get(), allowed); !read) return read.error();
  Bitmap usable;
  hwloc_bitmap_and(usable.get(), allowed.get(), (*found)->cpuset);
  if (usable.empty())
    return Error{Code::permission, fmt::format("none of the CPUs of NUMA node {} is ours", node),
                 "sched_getaffinity",
                 fmt::format("we may use CPUs {}; widen the cpuset or affinity", allowed.text())};
  NodeCpus cpus;
  std::set<hwloc_obj_t> seen_cores;
  hwloc_obj_t pu = nullptr;
  while ((pu = hwloc_get_next_obj_by_type(topology_.get(), HWLOC_OBJ_PU, pu)) != nullptr) {
    if (!usable.has(pu->os_index)) continue;
    hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(topology_.get(), HWLOC_OBJ_CORE, pu);
    const bool first = seen_cores.insert(core == nullptr ? pu : core).second;
    (first ? cpus.cores : cpus.siblings).push_back(static_cast<int>(pu->os_index));
  }
  return cpus;
}

Status HostTopology::usable_memory(int node) const {
  const auto found = find_node(topology_.get(), node);
  if (!found) return found.error();
  if (hwloc_bitmap_isset(hwloc_topology_get_allowed_nodeset(topology_.get()),
                         static_cast<unsigned>(node)))
    return {};
  return Error{Code::permission, fmt::format("the memory of NUMA node {} is not ours", node),
               "cpuset.mems", "widen the cpuset of this job or service"};
}

std::int64_t HostTopology::cache_bytes(const std::vector<int>& cpus) const {
  std::set<hwloc_obj_t> seen;
  std::int64_t bytes = 0;
  for (const int cpu : cpus) {
    hwloc_obj_t last = nullptr;
    hwloc_obj_t at = hwloc_get_pu_obj_by_os_index(topology_.get(), static_cast<unsigned>(cpu));
    for (; at != nullptr; at = at->parent)
      if (hwloc_obj_type_is_dcache(at->type)) last = at;
    if (last != nullptr && seen.insert(last).second)
      bytes += static_cast<std::int64_t>(last->attr->cache.size);
  }
  return bytes;
}

Status HostTopology::bind_thread(const std::vector<int>& cpus) const {
  const Bitmap set(cpus);
  if (hwloc_set_cpubind(topology_.get(), set.get(), HWLOC_CPUBIND_THREAD) == 0) return {};
  return errno_error(errno, fmt::format("cannot bind a thread to CPU {}", set.text()),
                     "sched_setaffinity");
}

Result<std::vector<int>> HostTopology::thread_binding() const {
  const Bitmap set;
  if (hwloc_get_cpubind(topology_.get(), set.get(), HWLOC_CPUBIND_THREAD) == 0)
    return set.numbers();
  return errno_error(errno, "cannot read the CPU binding", "sched_getaffinity");
}

Status HostTopology::bind_memory(void* start, std::size_t bytes, int node) const {
  const Bitmap set({node});
  if (hwloc_set_area_membind(topology_.get(), start, bytes, set.get(), HWLOC_MEMBIND_BIND,
                             HWLOC_MEMBIND_BYNODESET | HWLOC_MEMBIND_STRICT) == 0)
    return {};
  return errno_error(errno, fmt::format("cannot bind memory to NUMA node {}", node), "mbind");
}

Result<std::vector<int>> HostTopology::nodes_of(const void* start, std::size_t bytes) const {
  const Bitmap set;
  if (hwloc_get_area_memlocation(topology_.get(), start, bytes, set.get(),
                                 HWLOC_MEMBIND_BYNODESET) == 0)
    return set.numbers();
  return errno_error(errno, "cannot read where the pages are", "move_pages");
}

}  // namespace linkburn
