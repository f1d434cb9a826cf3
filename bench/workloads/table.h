// Every workload, one line each. A new one is a file in this folder that defines
// `const WorkloadInfo NAME_workload`, and its name here.
#pragma once

#include <span>

#include "bench/workloads/workload.h"

#define LINKBURN_WORKLOADS(X) X(host_copy)

namespace linkburn {

std::span<const WorkloadInfo* const> workloads();

/// The workload of that name, or null.
const WorkloadInfo* find_workload(std::string_view name);

}  // namespace linkburn
