// How an entry point of CUDA does its work: inside a Call, after what has ended in the meantime has
// taken effect, with the context it needs, and keeping its error for cudaGetLastError().
#pragma once

#include <functional>

#include "kernels/cuda_types.h"
#include "kernels/soft/contexts.h"
#include "kernels/soft/session.h"

namespace linkburn::soft {

enum class Needs {
  nothing,  ///< but a drill
  device,   ///< a GPU; no context is made for it
  context,  ///< on the thread's device
};

/// `gpu` is that of the calling thread, kNoGpu when there is none.
using Work = std::function<int(Session& session, int gpu)>;

/// Without a drill: kInsufficientDriver, as where no driver is installed.
cuda::RuntimeError runtime_call(const char* name, Needs needs, Cost cost, const Work& work);

/// Without a drill: kNoDevice. Needs cuInit(), and a current context where `needs` says so.
cuda::DriverResult driver_call(const char* name, Needs needs, Cost cost, const Work& work);

/// The thread's current device; kNoGpu: none was chosen.
int thread_gpu(const Session& session);
void set_thread_gpu(const Session& session, int gpu);

/// The thread's last error; taking it away leaves kSuccess.
cuda::RuntimeError last_error(bool take);

}  // namespace linkburn::soft
