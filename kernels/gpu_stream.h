// Streams and events of a GPU. Work is queued in order; a failure of it is reported by a later
// call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "kernels/gpu_device.h"

namespace linkburn {

class GpuEvent;

/// A queue of work. It never waits for the legacy default stream, which linkburn does not use.
class GpuStream {
 public:
  static Result<GpuStream> create(const GpuDevice& device);
  ~GpuStream();
  GpuStream(GpuStream&& other) noexcept
      : device_(other.device_), stream_(std::exchange(other.stream_, nullptr)) {}
  GpuStream& operator=(GpuStream&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(stream_, other.stream_);
    return *this;
  }

  cuda::Stream get() const { return stream_; }  ///< for the launch of a kernel
  const GpuDevice& device() const { return *device_; }

  /// The direction follows from the pointers.
  Status copy(void* to, const void* from, std::size_t bytes) const;
  /// From the memory of another GPU to that of this one or back; through the host where neither can
  /// reach the other.
  Status copy_between(void* to, const GpuDevice& to_device, const void* from,
                      const GpuDevice& from_device, std::size_t bytes) const;
  Status fill(void* to, int byte, std::size_t bytes) const;
  /// What is queued after this waits for the event.
  Status wait_for(const GpuEvent& event) const;
  /// What is queued after this waits until the word of pinned memory equals `value`, so that many
  /// transfers can be queued before the first one starts. unsupported: this driver cannot.
  Status wait_for_word(std::uint32_t* pinned_word, std::uint32_t value) const;

  /// Whether everything queued has been done.
  Result<bool> done() const;
  Status synchronize() const;

 private:
  explicit GpuStream(const GpuDevice& device) : device_(&device) {}

  const GpuDevice* device_;
  cuda::Stream stream_ = nullptr;
};

/// A mark in a stream. `timed` ones tell when it was reached; all of them are slept for, not spun.
class GpuEvent {
 public:
  static Result<GpuEvent> create(const GpuDevice& device, bool timed);
  ~GpuEvent();
  GpuEvent(GpuEvent&& other) noexcept
      : device_(other.device_), event_(std::exchange(other.event_, nullptr)) {}
  GpuEvent& operator=(GpuEvent&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(event_, other.event_);
    return *this;
  }

  cuda::Event get() const { return event_; }

  Status record(const GpuStream& stream) const;
  Result<bool> done() const;
  Status synchronize() const;
  /// From `start` to this one, in milliseconds; both timed, recorded and done. CUDA's own
  /// resolution is about half a microsecond [CUDA Runtime API, cudaEventElapsedTime].
  Result<double> elapsed_ms(const GpuEvent& start) const;

 private:
  explicit GpuEvent(const GpuDevice& device) : device_(&device) {}

  const GpuDevice* device_;
  cuda::Event event_ = nullptr;
};

}  // namespace linkburn
