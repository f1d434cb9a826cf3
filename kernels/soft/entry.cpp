#include "kernels/soft/entry.h"

#include "kernels/soft/process.h"

namespace linkburn::soft {
namespace {

struct ThisThread {
  std::uint64_t session = 0;  ///< Session::number() that `gpu` is of
  int gpu = kNoGpu;
  cuda::RuntimeError last = cuda::kSuccess;
};

thread_local ThisThread this_thread;

/// A call of a thread: what ended in the meantime takes effect first.
void begin(Session& session, const char* name, int gpu) {
  if (hangs(session.state(), name, gpu)) session.hang();
  harvest(session);
  session.cuda().words.look(session);
  harvest(session);  // the look may have opened a gate that nothing else held
}

cuda::RuntimeError keep(cuda::RuntimeError error) {
  if (error != cuda::kSuccess) this_thread.last = error;
  return error;
}

cuda::RuntimeError run(Session& session, Needs needs, int gpu, const Work& work) {
  if (needs != Needs::nothing && gpu == kNoGpu) return cuda::kNoDevice;
  if (needs == Needs::context)
    if (const auto error = use_context(session, gpu, Api::runtime)) return error;
  return work(session, gpu);
}

}  // namespace

int thread_gpu(const Session& session) {
  return this_thread.session == session.number() ? this_thread.gpu : kNoGpu;
}

void set_thread_gpu(const Session& session, int gpu) {
  this_thread.session = session.number();
  this_thread.gpu = gpu;
}

cuda::RuntimeError last_error(bool take) {
  const auto error = this_thread.last;
  if (take) this_thread.last = cuda::kSuccess;
  return error;
}

cuda::RuntimeError runtime_call(const char* name, Needs needs, Cost cost, const Work& work) {
  Session* session = Session::current();
  if (session == nullptr) return keep(cuda::kInsufficientDriver);
  const Call call(*session, cost);
  int gpu = thread_gpu(*session);
  if (gpu == kNoGpu) gpu = gpu_of(*session, 0);
  begin(*session, name, gpu);
  return keep(run(*session, needs, gpu, work));
}

cuda::DriverResult driver_call(const char* name, Needs needs, Cost cost, const Work& work) {
  Session* session = Session::current();
  if (session == nullptr) return cuda::kNoDevice;
  const Call call(*session, cost);
  const int gpu = thread_gpu(*session);
  begin(*session, name, gpu);
  if (!session->cuda().driver_started) return cuda::kDriverNotInitialized;
  if (needs == Needs::nothing) return work(*session, gpu);
  if (gpu == kNoGpu) return cuda::kDriverInvalidContext;
  if (!session->cuda().contexts[static_cast<std::size_t>(gpu)].created)
    return cuda::kDriverInvalidContext;
  if (const auto error = state_of_context(*session, gpu)) return error;
  return work(*session, gpu);
}

}  // namespace linkburn::soft
