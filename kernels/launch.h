// Kernels of ours on one GPU: loaded once, launched with the argument types they were declared
// with.
//
// All calls go to the driver and may hang: only workers make them, from one thread.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "bench/base/result.h"
#include "kernels/driver.h"
#include "kernels/kernel_list.h"

namespace linkburn {

class LoadedKernels {
 public:
  /// Loads all kernels into the device's primary context, which the CUDA Runtime uses too, and
  /// makes that current in this thread. `device_name` is for messages. The Error starts with
  /// "kernels not loadable: ": a state to report, with which copies still run. `driver` has to
  /// outlive this.
  static Result<LoadedKernels> load(const cuda::DriverTable& driver, int device,
                                    std::string device_name);

  LoadedKernels(LoadedKernels&& other) noexcept;
  LoadedKernels& operator=(LoadedKernels&&) = delete;
  /// What a lost device answers to the unloading changes nothing.
  ~LoadedKernels();

  /// Queues a launch. The Error names kernel and device; one of an earlier launch may come up here.
  template <class... Arguments>
  Status launch(const Kernel<Arguments...>& kernel, LaunchSize size, cuda::Stream stream,
                std::type_identity_t<Arguments>... arguments) const {
    std::array<void*, sizeof...(Arguments)> pointers{&arguments...};
    return launch(kernel.name, size, stream, pointers.data());
  }

  /// As many blocks of `threads` as the device runs at once: a burn's limit is one of each block.
  template <class... Arguments>
  Result<LaunchSize> one_wave(const Kernel<Arguments...>& kernel, std::uint32_t threads) const {
    return one_wave(kernel.name, threads);
  }

 private:
  struct Loaded {
    std::string_view name;
    cuda::Function function = nullptr;
  };

  LoadedKernels(const cuda::DriverTable& driver, int device, std::string device_name);
  Status enter_context();
  Status load_module();
  Status launch(std::string_view kernel, LaunchSize size, cuda::Stream stream,
                void** arguments) const;
  Result<LaunchSize> one_wave(std::string_view kernel, std::uint32_t threads) const;
  cuda::Function function(std::string_view kernel) const;
  Status outcome(std::string_view call, cuda::DriverResult result) const;

  const cuda::DriverTable* driver_;
  int ordinal_;
  std::string device_name_;
  cuda::Device device_ = 0;
  bool retained_ = false;
  cuda::Module module_ = nullptr;
  std::vector<Loaded> functions_;
};

}  // namespace linkburn
