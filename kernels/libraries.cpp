#include "kernels/libraries.h"

namespace linkburn {

std::vector<LibraryNeed> gpu_libraries() {
  return {
      {"cuda_driver", "GPU links cannot be loaded", "install the NVIDIA driver", {"libcuda.so.1"}},
      {"nvml",
       "GPU link state, temperature and Xid events cannot be read",
       "install the NVIDIA driver",
       {"libnvidia-ml.so.1"}},
      {"cuda_runtime",
       "GPU links cannot be loaded",
       "install the CUDA runtime library, 12 or 13",
       {"libcudart.so.13", "libcudart.so.12"}},
      {"nccl", "all-reduce cannot be measured", "install NCCL 2", {"libnccl.so.2"}},
  };
}

}  // namespace linkburn
