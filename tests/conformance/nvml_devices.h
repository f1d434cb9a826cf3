// The NVML handles of the CUDA devices, for items that read sensors.
#pragma once

#include <string>
#include <vector>

#include "tests/conformance/item.h"

namespace linkburn::conformance {

struct NvmlDevice {
  int ordinal = 0;      ///< of CUDA
  std::string address;  ///< "0000:17:00.0"
  nvml::Device handle = nullptr;
};

/// All CUDA devices that NVML knows; one that it does not know is a failure.
std::vector<NvmlDevice> nvml_devices(Probe& probe);

/// What a call of the form (device, &number) reads; -1, and a failure, when it does not work.
template <class Number>
long long reading(Probe& probe, nvml::Return (*call)(nvml::Device, Number*),
                  const NvmlDevice& device, std::string_view name) {
  Number number{};
  if (!probe.works(call(device.handle, &number), name)) return -1;
  return static_cast<long long>(number);
}

}  // namespace linkburn::conformance
