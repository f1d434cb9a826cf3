// The entry points that get and return memory.
#include <algorithm>

#include "bench/drill/model.h"
#include "kernels/soft/entry.h"
#include "kernels/soft/functions.h"
#include "kernels/soft/process.h"

namespace linkburn::cuda {
namespace {

using soft::Allocation, soft::Cost, soft::MemoryKind, soft::Needs, soft::runtime_call,
    soft::Session;

/// What a driver locks at most: the host memory of a node is not part of a drill, so this only
/// keeps a wrong size from taking this machine's.
constexpr std::size_t kMostPinned = std::size_t{64} << 30;

drill::Gpu& world_gpu(Session& session, int gpu) {
  return session.state().gpus[static_cast<std::size_t>(gpu)];
}

void charge(Session& session, int gpu, std::size_t bytes, bool back) {
  auto& mine = world_gpu(session, gpu).memory_of[static_cast<std::size_t>(session.process())];
  const auto amount = static_cast<std::uint64_t>(bytes);
  mine = back ? mine - std::min(mine, amount) : mine + amount;
}

RuntimeError allocate(Session& session, int gpu, void** pointer, std::size_t bytes) {
  const drill::Gpu& g = world_gpu(session, gpu);
  if (soft::whole_pages(bytes) > drill::free_memory(g)) return kOutOfMemory;
  const Allocation* made = session.cuda().memory.allocate_device(gpu, bytes);
  if (made == nullptr) return kOutOfMemory;
  charge(session, gpu, made->mapped, false);
  *pointer = made->pointer();
  return kSuccess;
}

/// Nothing may still be on its way to or from memory that goes: the call waits, as a driver does.
RuntimeError free_memory(Session& session, void* pointer, MemoryKind kind,
                         RuntimeError if_unknown) {
  soft::Memory& memory = session.cuda().memory;
  const Allocation* found = memory.find_begin(pointer);
  if (found == nullptr || found->kind != kind) return if_unknown;
  for (const int gpu : session.cuda().devices) soft::await_gpu(session, gpu);
  session.cuda().words.forget(session, found->view, found->mapped);
  if (kind == MemoryKind::device) charge(session, found->gpu, found->mapped, true);
  memory.release(pointer);
  return kSuccess;
}

RuntimeError describe(Session& session, PointerAttributes& to, const void* pointer) {
  const Allocation* found = session.cuda().memory.find(pointer);
  void* at = const_cast<void*>(pointer);  // NOLINT(cppcoreguidelines-pro-type-const-cast)
  to.type = kMemoryUnregistered, to.device = -2;
  to.device_pointer = nullptr, to.host_pointer = at;
  if (found == nullptr) return kSuccess;
  const bool device = found->kind == MemoryKind::device;
  to.type = device ? kMemoryDevice : kMemoryHost;
  to.device = soft::ordinal_of(session, found->gpu);
  to.device_pointer = at;
  to.host_pointer = device ? nullptr : at;
  return kSuccess;
}

}  // namespace

RuntimeError cudaMalloc(void** pointer, std::size_t bytes) {
  return runtime_call("cudaMalloc", Needs::context, Cost::call, [&](Session& s, int gpu) {
    if (pointer == nullptr) return kInvalidValue;
    *pointer = nullptr;
    return bytes == 0 ? kSuccess : allocate(s, gpu, pointer, bytes);
  });
}

RuntimeError cudaFree(void* pointer) {
  return runtime_call("cudaFree", Needs::context, Cost::call, [&](Session& s, int) {
    if (pointer == nullptr) return kSuccess;
    return free_memory(s, pointer, MemoryKind::device, kInvalidValue);
  });
}

RuntimeError cudaHostAlloc(void** pointer, std::size_t bytes, unsigned flags) {
  return runtime_call("cudaHostAlloc", Needs::context, Cost::call, [&](Session& s, int gpu) {
    if (pointer == nullptr || flags > 7) return kInvalidValue;
    *pointer = nullptr;
    if (bytes == 0) return kSuccess;
    if (bytes > kMostPinned) return kOutOfMemory;
    const Allocation* made = s.cuda().memory.allocate_pinned(gpu, world_gpu(s, gpu).numa, bytes);
    if (made == nullptr) return kOutOfMemory;
    *pointer = made->pointer();
    return kSuccess;
  });
}

RuntimeError cudaFreeHost(void* pointer) {
  return runtime_call("cudaFreeHost", Needs::context, Cost::call, [&](Session& s, int) {
    if (pointer == nullptr) return kSuccess;
    return free_memory(s, pointer, MemoryKind::pinned, kInvalidValue);
  });
}

RuntimeError cudaHostRegister(void* pointer, std::size_t bytes, unsigned flags) {
  return runtime_call("cudaHostRegister", Needs::context, Cost::call, [&](Session& s, int gpu) {
    if (pointer == nullptr || bytes == 0 || flags > 15) return kInvalidValue;
    const int numa = world_gpu(s, gpu).numa;
    if (s.cuda().memory.add_registered(gpu, numa, pointer, bytes) == nullptr)
      return kHostMemoryAlreadyRegistered;
    return kSuccess;
  });
}

RuntimeError cudaHostUnregister(void* pointer) {
  return runtime_call("cudaHostUnregister", Needs::context, Cost::call, [&](Session& s, int) {
    return free_memory(s, pointer, MemoryKind::registered, kHostMemoryNotRegistered);
  });
}

// With unified addressing the pointers are the same [CUDA C++ Programming Guide, Mapped Memory].
RuntimeError cudaHostGetDevicePointer(void** device, void* host, unsigned flags) {
  return runtime_call("cudaHostGetDevicePointer", Needs::context, Cost::call, [&](Session& s, int) {
    *device = nullptr;
    const Allocation* found = s.cuda().memory.find(host);
    if (flags != 0 || found == nullptr || found->kind == MemoryKind::device) return kInvalidValue;
    *device = host;
    return kSuccess;
  });
}

RuntimeError cudaPointerGetAttributes(PointerAttributes* attributes, const void* pointer) {
  return runtime_call("cudaPointerGetAttributes", Needs::context, Cost::call,
                      [&](Session& s, int) { return describe(s, *attributes, pointer); });
}

}  // namespace linkburn::cuda
