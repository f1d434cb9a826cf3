#include "tests/conformance/nvml_devices.h"

#include <array>

#include "bench/base/component.h"

namespace linkburn::conformance {

std::vector<NvmlDevice> nvml_devices(Probe& probe) {
  std::vector<NvmlDevice> devices;
  for (int ordinal = 0; ordinal < probe.on().count; ++ordinal) {
    std::array<char, 64> id{};
    nvml::Device handle = nullptr;
    probe.works(probe.on().runtime.cudaDeviceGetPCIBusId(id.data(), id.size(), ordinal),
                "cudaDeviceGetPCIBusId");
    probe.works(probe.on().nvml.nvmlDeviceGetHandleByPciBusId_v2(id.data(), &handle),
                "nvmlDeviceGetHandleByPciBusId");
    const auto address = parse_pci_address(id.data());
    if (!probe.expect(address.has_value(), fmt::format("{} is no address", id.data()))) continue;
    if (handle != nullptr) devices.push_back({ordinal, to_string(*address), handle});
  }
  return devices;
}

}  // namespace linkburn::conformance
