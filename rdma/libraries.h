// The libraries of the RDMA driver layer.
#pragma once

#include <vector>

#include "bench/base/library.h"

namespace linkburn {

/// Sonames [rdma-core: libibverbs.so.1, librdmacm.so.1].
std::vector<LibraryNeed> rdma_libraries();

}  // namespace linkburn
