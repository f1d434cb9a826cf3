#include "kernels/soft/contexts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <tuple>

#include "kernels/soft/process.h"

namespace linkburn::soft {
namespace {

constexpr std::int64_t kMillisecond = 1'000'000;
constexpr int kProhibited = 2, kExclusive = 3;  // Gpu::compute_mode

drill::Gpu& world_gpu(Session& session, int gpu) {
  return session.state().gpus[static_cast<std::size_t>(gpu)];
}

ContextOfGpu& context_of(Session& session, int gpu) {
  return session.cuda().contexts[static_cast<std::size_t>(gpu)];
}

auto address(const drill::State& state, int gpu) {
  const auto function = state.gpus[static_cast<std::size_t>(gpu)].function;
  const drill::Function& f = state.functions[static_cast<std::size_t>(function)];
  return std::tuple(f.domain, f.bus, f.slot);
}

cuda::RuntimeError refusal(Session& session, int gpu, Api api) {
  const drill::Gpu& g = world_gpu(session, gpu);
  if (g.compute_mode == kProhibited)
    return api == Api::driver ? cuda::kUnknown : cuda::kDevicesUnavailable;
  const bool others = g.owner_process >= 0 && g.owner_process != session.process();
  if (g.compute_mode == kExclusive && (others || g.foreign_pid != 0))
    return cuda::kDevicesUnavailable;
  return cuda::kSuccess;
}

void make_context(Session& session, int gpu) {
  drill::Gpu& g = world_gpu(session, gpu);
  ContextOfGpu& context = context_of(session, gpu);
  context.creating = true;
  if (g.compute_mode == kExclusive) g.owner_process = session.process();
  g.contexts[static_cast<std::size_t>(session.process())] = true;
  session.sleep_until(session.now_ns() + g.context_ms * kMillisecond);
  context.handle.gpu = gpu;
  context.ecc_at_start = g.ecc_uncorrected;
  context.created = true;
  context.creating = false;
}

void end_streams_and_events(Session& session, int gpu) {
  for (const auto& stream : session.cuda().streams) {
    if (stream->gpu != gpu || stream->destroyed) continue;
    count_misuse("a stream was never destroyed", stream.get());
    stream->destroyed = true;
  }
  for (const auto& [handle, event] : session.cuda().events) {
    if (event->gpu != gpu || event->destroyed) continue;
    count_misuse("an event was never destroyed", handle);
    event->destroyed = true;
  }
}

void end_memory(Session& session, int gpu) {
  std::vector<void*> left;
  for (const auto& [begin, allocation] : session.cuda().memory.all())
    if (allocation.gpu == gpu) left.push_back(allocation.pointer());
  for (void* begin : left) {
    count_misuse("memory was never freed", begin);
    session.cuda().memory.release(begin);
  }
  world_gpu(session, gpu).memory_of[static_cast<std::size_t>(session.process())] = 0;
}

}  // namespace

void find_devices(Session& session) {
  Cuda& cuda = session.cuda();
  if (cuda.devices_known) return;
  for (int gpu = 0; gpu < drill::kMaxGpus; ++gpu)
    if (world_gpu(session, gpu).used && !world_gpu(session, gpu).mig) cuda.devices.push_back(gpu);
  std::sort(cuda.devices.begin(), cuda.devices.end(), [&](int a, int b) {
    return address(session.state(), a) < address(session.state(), b);
  });
  cuda.devices_known = true;
}

int gpu_of(Session& session, int ordinal) {
  find_devices(session);
  const auto& devices = session.cuda().devices;
  if (ordinal < 0 || ordinal >= static_cast<int>(devices.size())) return kNoGpu;
  return devices[static_cast<std::size_t>(ordinal)];
}

int ordinal_of(Session& session, int gpu) {
  const auto& devices = session.cuda().devices;
  return static_cast<int>(std::find(devices.begin(), devices.end(), gpu) - devices.begin());
}

cuda::RuntimeError state_of_context(Session& session, int gpu) {
  ContextOfGpu& context = context_of(session, gpu);
  if (session.turns().ended()) return cuda::kUnknown;  // nothing queued will ever be done
  if (context.broken != cuda::kSuccess) return context.broken;
  const drill::Gpu& g = world_gpu(session, gpu);
  if (g.lost)
    context.broken = cuda::kUnknown;
  else if (context.created && g.ecc_uncorrected > context.ecc_at_start)
    context.broken = cuda::kEccUncorrectable;
  return context.broken;
}

cuda::RuntimeError use_context(Session& session, int gpu, Api api) {
  ContextOfGpu& context = context_of(session, gpu);
  while (context.creating && !session.turns().ended())
    session.sleep_until(session.now_ns() + kMillisecond);
  if (const auto broken = state_of_context(session, gpu)) return broken;
  if (!context.created) {
    if (const auto refused = refusal(session, gpu, api)) return refused;
    make_context(session, gpu);
  }
  if (api == Api::runtime) context.of_runtime = true;
  return state_of_context(session, gpu);
}

void end_context(Session& session, int gpu) {
  ContextOfGpu& context = context_of(session, gpu);
  if (!context.created) return;
  for (const int each : session.cuda().devices) await_gpu(session, each);  // peers may copy here
  end_streams_and_events(session, gpu);
  harvest(session);
  end_memory(session, gpu);
  drill::Gpu& g = world_gpu(session, gpu);
  g.contexts[static_cast<std::size_t>(session.process())] = false;
  if (g.owner_process == session.process()) g.owner_process = -1;
  context = {};
  drill::State& state = session.state();
  state.stall_until_ns =
      std::max(state.stall_until_ns, session.now_ns() + g.teardown_ms * kMillisecond);
  session.sleep_until(state.stall_until_ns);
}

}  // namespace linkburn::soft
