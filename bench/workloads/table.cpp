#include "bench/workloads/table.h"

#include <array>

namespace linkburn {

#define LINKBURN_DECLARE(name) extern const WorkloadInfo name##_workload;
LINKBURN_WORKLOADS(LINKBURN_DECLARE)
#undef LINKBURN_DECLARE

std::span<const WorkloadInfo* const> workloads() {
#define LINKBURN_ENTRY(name) &name##_workload,
  static const std::array all{LINKBURN_WORKLOADS(LINKBURN_ENTRY)};
#undef LINKBURN_ENTRY
  return all;
}

const WorkloadInfo* find_workload(std::string_view name) {
  for (const WorkloadInfo* workload : workloads())
    if (workload->name == name) return workload;
  return nullptr;
}

}  // namespace linkburn
