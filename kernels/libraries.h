// The libraries of the GPU driver layer and where they are looked for.
#pragma once

#include <vector>

#include "bench/base/library.h"

namespace linkburn {

/// Sonames, newest first [CUDA Toolkit release notes: libcudart.so.13, .12; NVIDIA driver:
/// libcuda.so.1, libnvidia-ml.so.1; NCCL: libnccl.so.2].
std::vector<LibraryNeed> gpu_libraries();

}  // namespace linkburn
