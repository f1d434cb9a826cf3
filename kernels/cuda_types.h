// Our own short declarations of what we use of CUDA, so that a plain machine builds everything.
// Where the toolkit's headers are at hand, a test compares each of them
// (tests/kernels/cuda_headers_test.cpp). Only few, old, fixed layouts; never cudaDeviceProp.
#pragma once

#include <cstddef>
#include <cstdint>

namespace linkburn::cuda {

// ---- both APIs [cuda.h, driver_types.h] ----

using Stream = struct CUstream_st*;
using Event = struct CUevent_st*;

/// Results of the runtime [driver_types.h, cudaError]. Others keep their number.
using RuntimeError = int;
inline constexpr RuntimeError kSuccess = 0, kInvalidValue = 1, kOutOfMemory = 2,
                              kInsufficientDriver = 35, kDevicesUnavailable = 46, kNoDevice = 100,
                              kInvalidDevice = 101, kEccUncorrectable = 214,
                              kPeerAccessUnsupported = 217, kInvalidResourceHandle = 400,
                              kNotReady = 600, kIllegalAddress = 700,
                              kPeerAccessAlreadyEnabled = 704, kPeerAccessNotEnabled = 705,
                              kHostMemoryAlreadyRegistered = 712, kHostMemoryNotRegistered = 713,
                              kLaunchFailure = 719, kNotSupported = 801, kUnknown = 999;

/// Results of the driver API have the same numbers where both know them [cuda.h, CUresult].
using DriverResult = int;
inline constexpr DriverResult kDriverInvalidValue = 1, kDriverNotInitialized = 3,
                              kDriverInvalidContext = 201, kDriverInvalidImage = 200,
                              kDriverNoBinaryForGpu = 209, kDriverUnsupportedPtx = 222,
                              kDriverNotFound = 500;

// ---- runtime [driver_types.h] ----

/// cudaMemcpyKind
inline constexpr int kCopyHostToDevice = 1, kCopyDeviceToHost = 2, kCopyDeviceToDevice = 3,
                     kCopyDefault = 4;
inline constexpr unsigned kStreamNonBlocking = 1;
inline constexpr unsigned kEventDefault = 0, kEventBlockingSync = 1, kEventDisableTiming = 2;
inline constexpr unsigned kHostAllocPortable = 1, kHostAllocMapped = 2;
inline constexpr unsigned kHostRegisterPortable = 1, kHostRegisterMapped = 2;
inline constexpr unsigned kDeviceScheduleBlockingSync = 4;
/// cudaDeviceAttr
inline constexpr int kAttributeMultiprocessors = 16, kAttributeEccEnabled = 32,
                     kAttributeCopyEngines = 40, kAttributeComputeMode = 20,
                     kAttributeComputeMajor = 75, kAttributeComputeMinor = 76;
/// cudaDeviceP2PAttr
inline constexpr int kPeerAccessSupported = 2;
/// cudaMemoryType
inline constexpr int kMemoryUnregistered = 0, kMemoryHost = 1, kMemoryDevice = 2;

/// cudaPointerAttributes; CUDA 12 has no `reserved`, and does not write it.
struct PointerAttributes {
  int type, device;
  void *device_pointer, *host_pointer;
  long reserved[8];
};

// ---- driver API [cuda.h] ----

using Device = int;
using Context = struct CUctx_st*;
using Module = struct CUmod_st*;
using Function = struct CUfunc_st*;
using DevicePointer = std::uint64_t;
/// CUfunction_attribute
inline constexpr int kFunctionMaxThreads = 0, kFunctionRegisters = 4, kFunctionPtxVersion = 5,
                     kFunctionBinaryVersion = 6;
/// CUdevice_attribute. No attribute speaks of the 32-bit wait and write calls (v2): where they are
/// not supported, they say so themselves.
inline constexpr int kDeviceMultiprocessors = 16, kDeviceComputeMajor = 75,
                     kDeviceComputeMinor = 76;
/// CUstreamWaitValue_flags, CUstreamWriteValue_flags
inline constexpr unsigned kWaitValueAtLeast = 0, kWaitValueEqual = 1, kWriteValueDefault = 0;

}  // namespace linkburn::cuda
