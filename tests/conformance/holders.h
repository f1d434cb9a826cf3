// Memory, streams and events of the devices that are given back at the end of an item. One that
// could not be had notes that in the probe and is false.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "tests/conformance/item.h"

namespace linkburn::conformance {

/// Makes a device current for the life of the object, then device 0 again.
class CurrentDevice {
 public:
  CurrentDevice(Probe& probe, int device) : probe_(probe) {
    probe.works(probe.on().runtime.cudaSetDevice(device), "cudaSetDevice");
  }
  CurrentDevice(const CurrentDevice&) = delete;
  ~CurrentDevice() { probe_.on().runtime.cudaSetDevice(0); }

 private:
  Probe& probe_;
};

/// Memory of the current device.
class DeviceMemory {
 public:
  DeviceMemory(Probe& probe, std::size_t bytes) : probe_(probe) {
    probe.works(probe.on().runtime.cudaMalloc(&at_, bytes), "cudaMalloc");
  }
  DeviceMemory(const DeviceMemory&) = delete;
  ~DeviceMemory() {
    if (at_ != nullptr) probe_.works(probe_.on().runtime.cudaFree(at_), "cudaFree");
  }

  explicit operator bool() const { return at_ != nullptr; }
  std::byte* at(std::size_t offset = 0) const { return static_cast<std::byte*>(at_) + offset; }
  void* release() { return std::exchange(at_, nullptr); }

 private:
  Probe& probe_;
  void* at_ = nullptr;
};

/// Pinned host memory.
class PinnedMemory {
 public:
  PinnedMemory(Probe& probe, std::size_t bytes) : probe_(probe), bytes_(bytes) {
    probe.works(probe.on().runtime.cudaHostAlloc(&at_, bytes, cuda::kHostAllocPortable),
                "cudaHostAlloc");
  }
  PinnedMemory(const PinnedMemory&) = delete;
  ~PinnedMemory() {
    if (at_ != nullptr) probe_.works(probe_.on().runtime.cudaFreeHost(at_), "cudaFreeHost");
  }

  explicit operator bool() const { return at_ != nullptr; }
  std::uint8_t* at(std::size_t offset = 0) const {
    return static_cast<std::uint8_t*>(at_) + offset;
  }
  std::span<std::uint8_t> bytes() const { return {at(), bytes_}; }

 private:
  Probe& probe_;
  std::size_t bytes_;
  void* at_ = nullptr;
};

/// A stream of the current device that waits for no other.
class OwnStream {
 public:
  explicit OwnStream(Probe& probe) : probe_(probe) {
    probe.works(probe.on().runtime.cudaStreamCreateWithFlags(&stream_, cuda::kStreamNonBlocking),
                "cudaStreamCreateWithFlags");
  }
  OwnStream(const OwnStream&) = delete;
  ~OwnStream() {
    if (stream_ != nullptr)
      probe_.works(probe_.on().runtime.cudaStreamDestroy(stream_), "cudaStreamDestroy");
  }

  explicit operator bool() const { return stream_ != nullptr; }
  operator cuda::Stream() const { return stream_; }  // NOLINT(google-explicit-constructor)
  bool wait() const {
    return probe_.works(probe_.on().runtime.cudaStreamSynchronize(stream_),
                        "cudaStreamSynchronize");
  }
  int query() const { return probe_.on().runtime.cudaStreamQuery(stream_); }

 private:
  Probe& probe_;
  cuda::Stream stream_ = nullptr;
};

class OwnEvent {
 public:
  explicit OwnEvent(Probe& probe, unsigned flags = cuda::kEventDefault) : probe_(probe) {
    probe.works(probe.on().runtime.cudaEventCreateWithFlags(&event_, flags),
                "cudaEventCreateWithFlags");
  }
  OwnEvent(const OwnEvent&) = delete;
  ~OwnEvent() {
    if (event_ != nullptr)
      probe_.works(probe_.on().runtime.cudaEventDestroy(event_), "cudaEventDestroy");
  }

  explicit operator bool() const { return event_ != nullptr; }
  operator cuda::Event() const { return event_; }  // NOLINT(google-explicit-constructor)
  bool record(cuda::Stream stream) const {
    return probe_.works(probe_.on().runtime.cudaEventRecord(event_, stream), "cudaEventRecord");
  }
  int query() const { return probe_.on().runtime.cudaEventQuery(event_); }
  /// Milliseconds since an earlier event, -1 when they cannot be told.
  float ms_since(cuda::Event earlier) const {
    float ms = -1;
    const int result = probe_.on().runtime.cudaEventElapsedTime(&ms, earlier, event_);
    return probe_.works(result, "cudaEventElapsedTime") ? ms : -1;
  }

 private:
  Probe& probe_;
  cuda::Event event_ = nullptr;
};

/// Whether devices 0 and 1 reach each other; when not, the item is skipped. Device 0 is current
/// then.
inline bool has_peers(Probe& probe) {
  const auto& runtime = probe.on().runtime;
  int can = 0;
  if (probe.on().count < 2)
    probe.skip("one device");
  else if (probe.works(runtime.cudaDeviceCanAccessPeer(&can, 0, 1), "cudaDeviceCanAccessPeer") &&
           can == 0)
    probe.skip("devices 0 and 1 do not reach each other");
  if (can != 0) runtime.cudaSetDevice(0);
  return can != 0;
}

/// A copy that must be accepted.
inline bool copy(Probe& probe, void* to, const void* from, std::size_t bytes, int kind,
                 cuda::Stream stream) {
  return probe.works(probe.on().runtime.cudaMemcpyAsync(to, from, bytes, kind, stream),
                     "cudaMemcpyAsync");
}

/// Fills bytes with a pattern that tells positions and seeds apart.
inline void fill(std::span<std::uint8_t> bytes, unsigned seed) {
  std::uint32_t word = seed * 2654435761U + 1;
  for (std::uint8_t& byte : bytes) {
    word = word * 1664525U + 1013904223U;
    byte = static_cast<std::uint8_t>(word >> 24);
  }
}

}  // namespace linkburn::conformance
