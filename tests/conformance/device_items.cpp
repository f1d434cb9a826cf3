// Which devices there are, and that all libraries mean the same one.
#include <array>
#include <cstring>
#include <set>
#include <vector>

#include "bench/base/component.h"
#include "tests/conformance/item.h"

namespace linkburn::conformance {
namespace {

using Text = std::array<char, 96>;

std::string cuda_bus_id(Probe& p, int device) {
  Text text{};
  const int result = p.on().runtime.cudaDeviceGetPCIBusId(text.data(), text.size(), device);
  return p.works(result, "cudaDeviceGetPCIBusId") ? text.data() : "";
}

nvml::Device nvml_device(Probe& p, const std::string& bus_id) {
  nvml::Device device = nullptr;
  const int result = p.on().nvml.nvmlDeviceGetHandleByPciBusId_v2(bus_id.c_str(), &device);
  p.works(result, "nvmlDeviceGetHandleByPciBusId of " + bus_id);
  return device;
}

int attribute(Probe& p, int number, int device) {
  int value = -1;
  const int result = p.on().runtime.cudaDeviceGetAttribute(&value, number, device);
  p.works(result, fmt::format("cudaDeviceGetAttribute {}", number));
  return value;
}

void versions_are_told(Probe& p) {
  int runtime = 0, driver = 0, driver_api = 0;
  p.works(p.on().runtime.cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
  p.works(p.on().runtime.cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  p.works(p.on().driver.cuDriverGetVersion(&driver_api), "cuDriverGetVersion");
  p.expect(runtime >= 12000, fmt::format("runtime version {}", runtime));
  p.expect(driver == driver_api, fmt::format("driver version {} and {}", driver, driver_api));
}

void counts_agree(Probe& p) {
  int runtime = 0, driver = 0;
  unsigned nvml = 0;
  p.works(p.on().runtime.cudaGetDeviceCount(&runtime), "cudaGetDeviceCount");
  p.works(p.on().driver.cuDeviceGetCount(&driver), "cuDeviceGetCount");
  p.works(p.on().nvml.nvmlDeviceGetCount_v2(&nvml), "nvmlDeviceGetCount");
  p.expect(runtime >= 1, "no device");
  p.expect(runtime == driver, fmt::format("{} and {} devices", runtime, driver));
  // CUDA_VISIBLE_DEVICES hides devices from CUDA alone.
  p.expect(static_cast<int>(nvml) >= runtime, fmt::format("NVML sees {} of {}", nvml, runtime));
}

void addresses_lead_to_nvml(Probe& p) {
  for (int device = 0; device < p.on().count; ++device) {
    const std::string id = cuda_bus_id(p, device);
    nvml::PciInfo info{};
    const nvml::Device handle = nvml_device(p, id);
    if (handle == nullptr) return;
    p.works(p.on().nvml.nvmlDeviceGetPciInfo_v3(handle, &info), "nvmlDeviceGetPciInfo");
    const auto cuda = parse_pci_address(id), nvml = parse_pci_address(info.bus_id);
    p.expect(cuda && cuda == nvml, fmt::format("{} is {} in NVML", id, info.bus_id));
  }
}

void addresses_lead_back(Probe& p) {
  for (int device = 0; device < p.on().count; ++device) {
    int found = -1;
    const std::string id = cuda_bus_id(p, device);
    p.works(p.on().runtime.cudaDeviceGetByPCIBusId(&found, id.c_str()), "cudaDeviceGetByPCIBusId");
    p.expect(found == device, fmt::format("{} is device {}, not {}", id, found, device));
  }
}

void nvml_orders_by_address(Probe& p) {
  unsigned count = 0;
  p.works(p.on().nvml.nvmlDeviceGetCount_v2(&count), "nvmlDeviceGetCount");
  std::optional<PciAddress> last;
  for (unsigned index = 0; index < count; ++index) {
    nvml::Device device = nullptr;
    nvml::PciInfo info{};
    p.works(p.on().nvml.nvmlDeviceGetHandleByIndex_v2(index, &device),
            "nvmlDeviceGetHandleByIndex");
    if (device == nullptr) return;
    p.works(p.on().nvml.nvmlDeviceGetPciInfo_v3(device, &info), "nvmlDeviceGetPciInfo");
    const auto address = parse_pci_address(info.bus_id);
    p.expect(address && (!last || *last < *address),
             fmt::format("index {} has {}", index, info.bus_id));
    p.expect(nvml_device(p, info.bus_id) == device,
             fmt::format("index and bus id of {} give two handles", info.bus_id));
    last = address;
  }
  nvml::Device none = nullptr;
  p.result(p.on().nvml.nvmlDeviceGetHandleByIndex_v2(count, &none), nvml::kInvalidArgument,
           "nvmlDeviceGetHandleByIndex beyond the last");
}

void pci_info_agrees_with_itself(Probe& p) {
  nvml::PciInfo info{};
  const nvml::Device device = nvml_device(p, cuda_bus_id(p, 0));
  if (device == nullptr) return;
  p.works(p.on().nvml.nvmlDeviceGetPciInfo_v3(device, &info), "nvmlDeviceGetPciInfo");
  const auto address = parse_pci_address(info.bus_id);
  p.expect(address && address->domain == info.domain && address->bus == info.bus &&
               address->device == info.device,
           fmt::format("{} and {:x}:{:x}:{:x}", info.bus_id, info.domain, info.bus, info.device));
  p.expect(address == parse_pci_address(info.bus_id_legacy), "the legacy id differs");
  p.expect((info.device_id & 0xffff) == 0x10de, fmt::format("device id {:x}", info.device_id));
}

void unknown_addresses_are_refused(Probe& p) {
  nvml::Device device = nullptr;
  int ordinal = -1;
  // Nothing stands at the last function of the last bus of a domain that no node has.
  const char* nowhere = "fffe:ff:1f.7";
  p.result(p.on().nvml.nvmlDeviceGetHandleByPciBusId_v2(nowhere, &device), nvml::kNotFound,
           "nvmlDeviceGetHandleByPciBusId of nothing");
  p.expect(p.on().runtime.cudaDeviceGetByPCIBusId(&ordinal, nowhere) != cuda::kSuccess,
           "cudaDeviceGetByPCIBusId finds a device where none is");
  p.on().runtime.cudaGetLastError();
}

void uuids_tell_devices_apart(Probe& p) {
  std::set<std::string> seen;
  for (int device = 0; device < p.on().count; ++device) {
    Text uuid{};
    const nvml::Device handle = nvml_device(p, cuda_bus_id(p, device));
    if (handle == nullptr) return;
    p.works(p.on().nvml.nvmlDeviceGetUUID(handle, uuid.data(), uuid.size()), "nvmlDeviceGetUUID");
    p.expect(uuid[0] != '\0', "an empty UUID");
    p.expect(seen.insert(uuid.data()).second, fmt::format("{} twice", uuid.data()));
  }
}

void names_need_room(Probe& p) {
  Text text{};
  const nvml::Device device = nvml_device(p, cuda_bus_id(p, 0));
  if (device == nullptr) return;
  p.works(p.on().nvml.nvmlDeviceGetName(device, text.data(), text.size()), "nvmlDeviceGetName");
  p.expect(text[0] != '\0', "an empty name");
  p.result(p.on().nvml.nvmlDeviceGetName(device, text.data(), 1), nvml::kInsufficientSize,
           "nvmlDeviceGetName into one byte");
  p.result(p.on().nvml.nvmlDeviceGetUUID(device, text.data(), 1), nvml::kInsufficientSize,
           "nvmlDeviceGetUUID into one byte");
}

void attributes_agree(Probe& p) {
  for (int ordinal = 0; ordinal < p.on().count; ++ordinal) {
    cuda::Device device = -1;
    p.works(p.on().driver.cuDeviceGet(&device, ordinal), "cuDeviceGet");
    for (const int number :
         {cuda::kDeviceMultiprocessors, cuda::kDeviceComputeMajor, cuda::kDeviceComputeMinor}) {
      int driver = -1;
      p.works(p.on().driver.cuDeviceGetAttribute(&driver, number, device), "cuDeviceGetAttribute");
      const int runtime = attribute(p, number, ordinal);
      p.expect(runtime == driver,
               fmt::format("attribute {} is {} and {}", number, runtime, driver));
    }
    p.expect(attribute(p, cuda::kAttributeMultiprocessors, ordinal) > 0, "no multiprocessor");
    p.expect(attribute(p, cuda::kAttributeCopyEngines, ordinal) > 0, "no copy engine");
    p.expect(attribute(p, cuda::kAttributeComputeMajor, ordinal) >= 5, "too old");
  }
}

void compute_modes_agree(Probe& p) {
  for (int ordinal = 0; ordinal < p.on().count; ++ordinal) {
    int mode = -1;
    const nvml::Device device = nvml_device(p, cuda_bus_id(p, ordinal));
    if (device == nullptr) return;
    p.works(p.on().nvml.nvmlDeviceGetComputeMode(device, &mode), "nvmlDeviceGetComputeMode");
    const int cuda = attribute(p, cuda::kAttributeComputeMode, ordinal);
    p.expect(mode == cuda, fmt::format("compute mode {} and {}", mode, cuda));
  }
}

void ordinals_are_bounded(Probe& p) {
  for (const int wrong : {-1, p.on().count, 1000}) {
    int value = 0;
    p.result(p.on().runtime.cudaSetDevice(wrong), cuda::kInvalidDevice, "cudaSetDevice of none");
    p.result(p.on().runtime.cudaDeviceGetAttribute(&value, cuda::kAttributeMultiprocessors, wrong),
             cuda::kInvalidDevice, "cudaDeviceGetAttribute of none");
  }
  p.on().runtime.cudaGetLastError();
}

void the_current_device_is_kept(Probe& p) {
  for (int device = p.on().count - 1; device >= 0; --device) {
    int current = -1;
    p.works(p.on().runtime.cudaSetDevice(device), "cudaSetDevice");
    p.works(p.on().runtime.cudaGetDevice(&current), "cudaGetDevice");
    p.expect(current == device, fmt::format("device {} set, {} current", device, current));
  }
}

constexpr Item kItems[] = {
    {"versions of runtime and driver are told", "doctor", versions_are_told},
    {"CUDA Runtime, driver API and NVML count the same devices", "inventory", counts_agree},
    {"a CUDA device's PCI address leads to its NVML handle", "inventory, sampler",
     addresses_lead_to_nvml},
    {"a PCI address leads to the CUDA device", "placing of workers", addresses_lead_back},
    {"NVML orders devices by PCI address; index and address give one handle", "inventory",
     nvml_orders_by_address},
    {"NVML's PCI address is the same in text and numbers", "inventory",
     pci_info_agrees_with_itself},
    {"an address without a GPU is refused", "inventory", unknown_addresses_are_refused},
    {"UUIDs tell devices apart", "evidence of replaced cards", uuids_tell_devices_apart},
    {"texts that do not fit are refused", "inventory", names_need_room},
    {"attributes are the same in both CUDA APIs", "kernel shapes", attributes_agree},
    {"compute mode is the same in CUDA and NVML", "check before a run", compute_modes_agree},
    {"ordinals without a device are refused", "placing of workers", ordinals_are_bounded},
    {"the current device is the one that was set", "all workloads", the_current_device_is_kept},
};

}  // namespace

std::span<const Item> device_items() { return kItems; }

}  // namespace linkburn::conformance
