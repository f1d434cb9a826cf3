#include "kernels/launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kernels/cuda_error.h"
#include "kernels/image.h"

namespace linkburn {
namespace {

Error not_loadable(Error error) {
  error.what = "kernels not loadable: " + error.what;
  return error;
}

}  // namespace

Result<LoadedKernels> LoadedKernels::load(const cuda::DriverTable& driver, int device,
                                          std::string device_name) {
  if (kernel_image().bytes.empty())
    return not_loadable({Code::unsupported,
                         "built without a compiler for them",
                         {},
                         "build linkburn where nvcc or clang is installed"});
  LoadedKernels kernels(driver, device, std::move(device_name));
  if (const Status entered = kernels.enter_context(); !entered)
    return not_loadable(entered.error());
  if (const Status loaded = kernels.load_module(); !loaded) return not_loadable(loaded.error());
  return kernels;
}

LoadedKernels::LoadedKernels(const cuda::DriverTable& driver, int device, std::string device_name)
    : driver_(&driver), ordinal_(device), device_name_(std::move(device_name)) {}

LoadedKernels::LoadedKernels(LoadedKernels&& other) noexcept
    : driver_(other.driver_),
      ordinal_(other.ordinal_),
      device_name_(std::move(other.device_name_)),
      device_(other.device_),
      retained_(std::exchange(other.retained_, false)),
      module_(std::exchange(other.module_, nullptr)),
      functions_(std::move(other.functions_)) {}

LoadedKernels::~LoadedKernels() {
  if (module_ != nullptr) (void)driver_->cuModuleUnload(module_);
  if (retained_) (void)driver_->cuDevicePrimaryCtxRelease_v2(device_);
}

Status LoadedKernels::enter_context() {
  if (const Status s = outcome("cuInit", driver_->cuInit(0)); !s) return s;
  if (const Status s = outcome("cuDeviceGet", driver_->cuDeviceGet(&device_, ordinal_)); !s)
    return s;
  cuda::Context context = nullptr;
  const cuda::DriverResult retained = driver_->cuDevicePrimaryCtxRetain(&context, device_);
  if (const Status s = outcome("cuDevicePrimaryCtxRetain", retained); !s) return s;
  retained_ = true;
  return outcome("cuCtxSetCurrent", driver_->cuCtxSetCurrent(context));
}

Status LoadedKernels::load_module() {
  const cuda::DriverResult loaded =
      driver_->cuModuleLoadData(&module_, kernel_image().bytes.data());
  if (const Status s = outcome("cuModuleLoadData", loaded); !s) return s;
  for (const DeclaredKernel& kernel : declared_kernels()) {
    Loaded found{kernel.name};
    const cuda::DriverResult got =
        driver_->cuModuleGetFunction(&found.function, module_, kernel.name.data());
    const std::string call = fmt::format("cuModuleGetFunction of {}", kernel.name);
    if (const Status s = outcome(call, got); !s) return s;
    functions_.push_back(found);
  }
  return {};
}

Status LoadedKernels::launch(std::string_view kernel, LaunchSize size, cuda::Stream stream,
                             void** arguments) const {
  const cuda::DriverResult queued = driver_->cuLaunchKernel(
      function(kernel), size.blocks, 1, 1, size.threads, 1, 1, 0, stream, arguments, nullptr);
  if (queued == cuda::kSuccess) return {};
  return outcome(fmt::format("cuLaunchKernel of {}", kernel), queued);
}

Result<LaunchSize> LoadedKernels::one_wave(std::string_view kernel, std::uint32_t threads) const {
  int blocks = 0, multiprocessors = 0;
  const cuda::DriverResult counted = driver_->cuOccupancyMaxActiveBlocksPerMultiprocessor(
      &blocks, function(kernel), static_cast<int>(threads), 0);
  const std::string call = fmt::format("cuOccupancyMaxActiveBlocksPerMultiprocessor of {}", kernel);
  if (const Status s = outcome(call, counted); !s) return s.error();
  const cuda::DriverResult got =
      driver_->cuDeviceGetAttribute(&multiprocessors, cuda::kDeviceMultiprocessors, device_);
  if (const Status s = outcome("cuDeviceGetAttribute", got); !s) return s.error();
  if (blocks < 1 || multiprocessors < 1)
    return Error{
        Code::unsupported,
        fmt::format("no block of {} threads of {} fits on {}", threads, kernel, device_name_),
        {},
        {}};
  return LaunchSize{static_cast<std::uint32_t>(blocks * multiprocessors), threads};
}

cuda::Function LoadedKernels::function(std::string_view kernel) const {
  const auto found = std::ranges::find(functions_, kernel, &Loaded::name);
  check(found != functions_.end(), "a kernel is missing in declared_kernels()");
  return found->function;
}

Status LoadedKernels::outcome(std::string_view call, cuda::DriverResult result) const {
  if (result == cuda::kSuccess) return {};
  return driver_error(*driver_, call, device_name_, result);
}

}  // namespace linkburn
