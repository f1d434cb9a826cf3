// Modules of kernels: an image is taken for what its first bytes say, and its functions are the CPU
// twins of the same names (kernels/twins.h).
#pragma once

#include <string>
#include <vector>
#include <memory>

#include "kernels/cuda_types.h"

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
