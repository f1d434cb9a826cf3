// Compares our declarations with the headers of the CUDA toolkit, when this file is compiled. Only
// built where these headers are.
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include "kernels/driver_functions.h"
#include "kernels/runtime_functions.h"
#include "tests/kernels/same_shape.h"

namespace linkburn::cuda {
namespace {

using test::same_function;
using test::same_shape;

#define SAME_FUNCTION(name, result, parameters) \
  static_assert(same_function<result parameters, decltype(::name)>, #name);
LINKBURN_RUNTIME_FUNCTIONS(SAME_FUNCTION, SAME_FUNCTION)
LINKBURN_DRIVER_FUNCTIONS(SAME_FUNCTION, SAME_FUNCTION)

#define SAME_VALUE(ours, real) static_assert(test::same_value(ours, real), #real)
// Results of both APIs; those of the driver under the names that we share, too.
SAME_VALUE(kSuccess, cudaSuccess);
SAME_VALUE(kInvalidValue, cudaErrorInvalidValue);
SAME_VALUE(kOutOfMemory, cudaErrorMemoryAllocation);
SAME_VALUE(kInsufficientDriver, cudaErrorInsufficientDriver);
SAME_VALUE(kDevicesUnavailable, cudaErrorDevicesUnavailable);
SAME_VALUE(kNoDevice, cudaErrorNoDevice);
SAME_VALUE(kInvalidDevice, cudaErrorInvalidDevice);
SAME_VALUE(kEccUncorrectable, cudaErrorECCUncorrectable);
SAME_VALUE(kPeerAccessUnsupported, cudaErrorPeerAccessUnsupported);
SAME_VALUE(kInvalidResourceHandle, cudaErrorInvalidResourceHandle);
SAME_VALUE(kNotReady, cudaErrorNotReady);
SAME_VALUE(kIllegalAddress, cudaErrorIllegalAddress);
SAME_VALUE(kPeerAccessAlreadyEnabled, cudaErrorPeerAccessAlreadyEnabled);
SAME_VALUE(kPeerAccessNotEnabled, cudaErrorPeerAccessNotEnabled);
SAME_VALUE(kHostMemoryAlreadyRegistered, cudaErrorHostMemoryAlreadyRegistered);
SAME_VALUE(kHostMemoryNotRegistered, cudaErrorHostMemoryNotRegistered);
SAME_VALUE(kLaunchFailure, cudaErrorLaunchFailure);
SAME_VALUE(kNotSupported, cudaErrorNotSupported);
SAME_VALUE(kUnknown, cudaErrorUnknown);
SAME_VALUE(kSuccess, CUDA_SUCCESS);
SAME_VALUE(kOutOfMemory, CUDA_ERROR_OUT_OF_MEMORY);
SAME_VALUE(kDevicesUnavailable, CUDA_ERROR_DEVICE_UNAVAILABLE);
SAME_VALUE(kNoDevice, CUDA_ERROR_NO_DEVICE);
SAME_VALUE(kInvalidDevice, CUDA_ERROR_INVALID_DEVICE);
SAME_VALUE(kEccUncorrectable, CUDA_ERROR_ECC_UNCORRECTABLE);
SAME_VALUE(kInvalidResourceHandle, CUDA_ERROR_INVALID_HANDLE);
SAME_VALUE(kNotReady, CUDA_ERROR_NOT_READY);
SAME_VALUE(kIllegalAddress, CUDA_ERROR_ILLEGAL_ADDRESS);
SAME_VALUE(kLaunchFailure, CUDA_ERROR_LAUNCH_FAILED);
SAME_VALUE(kNotSupported, CUDA_ERROR_NOT_SUPPORTED);
SAME_VALUE(kUnknown, CUDA_ERROR_UNKNOWN);
SAME_VALUE(kDriverInvalidValue, CUDA_ERROR_INVALID_VALUE);
SAME_VALUE(kDriverNotInitialized, CUDA_ERROR_NOT_INITIALIZED);
SAME_VALUE(kDriverInvalidContext, CUDA_ERROR_INVALID_CONTEXT);
SAME_VALUE(kDriverInvalidImage, CUDA_ERROR_INVALID_IMAGE);
SAME_VALUE(kDriverNoBinaryForGpu, CUDA_ERROR_NO_BINARY_FOR_GPU);
SAME_VALUE(kDriverUnsupportedPtx, CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
SAME_VALUE(kDriverNotFound, CUDA_ERROR_NOT_FOUND);
// Flags, kinds and attributes.
SAME_VALUE(kCopyHostToDevice, cudaMemcpyHostToDevice);
SAME_VALUE(kCopyDeviceToHost, cudaMemcpyDeviceToHost);
SAME_VALUE(kCopyDeviceToDevice, cudaMemcpyDeviceToDevice);
SAME_VALUE(kCopyDefault, cudaMemcpyDefault);
SAME_VALUE(kStreamNonBlocking, cudaStreamNonBlocking);
SAME_VALUE(kEventDefault, cudaEventDefault);
SAME_VALUE(kEventBlockingSync, cudaEventBlockingSync);
SAME_VALUE(kEventDisableTiming, cudaEventDisableTiming);
SAME_VALUE(kHostAllocPortable, cudaHostAllocPortable);
SAME_VALUE(kHostAllocMapped, cudaHostAllocMapped);
SAME_VALUE(kHostRegisterPortable, cudaHostRegisterPortable);
SAME_VALUE(kHostRegisterMapped, cudaHostRegisterMapped);
SAME_VALUE(kDeviceScheduleBlockingSync, cudaDeviceScheduleBlockingSync);
SAME_VALUE(kAttributeMultiprocessors, cudaDevAttrMultiProcessorCount);
SAME_VALUE(kAttributeEccEnabled, cudaDevAttrEccEnabled);
SAME_VALUE(kAttributeCopyEngines, cudaDevAttrAsyncEngineCount);
SAME_VALUE(kAttributeComputeMode, cudaDevAttrComputeMode);
SAME_VALUE(kAttributeComputeMajor, cudaDevAttrComputeCapabilityMajor);
SAME_VALUE(kAttributeComputeMinor, cudaDevAttrComputeCapabilityMinor);
SAME_VALUE(kPeerAccessSupported, cudaDevP2PAttrAccessSupported);
SAME_VALUE(kMemoryUnregistered, cudaMemoryTypeUnregistered);
SAME_VALUE(kMemoryHost, cudaMemoryTypeHost);
SAME_VALUE(kMemoryDevice, cudaMemoryTypeDevice);
SAME_VALUE(kFunctionMaxThreads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
SAME_VALUE(kFunctionRegisters, CU_FUNC_ATTRIBUTE_NUM_REGS);
SAME_VALUE(kFunctionPtxVersion, CU_FUNC_ATTRIBUTE_PTX_VERSION);
SAME_VALUE(kFunctionBinaryVersion, CU_FUNC_ATTRIBUTE_BINARY_VERSION);
SAME_VALUE(kDeviceMultiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
SAME_VALUE(kDeviceComputeMajor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
SAME_VALUE(kDeviceComputeMinor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
SAME_VALUE(kWaitValueAtLeast, CU_STREAM_WAIT_VALUE_GEQ);
SAME_VALUE(kWaitValueEqual, CU_STREAM_WAIT_VALUE_EQ);
SAME_VALUE(kWriteValueDefault, CU_STREAM_WRITE_VALUE_DEFAULT);

// The one struct. CUDA 12 has no `reserved` and writes a shorter one into ours.
using RealAttributes = ::cudaPointerAttributes;
static_assert(sizeof(PointerAttributes) >= sizeof(RealAttributes));
#if CUDART_VERSION >= 13000
static_assert(sizeof(PointerAttributes) == sizeof(RealAttributes));
static_assert(offsetof(PointerAttributes, reserved) == offsetof(RealAttributes, reserved));
#endif
static_assert(offsetof(PointerAttributes, type) == offsetof(RealAttributes, type));
static_assert(offsetof(PointerAttributes, device) == offsetof(RealAttributes, device));
static_assert(offsetof(PointerAttributes, device_pointer) ==
              offsetof(RealAttributes, devicePointer));
static_assert(offsetof(PointerAttributes, host_pointer) == offsetof(RealAttributes, hostPointer));

// The comparison itself sees what it must see.
struct Known {
  int member;
};
struct Longer {
  int members[2];
};
enum class Choice { one };
static_assert(same_function<int(void*, unsigned), Choice(void*, unsigned)>);
static_assert(!same_function<int(int), int(int, int)>, "number of parameters");
static_assert(!same_function<int(int), int(unsigned)>, "sign");
static_assert(!same_function<int(int), int(long)>, "size");
static_assert(!same_function<int(int), int(float)>, "kind");
static_assert(!same_function<int(char*), int(const char*)>, "constness");
static_assert(!same_function<int(void*), int(void**)>, "depth");
static_assert(!same_function<int(Known*), int(Longer*)>, "size of a struct");
static_assert(!same_function<void(), int()>, "result");
static_assert(same_shape<struct Unknown*, struct Unheard*>());

TEST(CudaHeaders, AreOfACudaThatIsCompared) {
  RecordProperty("cudart", CUDART_VERSION);
  EXPECT_GE(CUDART_VERSION, 12000);
  EXPECT_EQ(CUDART_VERSION, CUDA_VERSION);
}

}  // namespace
}  // namespace linkburn::cuda
