// One GPU through CUDA: selected by its PCI address, made ready, and named in every error.
//
// All calls may hang when the GPU does; they are made by workers, after they said which call comes.
#pragma once

#include <string>
#include <string_view>

#include "bench/base/result.h"
#include "kernels/libraries.h"

namespace linkburn {

/// What a GPU's memory still has room for.
struct MemoryRoom {
  std::size_t free_bytes = 0, total_bytes = 0;
};

/// A GPU with its context. Must outlive the memory, streams and events made from it; all of them
/// belong to one thread.
class GpuDevice {
 public:
  /// The GPU at a PCI address ("0000:17:00.0"). Creates its context, which can take seconds, and
  /// makes it the current one. `libraries` must outlive the device.
  static Result<GpuDevice> select(const GpuLibraries& libraries, const std::string& address);

  const std::string& address() const { return address_; }
  int ordinal() const { return ordinal_; }  ///< CUDA's number of it in this process
  const cuda::RuntimeTable& runtime() const { return *libraries_->runtime; }
  const cuda::DriverTable& driver() const { return *libraries_->driver; }

  /// Directs the calls of this thread that name no GPU to this one.
  Status make_current() const;

  /// cudaDeviceAttr (cuda_types.h).
  Result<int> attribute(int which) const;
  Result<MemoryRoom> memory_room() const;
  /// Waits for all streams.
  Status synchronize() const;

  /// Whether this GPU can reach another one's memory by itself.
  Result<bool> can_reach(const GpuDevice& peer) const;
  /// Lets it do so; not an error when it may already.
  Status reach(const GpuDevice& peer) const;

  /// The result of a runtime call, in words when it failed.
  Status ok(std::string_view call, cuda::RuntimeError error) const;
  /// The result of a driver call, in words when it failed.
  Status driver_ok(std::string_view call, cuda::DriverResult error) const;

 private:
  GpuDevice(const GpuLibraries& libraries, std::string address)
      : libraries_(&libraries), address_(std::move(address)) {}
  Status create_context() const;

  const GpuLibraries* libraries_;
  std::string address_;
  int ordinal_ = 0;
};

}  // namespace linkburn
