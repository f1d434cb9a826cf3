// What a fake library says of itself: FAKE_VERSION, and FAKE_COUNT_ERROR when asked for its GPUs.
#include "kernels/cuda_types.h"

namespace linkburn::cuda {

extern "C" {

RuntimeError cudaRuntimeGetVersion(int* version) {
  *version = FAKE_VERSION;
  return kSuccess;
}

RuntimeError cudaGetDeviceCount(int* count) {
  *count = 2;
  return FAKE_COUNT_ERROR;
}

const char* cudaGetErrorName(RuntimeError) { return "cudaErrorFake"; }

const char* cudaGetErrorString(RuntimeError) { return "in words"; }

DriverResult cuDriverGetVersion(int* version) {
  *version = FAKE_VERSION;
  return kSuccess;
}
}

}  // namespace linkburn::cuda
