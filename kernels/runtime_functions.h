// The functions of the CUDA Runtime that linkburn calls. X(name, result, parameters): needed;
// Y(...): may be missing. Expanded into the table (runtime.h), the name lists, the comparison with
// the real headers, and the soft library's own check.
#pragma once

#include "kernels/cuda_types.h"

#define LINKBURN_RUNTIME_FUNCTIONS(X, Y)                                                           \
  X(cudaRuntimeGetVersion, RuntimeError, (int* version))                                           \
  X(cudaDriverGetVersion, RuntimeError, (int* version))                                            \
  X(cudaGetErrorName, const char*, (RuntimeError error))                                           \
  X(cudaGetErrorString, const char*, (RuntimeError error))                                         \
  X(cudaGetLastError, RuntimeError, ())                                                            \
  X(cudaPeekAtLastError, RuntimeError, ())                                                         \
  X(cudaGetDeviceCount, RuntimeError, (int* count))                                                \
  X(cudaSetDevice, RuntimeError, (int device))                                                     \
  X(cudaGetDevice, RuntimeError, (int* device))                                                    \
  X(cudaSetDeviceFlags, RuntimeError, (unsigned flags))                                            \
  X(cudaDeviceGetAttribute, RuntimeError, (int* value, int attribute, int device))                 \
  X(cudaDeviceGetPCIBusId, RuntimeError, (char* text, int bytes, int device))                      \
  X(cudaDeviceGetByPCIBusId, RuntimeError, (int* device, const char* text))                        \
  X(cudaDeviceSynchronize, RuntimeError, ())                                                       \
  X(cudaDeviceReset, RuntimeError, ())                                                             \
  X(cudaMalloc, RuntimeError, (void** pointer, std::size_t bytes))                                 \
  X(cudaFree, RuntimeError, (void* pointer))                                                       \
  X(cudaHostAlloc, RuntimeError, (void** pointer, std::size_t bytes, unsigned flags))              \
  X(cudaFreeHost, RuntimeError, (void* pointer))                                                   \
  X(cudaHostRegister, RuntimeError, (void* pointer, std::size_t bytes, unsigned flags))            \
  X(cudaHostUnregister, RuntimeError, (void* pointer))                                             \
  X(cudaHostGetDevicePointer, RuntimeError, (void** device, void* host, unsigned flags))           \
  X(cudaMemGetInfo, RuntimeError, (std::size_t * free, std::size_t * total))                       \
  X(cudaPointerGetAttributes, RuntimeError, (PointerAttributes * attributes, const void* pointer)) \
  X(cudaMemcpyAsync, RuntimeError,                                                                 \
    (void* to, const void* from, std::size_t bytes, int kind, Stream stream))                      \
  X(cudaMemcpyPeerAsync, RuntimeError,                                                             \
    (void* to, int to_device, const void* from, int from_device, std::size_t bytes,                \
     Stream stream))                                                                               \
  X(cudaMemsetAsync, RuntimeError, (void* to, int value, std::size_t bytes, Stream stream))        \
  X(cudaStreamCreateWithFlags, RuntimeError, (Stream * stream, unsigned flags))                    \
  X(cudaStreamDestroy, RuntimeError, (Stream stream))                                              \
  X(cudaStreamSynchronize, RuntimeError, (Stream stream))                                          \
  X(cudaStreamQuery, RuntimeError, (Stream stream))                                                \
  X(cudaStreamWaitEvent, RuntimeError, (Stream stream, Event event, unsigned flags))               \
  X(cudaEventCreateWithFlags, RuntimeError, (Event * event, unsigned flags))                       \
  X(cudaEventRecord, RuntimeError, (Event event, Stream stream))                                   \
  X(cudaEventQuery, RuntimeError, (Event event))                                                   \
  X(cudaEventSynchronize, RuntimeError, (Event event))                                             \
  X(cudaEventElapsedTime, RuntimeError, (float* ms, Event start, Event end))                       \
  X(cudaEventDestroy, RuntimeError, (Event event))                                                 \
  X(cudaDeviceCanAccessPeer, RuntimeError, (int* can, int device, int peer))                       \
  X(cudaDeviceEnablePeerAccess, RuntimeError, (int peer, unsigned flags))                          \
  X(cudaDeviceDisablePeerAccess, RuntimeError, (int peer))                                         \
  X(cudaDeviceGetP2PAttribute, RuntimeError, (int* value, int attribute, int from, int to))
