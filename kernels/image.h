// The compiled kernels, as bytes of this program (scripts/cmake/GpuKernels.cmake).
#pragma once

#include <string_view>

namespace linkburn {

struct KernelImage {
  /// A fatbin or PTX text, with a zero behind it, as cuModuleLoadData takes it. Empty when this
  /// program was built without a compiler for kernels.
  std::string_view bytes;
  std::string_view made;  ///< "all-major and PTX for compute_75, by nvcc"
};

KernelImage kernel_image();

}  // namespace linkburn
