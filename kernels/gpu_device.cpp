#include "kernels/gpu_device.h"

#include "kernels/cuda_error.h"

namespace linkburn {

Result<GpuDevice> GpuDevice::select(const GpuLibraries& libraries, const std::string& address) {
  if (!libraries.runtime || !libraries.driver) {
    for (const LibraryChoice& choice : libraries.choices)
      if (choice.file.empty()) return Error{Code::not_found, choice.why, choice.part, choice.fix};
    return Error{Code::not_found, "no CUDA library was opened", {}, {}};
  }
  if (!libraries.counted) return libraries.counted.error();
  GpuDevice device(libraries, address);
  const auto& runtime = device.runtime();
  if (const auto found =
          device.ok("cudaDeviceGetByPCIBusId",
                    runtime.cudaDeviceGetByPCIBusId(&device.ordinal_, address.c_str()));
      !found)
    return found.error();
  if (const auto ready = device.create_context(); !ready) return ready.error();
  return device;
}

Status GpuDevice::make_current() const {
  return ok("cudaSetDevice", runtime().cudaSetDevice(ordinal_));
}

Status GpuDevice::create_context() const {
  if (auto current = make_current(); !current) return current;
  // A waiting worker sleeps: one that spins would take a core from the memory that is measured.
  if (auto flags =
          ok("cudaSetDeviceFlags", runtime().cudaSetDeviceFlags(cuda::kDeviceScheduleBlockingSync));
      !flags)
    return flags;
  // The context exists after this call on every version of the runtime.
  return ok("cudaFree", runtime().cudaFree(nullptr));
}

Result<int> GpuDevice::attribute(int which) const {
  int value = 0;
  if (const auto read =
          ok("cudaDeviceGetAttribute", runtime().cudaDeviceGetAttribute(&value, which, ordinal_));
      !read)
    return read.error();
  return value;
}

Result<MemoryRoom> GpuDevice::memory_room() const {
  if (const auto current = make_current(); !current) return current.error();
  MemoryRoom room;
  if (const auto read =
          ok("cudaMemGetInfo", runtime().cudaMemGetInfo(&room.free_bytes, &room.total_bytes));
      !read)
    return read.error();
  return room;
}

Status GpuDevice::synchronize() const {
  if (auto current = make_current(); !current) return current;
  return ok("cudaDeviceSynchronize", runtime().cudaDeviceSynchronize());
}

Result<bool> GpuDevice::can_reach(const GpuDevice& peer) const {
  int can = 0;
  if (const auto asked = ok("cudaDeviceCanAccessPeer",
                            runtime().cudaDeviceCanAccessPeer(&can, ordinal_, peer.ordinal_));
      !asked)
    return asked.error();
  return can != 0;
}

Status GpuDevice::reach(const GpuDevice& peer) const {
  if (auto current = make_current(); !current) return current;
  const cuda::RuntimeError error = runtime().cudaDeviceEnablePeerAccess(peer.ordinal_, 0);
  if (error == cuda::kPeerAccessAlreadyEnabled) {
    (void)runtime().cudaGetLastError();  // or the next call would report it
    return {};
  }
  return ok("cudaDeviceEnablePeerAccess", error);
}

Status GpuDevice::ok(std::string_view call, cuda::RuntimeError error) const {
  if (error == cuda::kSuccess) return {};
  (void)runtime().cudaGetLastError();  // one that does not stick is told once
  return cuda_error(runtime(), call, address_, error);
}

Status GpuDevice::driver_ok(std::string_view call, cuda::DriverResult error) const {
  if (error == cuda::kSuccess) return {};
  return driver_error(driver(), call, address_, error);
}

}  // namespace linkburn
