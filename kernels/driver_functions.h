// The functions of the CUDA driver API that linkburn calls: kernels, and the values that streams
// wait for. X: needed, Y: may be missing. See runtime_functions.h.
#pragma once

#include "kernels/cuda_types.h"

#define LINKBURN_DRIVER_FUNCTIONS(X, Y)                                                           \
  X(cuInit, DriverResult, (unsigned flags))                                                       \
  X(cuDriverGetVersion, DriverResult, (int* version))                                             \
  X(cuGetErrorName, DriverResult, (DriverResult error, const char** name))                        \
  X(cuGetErrorString, DriverResult, (DriverResult error, const char** text))                      \
  X(cuDeviceGetCount, DriverResult, (int* count))                                                 \
  X(cuDeviceGet, DriverResult, (Device * device, int ordinal))                                    \
  X(cuDeviceGetAttribute, DriverResult, (int* value, int attribute, Device device))               \
  X(cuDevicePrimaryCtxRetain, DriverResult, (Context * context, Device device))                   \
  X(cuDevicePrimaryCtxRelease_v2, DriverResult, (Device device))                                  \
  X(cuCtxSetCurrent, DriverResult, (Context context))                                             \
  X(cuCtxGetCurrent, DriverResult, (Context * context))                                           \
  X(cuModuleLoadData, DriverResult, (Module * module, const void* image))                         \
  X(cuModuleUnload, DriverResult, (Module module))                                                \
  X(cuModuleGetFunction, DriverResult, (Function * function, Module module, const char* name))    \
  X(cuFuncGetAttribute, DriverResult, (int* value, int attribute, Function function))             \
  X(cuOccupancyMaxActiveBlocksPerMultiprocessor, DriverResult,                                    \
    (int* blocks, Function function, int block_size, std::size_t shared_bytes))                   \
  X(cuLaunchKernel, DriverResult,                                                                 \
    (Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,      \
     unsigned block_y, unsigned block_z, unsigned shared_bytes, Stream stream, void** parameters, \
     void** extra))                                                                               \
  Y(cuStreamWaitValue32_v2, DriverResult,                                                         \
    (Stream stream, DevicePointer address, std::uint32_t value, unsigned flags))                  \
  Y(cuStreamWriteValue32_v2, DriverResult,                                                        \
    (Stream stream, DevicePointer address, std::uint32_t value, unsigned flags))                  \
  Y(cuMemGetHandleForAddressRange, DriverResult,                                                  \
    (void* handle, DevicePointer address, std::size_t bytes, int type, unsigned long long flags))
