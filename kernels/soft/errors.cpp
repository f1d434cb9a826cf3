// Names and texts of errors, and what a thread's last one was.
#include <array>
#include <string_view>

#include "kernels/soft/entry.h"
#include "kernels/soft/functions.h"
#include "kernels/soft/process.h"

namespace linkburn::cuda {
namespace {

struct ErrorText {
  int number;
  const char *runtime_name, *driver_name, *text;
};

// [driver_types.h, cudaError; cuda.h, CUresult; texts as cudaGetErrorString() gives them]
constexpr std::array kTexts{
    ErrorText{kSuccess, "cudaSuccess", "CUDA_SUCCESS", "no error"},
    ErrorText{kInvalidValue, "cudaErrorInvalidValue", "CUDA_ERROR_INVALID_VALUE",
              "invalid argument"},
    ErrorText{kOutOfMemory, "cudaErrorMemoryAllocation", "CUDA_ERROR_OUT_OF_MEMORY",
              "out of memory"},
    ErrorText{kDriverNotInitialized, "cudaErrorInitializationError", "CUDA_ERROR_NOT_INITIALIZED",
              "initialization error"},
    ErrorText{kInsufficientDriver, "cudaErrorInsufficientDriver", "CUDA_ERROR_STUB_LIBRARY",
              "CUDA driver version is insufficient for CUDA runtime version"},
    ErrorText{kDevicesUnavailable, "cudaErrorDevicesUnavailable", "CUDA_ERROR_DEVICE_UNAVAILABLE",
              "CUDA-capable device(s) is/are busy or unavailable"},
    ErrorText{kNoDevice, "cudaErrorNoDevice", "CUDA_ERROR_NO_DEVICE",
              "no CUDA-capable device is detected"},
    ErrorText{kInvalidDevice, "cudaErrorInvalidDevice", "CUDA_ERROR_INVALID_DEVICE",
              "invalid device ordinal"},
    ErrorText{kDriverInvalidImage, "cudaErrorInvalidKernelImage", "CUDA_ERROR_INVALID_IMAGE",
              "device kernel image is invalid"},
    ErrorText{kDriverInvalidContext, "cudaErrorDeviceUninitialized", "CUDA_ERROR_INVALID_CONTEXT",
              "invalid device context"},
    ErrorText{kDriverNoBinaryForGpu, "cudaErrorNoKernelImageForDevice",
              "CUDA_ERROR_NO_BINARY_FOR_GPU",
              "no kernel image is available for execution on the device"},
    ErrorText{kEccUncorrectable, "cudaErrorECCUncorrectable", "CUDA_ERROR_ECC_UNCORRECTABLE",
              "uncorrectable ECC error encountered"},
    ErrorText{kPeerAccessUnsupported, "cudaErrorPeerAccessUnsupported",
              "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED",
              "peer access is not supported between these "
              "two devices"},
    ErrorText{kDriverUnsupportedPtx, "cudaErrorUnsupportedPtxVersion",
              "CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
              "the provided PTX was compiled with an unsupported toolchain."},
    ErrorText{kInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "CUDA_ERROR_INVALID_HANDLE",
              "invalid resource handle"},
    ErrorText{kDriverNotFound, "cudaErrorSymbolNotFound", "CUDA_ERROR_NOT_FOUND",
              "named symbol not found"},
    ErrorText{kNotReady, "cudaErrorNotReady", "CUDA_ERROR_NOT_READY", "device not ready"},
    ErrorText{kIllegalAddress, "cudaErrorIllegalAddress", "CUDA_ERROR_ILLEGAL_ADDRESS",
              "an illegal memory access was encountered"},
    ErrorText{kPeerAccessAlreadyEnabled, "cudaErrorPeerAccessAlreadyEnabled",
              "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED", "peer access is already enabled"},
    ErrorText{kPeerAccessNotEnabled, "cudaErrorPeerAccessNotEnabled",
              "CUDA_ERROR_PEER_ACCESS_NOT_ENABLED", "peer access has not been enabled"},
    ErrorText{kHostMemoryAlreadyRegistered, "cudaErrorHostMemoryAlreadyRegistered",
              "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED",
              "part or all of the requested memory range is already mapped"},
    ErrorText{kHostMemoryNotRegistered, "cudaErrorHostMemoryNotRegistered",
              "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED",
              "pointer does not correspond to a registered memory region"},
    ErrorText{kLaunchFailure, "cudaErrorLaunchFailure", "CUDA_ERROR_LAUNCH_FAILED",
              "unspecified launch failure"},
    ErrorText{kNotSupported, "cudaErrorNotSupported", "CUDA_ERROR_NOT_SUPPORTED",
              "operation not supported"},
    ErrorText{kUnknown, "cudaErrorUnknown", "CUDA_ERROR_UNKNOWN", "unknown error"},
};

const ErrorText* find(int number) {
  for (const ErrorText& text : kTexts)
    if (text.number == number) return &text;
  return nullptr;
}

/// An error of the device sticks: it is not taken away.
RuntimeError current_error(const char* name, bool take) {
  RuntimeError sticks = kSuccess;
  const auto look = [&](soft::Session& session, int gpu) {
    if (gpu != soft::kNoGpu && session.cuda().contexts[static_cast<std::size_t>(gpu)].created)
      sticks = soft::state_of_context(session, gpu);
    return kSuccess;
  };
  (void)soft::runtime_call(name, soft::Needs::nothing, soft::Cost::query, look);
  const RuntimeError last = soft::last_error(take);
  return sticks != kSuccess ? sticks : last;
}

}  // namespace

const char* cudaGetErrorName(RuntimeError error) {
  const ErrorText* text = find(error);
  return text == nullptr ? "unrecognized error code" : text->runtime_name;
}

const char* cudaGetErrorString(RuntimeError error) {
  const ErrorText* text = find(error);
  return text == nullptr ? "unrecognized error code" : text->text;
}

RuntimeError cudaGetLastError() { return current_error("cudaGetLastError", true); }
RuntimeError cudaPeekAtLastError() { return current_error("cudaPeekAtLastError", false); }

DriverResult cuGetErrorName(DriverResult error, const char** name) {
  const ErrorText* text = find(error);
  *name = text == nullptr ? nullptr : text->driver_name;
  return text == nullptr ? kDriverInvalidValue : kSuccess;
}

DriverResult cuGetErrorString(DriverResult error, const char** text) {
  const ErrorText* found = find(error);
  *text = found == nullptr ? nullptr : found->text;
  return found == nullptr ? kDriverInvalidValue : kSuccess;
}

}  // namespace linkburn::cuda
