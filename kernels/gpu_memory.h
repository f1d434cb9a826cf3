// Memory of a GPU, and host memory that a GPU can reach by itself.
//
// What is let go of ends quietly: after a failure every call repeats it, and it was told before.
#pragma once

#include <cstddef>
#include <utility>

#include "kernels/gpu_device.h"

namespace linkburn {

class DeviceMemory {
 public:
  static Result<DeviceMemory> allocate(const GpuDevice& device, std::size_t bytes);
  ~DeviceMemory();
  DeviceMemory(DeviceMemory&& other) noexcept
      : device_(other.device_), bytes_(other.bytes_), data_(std::exchange(other.data_, nullptr)) {}
  DeviceMemory& operator=(DeviceMemory&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(bytes_, other.bytes_);
    std::swap(data_, other.data_);
    return *this;
  }

  void* data() const { return data_; }  ///< not for the host to dereference
  std::size_t bytes() const { return bytes_; }

 private:
  DeviceMemory(const GpuDevice& device, std::size_t bytes) : device_(&device), bytes_(bytes) {}

  const GpuDevice* device_;
  std::size_t bytes_;
  void* data_ = nullptr;
};

/// Page-locked host memory, for all GPUs of the process.
class PinnedMemory {
 public:
  /// Memory of CUDA's own choice.
  static Result<PinnedMemory> allocate(const GpuDevice& device, std::size_t bytes);
  /// Pins memory that the caller has placed (on a NUMA node) and keeps until after this is gone.
  /// Whole pages: `data` and `bytes` are multiples of the page size.
  static Result<PinnedMemory> pin(const GpuDevice& device, void* data, std::size_t bytes);
  ~PinnedMemory();
  PinnedMemory(PinnedMemory&& other) noexcept
      : device_(other.device_),
        bytes_(other.bytes_),
        data_(std::exchange(other.data_, nullptr)),
        ours_(other.ours_) {}
  PinnedMemory& operator=(PinnedMemory&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(bytes_, other.bytes_);
    std::swap(data_, other.data_);
    std::swap(ours_, other.ours_);
    return *this;
  }

  void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

 private:
  PinnedMemory(const GpuDevice& device, std::size_t bytes, bool ours)
      : device_(&device), bytes_(bytes), ours_(ours) {}

  const GpuDevice* device_;
  std::size_t bytes_;
  void* data_ = nullptr;
  bool ours_;  ///< allocated here, and not pinned only
};

}  // namespace linkburn
