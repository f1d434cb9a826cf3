#include "kernels/gpu_stream.h"

namespace linkburn {
namespace {

/// "Not ready" is an answer, not a failure.
Result<bool> finished(const GpuDevice& device, const char* call, cuda::RuntimeError answer) {
  if (answer == cuda::kNotReady) {
    (void)device.runtime().cudaGetLastError();  // or the next call would report it
    return false;
  }
  if (const auto asked = device.ok(call, answer); !asked) return asked.error();
  return true;
}

}  // namespace

Result<GpuStream> GpuStream::create(const GpuDevice& device) {
  if (const auto current = device.make_current(); !current) return current.error();
  GpuStream stream(device);
  if (const auto created = device.ok(
          "cudaStreamCreateWithFlags",
          device.runtime().cudaStreamCreateWithFlags(&stream.stream_, cuda::kStreamNonBlocking));
      !created)
    return created.error();
  return stream;
}

GpuStream::~GpuStream() {
  if (stream_ != nullptr)
    (void)device_->ok("cudaStreamDestroy", device_->runtime().cudaStreamDestroy(stream_));
}

Status GpuStream::copy(void* to, const void* from, std::size_t bytes) const {
  return device_->ok("cudaMemcpyAsync", device_->runtime().cudaMemcpyAsync(
                                            to, from, bytes, cuda::kCopyDefault, stream_));
}

Status GpuStream::copy_between(void* to, const GpuDevice& to_device, const void* from,
                               const GpuDevice& from_device, std::size_t bytes) const {
  return device_->ok("cudaMemcpyPeerAsync",
                     device_->runtime().cudaMemcpyPeerAsync(to, to_device.ordinal(), from,
                                                            from_device.ordinal(), bytes, stream_));
}

Status GpuStream::fill(void* to, int byte, std::size_t bytes) const {
  return device_->ok("cudaMemsetAsync",
                     device_->runtime().cudaMemsetAsync(to, byte, bytes, stream_));
}

Status GpuStream::wait_for(const GpuEvent& event) const {
  return device_->ok("cudaStreamWaitEvent",
                     device_->runtime().cudaStreamWaitEvent(stream_, event.get(), 0));
}

Status GpuStream::wait_for_word(std::uint32_t* pinned_word, std::uint32_t value) const {
  if (device_->driver().cuStreamWaitValue32_v2 == nullptr)
    return Error{
        Code::unsupported, "this driver has no cuStreamWaitValue32_v2", device_->address(), {}};
  void* address = nullptr;
  if (auto found =
          device_->ok("cudaHostGetDevicePointer",
                      device_->runtime().cudaHostGetDevicePointer(&address, pinned_word, 0));
      !found)
    return found;
  return device_->driver_ok(
      "cuStreamWaitValue32",
      device_->driver().cuStreamWaitValue32_v2(
          stream_, reinterpret_cast<cuda::DevicePointer>(address), value, cuda::kWaitValueEqual));
}

Result<bool> GpuStream::done() const {
  return finished(*device_, "cudaStreamQuery", device_->runtime().cudaStreamQuery(stream_));
}

Status GpuStream::synchronize() const {
  return device_->ok("cudaStreamSynchronize", device_->runtime().cudaStreamSynchronize(stream_));
}

Result<GpuEvent> GpuEvent::create(const GpuDevice& device, bool timed) {
  if (const auto current = device.make_current(); !current) return current.error();
  GpuEvent event(device);
  const unsigned flags = cuda::kEventBlockingSync | (timed ? 0 : cuda::kEventDisableTiming);
  if (const auto created =
          device.ok("cudaEventCreateWithFlags",
                    device.runtime().cudaEventCreateWithFlags(&event.event_, flags));
      !created)
    return created.error();
  return event;
}

GpuEvent::~GpuEvent() {
  if (event_ != nullptr)
    (void)device_->ok("cudaEventDestroy", device_->runtime().cudaEventDestroy(event_));
}

Status GpuEvent::record(const GpuStream& stream) const {
  return device_->ok("cudaEventRecord", device_->runtime().cudaEventRecord(event_, stream.get()));
}

Result<bool> GpuEvent::done() const {
  return finished(*device_, "cudaEventQuery", device_->runtime().cudaEventQuery(event_));
}

Status GpuEvent::synchronize() const {
  return device_->ok("cudaEventSynchronize", device_->runtime().cudaEventSynchronize(event_));
}

Result<double> GpuEvent::elapsed_ms(const GpuEvent& start) const {
  float ms = 0;
  if (const auto read = device_->ok("cudaEventElapsedTime", device_->runtime().cudaEventElapsedTime(
                                                                &ms, start.event_, event_));
      !read)
    return read.error();
  return static_cast<double>(ms);
}

}  // namespace linkburn
