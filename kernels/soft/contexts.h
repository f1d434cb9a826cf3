// The primary context of each GPU in this process, and what a real driver says about it.
//
// A context is made at the first call that needs it, which takes Gpu::context_ms; its end stalls
// all driver calls of the node for Gpu::teardown_ms.
//   prohibited             46, from the driver API 999 [cuda.h, cuDevicePrimaryCtxRetain]
//   exclusive and taken    46 [driver_types.h, cudaErrorDevicesUnavailable]
//   MIG mode               the GPU is not enumerated: without instances nothing runs on it
//                          [MIG user guide: "Without creating GPU instances ... CUDA workloads
//                          cannot be run on the GPU"]
//   fallen off the bus     999 for every later call of the process [proteneer/timemachine, pull
//                          request 1203: cudaErrorUnknown when a "gpu fell off bus"]
//   uncorrected ECC error  214 for every later call of those that had a context then
//                          [driver_types.h, cudaErrorECCUncorrectable]
// After an error of the device itself every later call of the process that needs the context
// returns it [driver_types.h, cudaErrorIllegalAddress: "any further CUDA work will return the same
// error"].
#pragma once

#include <array>

#include "bench/drill/state.h"
#include "kernels/cuda_types.h"
#include "kernels/soft/session.h"

namespace linkburn::cuda {
struct CUctx_st {
  int gpu;
};
}  // namespace linkburn::cuda

namespace linkburn::soft {

struct ContextOfGpu {
  cuda::CUctx_st handle{-1};
  bool created = false, creating = false;
  bool of_runtime = false;         ///< the runtime holds it until cudaDeviceReset()
  int retained = 0;                ///< by the driver API
  std::uint64_t ecc_at_start = 0;  ///< uncorrected errors of the GPU
  cuda::RuntimeError broken = cuda::kSuccess;
  std::array<bool, drill::kMaxGpus> peers{};  ///< whose memory its kernels may touch
};

enum class Api { runtime, driver };

/// Finds the GPUs, once for a process.
void find_devices(Session& session);
/// -1: no such device.
int gpu_of(Session& session, int ordinal);
int ordinal_of(Session& session, int gpu);

/// Makes the context when there is none. kSuccess, or why it cannot be used.
cuda::RuntimeError use_context(Session& session, int gpu, Api api);
/// What a context says that is there already.
cuda::RuntimeError state_of_context(Session& session, int gpu);
/// Ends it with all that is in it; lists what the program left there.
void end_context(Session& session, int gpu);

}  // namespace linkburn::soft
