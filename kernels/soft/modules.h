// Modules of kernels: an image is taken for what its first bytes say, and its functions are the CPU
// twins of the same names (kernels/twins.h).
#pragma once

#include <memory>
#include <vector>

#include "kernels/cuda_types.h"
#include "kernels/launch_limits.h"
#include "kernels/soft/session.h"

namespace linkburn {
struct Twin;
}

namespace linkburn::cuda {
struct CUfunc_st {
  const Twin* twin;
  int gpu;
};
struct CUmod_st {
  int gpu = -1;
  bool unloaded = false;
  std::vector<std::unique_ptr<CUfunc_st>> functions;
};
}  // namespace linkburn::cuda

namespace linkburn::soft {

/// Queues a kernel. A pointer that leads nowhere breaks the context when the kernel runs.
cuda::DriverResult launch(Session& session, const Twin& twin, cuda::CUstream_st& stream,
                          LaunchSize size, void** parameters);

}  // namespace linkburn::soft
