// Which optional parts this build has.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bench/base/library.h"
#include "report/evidence/record.h"

namespace linkburn {

/// The libraries that the driver layers of this build look for at run time, and no more.
std::vector<LibraryNeed> library_needs();

/// The libraries of the GPU driver layer, opened; `params` are those of gpu_library_paths()
/// (kernels/libraries.h), `clock` that of the process. Calls the driver: for workers only.
Result<std::vector<Part>> open_gpu_parts(const std::map<std::string, std::string>& params,
                                         const Clock& clock);

/// "gpu", "rdma": optional parts and whether they are in, for --version and the evidence.
struct BuildPart {
  std::string name;
  bool built_in = false;
};
std::vector<BuildPart> build_parts();

/// "0.1.0"
std::string version();

/// "linkburn 0.1.0 (gpu driver layer in, rdma driver layer in)"
std::string version_line();

}  // namespace linkburn
