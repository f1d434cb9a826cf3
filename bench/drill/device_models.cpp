#include "bench/drill/device_models.h"

#include <array>

#include "bench/drill/scenario_text.h"

namespace linkburn::drill {
namespace {

constexpr std::uint32_t kGpuClass = 0x030200, kInfinibandClass = 0x020700, kNvmeClass = 0x010802,
                        kBridgeClass = 0x060400, kVgaClass = 0x030000, kUsbClass = 0x0c0330;

constexpr CardModel gpu(std::string_view word, std::uint16_t id, std::uint16_t subsystem,
                        std::uint8_t gen, std::uint8_t link_width = 16) {
  return {word,      Device::gpu, 0x10de, id,       0x10de,    subsystem,
          kGpuClass, gen,         16,     "nvidia", link_width};
}

constexpr CardModel nic(std::string_view word, std::uint16_t id, std::uint16_t subsystem,
                        std::uint8_t gen) {
  return {word, Device::nic, 0x15b3,      id, 0x15b3, subsystem, kInfinibandClass,
          gen,  16,          "mlx5_core", 16};
}

// Device ids: pci.ids; subsystem ids are examples. Rates, clocks and power: NVIDIA's data sheets,
// dense tensor FP16. The heat model takes a device well below its slowdown temperature at full
// power. gh200 shows a nominal PCIe link of one lane; its copies go over NVLink-C2C at what was
// measured [NVIDIA/nvbandwidth issue 23].
constexpr std::array<GpuModel, 9> kGpus{{
    {gpu("h100-sxm", 0x2330, 0x16c1, 5), "Soft H100 SXM", 66.9, 989, 3352, 132, 1980, 2619, 9, 0,
     70, 700, 0.060, 87, 0, 0, 0},
    {gpu("h100-pcie", 0x2331, 0x1626, 5), "Soft H100 PCIe", 51.2, 756, 2039, 114, 1755, 1593, 9, 0,
     50, 350, 0.120, 87, 0, 0, 0},
    {gpu("h200-sxm", 0x2335, 0x18be, 5), "Soft H200 SXM", 66.9, 989, 4800, 132, 1980, 3201, 9, 0,
     75, 700, 0.060, 87, 0, 0, 0},
    {gpu("a100-sxm", 0x20b2, 0x147f, 4), "Soft A100 SXM", 19.5, 312, 2039, 108, 1410, 1593, 8, 0,
     55, 400, 0.095, 85, 0, 0, 0},
    {gpu("a100-pcie", 0x20b5, 0x1533, 4), "Soft A100 PCIe", 19.5, 312, 1935, 108, 1410, 1512, 8, 0,
     45, 300, 0.130, 85, 0, 0, 0},
    {gpu("l40s", 0x26b9, 0x1851, 4), "Soft L40S", 91.6, 362, 864, 142, 2520, 9001, 8, 9, 35, 350,
     0.120, 89, 0, 0, 0},
    {gpu("a10", 0x2236, 0x1482, 4), "Soft A10", 31.2, 125, 600, 72, 1695, 6251, 8, 6, 20, 150,
     0.280, 89, 0, 0, 0},
    {gpu("v100-sxm", 0x1db5, 0x1249, 3), "Soft V100 SXM", 15.7, 125, 900, 80, 1530, 877, 7, 0, 45,
     300, 0.130, 83, 0, 0, 0},
    {gpu("gh200", 0x2342, 0x16eb, 1, 1), "Soft GH200", 66.9, 990, 4000, 132, 1980, 2619, 9, 0, 90,
     700, 0.060, 87, 450, 346, 295},
}};

constexpr std::array<NicModel, 4> kNics{{
    {nic("cx7", 0x1021, 0x0023, 5), 400},
    {nic("cx8", 0x1023, 0x0041, 6), 800},
    {nic("cx6", 0x101b, 0x0008, 4), 200},
    {nic("cx5", 0x1017, 0x0007, 3), 100},
}};

constexpr std::array<CardModel, 3> kNvmes{{
    {"gen4", Device::nvme, 0x144d, 0xa80a, 0x144d, 0xa801, kNvmeClass, 4, 4, "nvme", 4},
    {"gen5", Device::nvme, 0x144d, 0xa826, 0x144d, 0xa826, kNvmeClass, 5, 4, "nvme", 4},
    {"gen3", Device::nvme, 0x144d, 0xa808, 0x144d, 0xa801, kNvmeClass, 3, 4, "nvme", 4},
}};

constexpr std::array<CardModel, 2> kSwitches{{
    {"gen5", Device::bridge, 0x1000, 0xc030, 0, 0, kBridgeClass, 5, 16, "pcieport", 16},
    {"gen4", Device::bridge, 0x1000, 0xc010, 0, 0, kBridgeClass, 4, 16, "pcieport", 16},
}};

constexpr std::array<CardModel, 2> kOthers{{
    {"bmc-vga", Device::other, 0x1a03, 0x2000, 0x1a03, 0x2000, kVgaClass, 1, 1, "ast", 1},
    {"usb", Device::other, 0x1b73, 0x1100, 0x1b73, 0x1100, kUsbClass, 2, 1, "xhci_hcd", 1},
}};

}  // namespace

std::span<const GpuModel> gpu_models() { return kGpus; }
std::span<const NicModel> nic_models() { return kNics; }
std::span<const CardModel> nvme_models() { return kNvmes; }
std::span<const CardModel> switch_models() { return kSwitches; }
std::span<const CardModel> other_models() { return kOthers; }

Function function_of_model(const CardModel& model) {
  Function function{};
  function.kind = PortKind::endpoint, function.device = model.device;
  function.vendor = model.vendor, function.device_id = model.device_id;
  function.subsystem_vendor = model.subsystem_vendor;
  function.subsystem_device = model.subsystem_device;
  function.class_code = model.class_code;
  function.parent = -1, function.slot_number = -1;
  function.cap_gen = model.gen, function.cap_width = model.width;
  put_text(function.driver, model.driver);
  return function;
}

Gpu gpu_of_model(const GpuModel& model) {
  Gpu gpu{};
  put_text(gpu.model, model.product);
  gpu.memory_bytes = std::uint64_t{1} << 30;
  gpu.copy_gbs[0] = model.to_device_gbs, gpu.copy_gbs[1] = model.from_device_gbs;
  gpu.chip_to_chip_gbs = model.chip_to_chip_gbs;
  gpu.fp32_tflops = model.fp32_tflops, gpu.tensor_tflops = model.tensor_tflops;
  gpu.memory_gbs = model.memory_gbs, gpu.sms = model.sms;
  gpu.clock_mhz = gpu.max_clock_mhz = model.clock_mhz;
  gpu.memory_clock_mhz = model.memory_clock_mhz;
  gpu.compute_major = model.compute_major, gpu.compute_minor = model.compute_minor;
  gpu.thermal = {
      28, model.c_per_w, 12, model.idle_w, model.full_w, model.slowdown_c, model.slowdown_c + 8, 6};
  gpu.context_ms = 2000, gpu.teardown_ms = 400, gpu.idle_after_ms = 500, gpu.wake_ms = 20;
  gpu.idle_gen = 1, gpu.clock_factor = 1;
  gpu.owner_process = -1, gpu.fabric_ready = true;
  return gpu;
}

}  // namespace linkburn::drill
