// Which optional parts this build has.
#pragma once

#include <string>
#include <vector>

#include "bench/base/library.h"

namespace linkburn {

/// The libraries that the driver layers of this build look for at run time.
std::vector<LibraryNeed> library_needs();

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
