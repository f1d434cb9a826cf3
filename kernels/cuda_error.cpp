#include "kernels/cuda_error.h"

#include <fmt/format.h>

namespace linkburn {
namespace {

/// The kind of a failure; io where there is nothing better.
Code code_of(cuda::RuntimeError error) {
  switch (error) {
    case cuda::kInvalidValue:
      return Code::invalid;
    case cuda::kInsufficientDriver:
      return Code::mismatch;
    case cuda::kDevicesUnavailable:
      return Code::busy;
    case cuda::kNoDevice:
    case cuda::kInvalidDevice:
      return Code::not_found;
    case cuda::kPeerAccessUnsupported:
    case cuda::kNotSupported:
      return Code::unsupported;
    default:
      return Code::io;
  }
}

Code code_of_nvml(nvml::Return error) {
  switch (error) {
    case nvml::kInvalidArgument:
      return Code::invalid;
    case nvml::kNotSupported:
    case nvml::kFunctionNotFound:
      return Code::unsupported;
    case nvml::kNoPermission:
      return Code::permission;
    case nvml::kNotFound:
    case nvml::kDriverNotLoaded:
      return Code::not_found;
    case nvml::kTimeout:
      return Code::timeout;
    default:
      return Code::io;
  }
}

std::string what(std::string_view call, std::string_view device) {
  return device.empty() ? std::string(call) : fmt::format("{} on {}", call, device);
}

const char* or_unknown(const char* text) { return text != nullptr ? text : "unknown to CUDA"; }

}  // namespace

Error cuda_error(const cuda::RuntimeTable& runtime, std::string_view call, std::string_view device,
                 cuda::RuntimeError error) {
  return {code_of(error),
          fmt::format("{}: {} ({}): {}", what(call, device),
                      or_unknown(runtime.cudaGetErrorName(error)), error,
                      or_unknown(runtime.cudaGetErrorString(error))),
          {},
          {}};
}

Error driver_error(const cuda::DriverTable& driver, std::string_view call, std::string_view device,
                   cuda::DriverResult error) {
  // An unknown number leaves both untouched or null.
  const char *name = nullptr, *text = nullptr;
  (void)driver.cuGetErrorName(error, &name);
  (void)driver.cuGetErrorString(error, &text);
  return {
      code_of(error),
      fmt::format("{}: {} ({}): {}", what(call, device), or_unknown(name), error, or_unknown(text)),
      {},
      {}};
}

Error nvml_error(const nvml::NvmlTable& nvml, std::string_view call, std::string_view device,
                 nvml::Return error) {
  const char* text = nvml.nvmlErrorString(error);
  return {code_of_nvml(error),
          fmt::format("{}: {} ({})", what(call, device), text != nullptr ? text : "unknown to NVML",
                      error),
          {},
          {}};
}

}  // namespace linkburn
