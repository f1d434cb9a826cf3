#include "kernels/gpu_memory.h"

namespace linkburn {

Result<DeviceMemory> DeviceMemory::allocate(const GpuDevice& device, std::size_t bytes) {
  if (const auto current = device.make_current(); !current) return current.error();
  DeviceMemory memory(device, bytes);
  if (const auto allocated =
          device.ok("cudaMalloc", device.runtime().cudaMalloc(&memory.data_, bytes));
      !allocated)
    return allocated.error();
  return memory;
}

DeviceMemory::~DeviceMemory() {
  if (data_ != nullptr) (void)device_->ok("cudaFree", device_->runtime().cudaFree(data_));
}

Result<PinnedMemory> PinnedMemory::allocate(const GpuDevice& device, std::size_t bytes) {
  if (const auto current = device.make_current(); !current) return current.error();
  PinnedMemory memory(device, bytes, true);
  if (const auto allocated =
          device.ok("cudaHostAlloc",
                    device.runtime().cudaHostAlloc(&memory.data_, bytes, cuda::kHostAllocPortable));
      !allocated)
    return allocated.error();
  return memory;
}

Result<PinnedMemory> PinnedMemory::pin(const GpuDevice& device, void* data, std::size_t bytes) {
  // Else it would be pinned, and a context made, on whichever GPU the thread used last.
  if (const auto current = device.make_current(); !current) return current.error();
  if (const auto pinned =
          device.ok("cudaHostRegister",
                    device.runtime().cudaHostRegister(data, bytes, cuda::kHostRegisterPortable));
      !pinned)
    return pinned.error();
  PinnedMemory memory(device, bytes, false);
  memory.data_ = data;
  return memory;
}

PinnedMemory::~PinnedMemory() {
  if (data_ == nullptr) return;
  if (ours_)
    (void)device_->ok("cudaFreeHost", device_->runtime().cudaFreeHost(data_));
  else
    (void)device_->ok("cudaHostUnregister", device_->runtime().cudaHostUnregister(data_));
}

}  // namespace linkburn
