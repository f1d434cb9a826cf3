#include "bench/sensors/kernel_topics.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

namespace linkburn {
namespace {

/// Both parts stand in the line. An empty topic: looks like one, and is none.
struct Pattern {
  std::string_view text, also, topic;
};

/// Fixed parts of the lines of the PCI core, firmware and hot-plug; the first that fits counts.
constexpr std::array kBusPatterns = std::to_array<Pattern>({
    // [linux drivers/pci/pcie/aer.c]; "Corrected" is "Correctable" since 6.16
    {"PCIe Bus Error: severity=Correct", "", "aer_corrected"},
    {"PCIe Bus Error: severity=", "(Non-Fatal)", "aer_nonfatal"},
    {"PCIe Bus Error: severity=", "(Fatal)", "aer_fatal"},
    {"error status/mask=", "", "aer_status"},
    {"aer_status: 0x", "aer_mask: ", "aer_status"},
    {"find device of ID", "", "aer_unknown_source"},
    {"error received: ", "AER: ", kNoteReported},
    {"error message received from ", "AER: ", kNoteReported},
    {"has no AER-aware driver", "", kNoteBelow},
    {"recover (no error_detected callback)", "AER: ", kNoteBelow},
    // [linux drivers/firmware/efi/cper.c, cper_print_pcie]
    {"event severity: ", "[Hardware Error]: ", kNoteSeverity},
    {"section_type: ", "[Hardware Error]: ", kNoteSection},
    {" device_id: ", "[Hardware Error]: ", kNoteDevice},
    {"aer_cor_status: 0x", "[Hardware Error]: ", kNoteStatus},
    {"aer_uncor_status: 0x", "[Hardware Error]: ", kNoteStatus},
    // [linux drivers/pci/pcie/dpc.c, edr.c]
    {"containment event", "DPC: ", "containment"},
    {"EDR event received", "", "containment"},
    // [linux drivers/pci/hotplug/pciehp_ctrl.c, pciehp_hpc.c]
    {"event ignored", "pciehp", ""},
    {"event queued", "pciehp", ""},
    {"Link Down/Up ignored", "pciehp", ""},
    {": Link Down", "pciehp", "slot_down"},
    {"Card not present", "pciehp", "slot_down"},
    {": Link Up", "pciehp", "slot_up"},
    {"Card present", "pciehp", "slot_up"},
    // [linux drivers/pci/pci.c]
    {"config space inaccessible", "", "device_lost"},
    {"device inaccessible", "power state", "device_lost"},
    {"giving up", "not ready", "device_lost"},
    {"Link Active not set", "", "link_not_active"},
    {"available PCIe bandwidth, limited by", "", "bandwidth_limited"},
    // [linux drivers/pci/probe.c, pci_setup_device, pci_read_bridge_windows; init/version.c]
    {"] type 0", " class 0x", kNoteFound},
    {"PCI bridge to [bus ", "", kNoteBridge},
    {"Linux version ", "", kNoteBoot},
    // [linux drivers/pci/quirks.c, pcie_failed_link_retrain]
    {"retraining non-functional downstream link", "", "retrain_tried"},
    {"downstream link speed restriction", "removing", "restriction_removed"},
    {"retraining failed", "", "retrain_failed"},
});

/// Those of drivers, by device.
constexpr std::array kDriverPatterns = std::to_array<Pattern>({
    // [NVIDIA open-gpu-kernel-modules, nv_report_error; nvidia-nvswitch]
    {"NVRM: Xid (", "", "xid"},
    {"SXid (", "", "sxid"},
    {"fallen off the bus", "", "device_lost"},
    {"NVRM: The NVIDIA GPU ", "", kNoteGpu},
    {"NVRM: GPU at PCI:", ": GPU-", kNoteGpuName},
    {"rm_init_adapter failed", "NVRM: ", "init_failed"},
    {"RmInitAdapter failed", "NVRM: ", "init_failed"},
    // [linux drivers/nvme/host/pci.c, nvme_warn_reset, nvme_reset_work, nvme_setup_io_queues]
    {"CSTS=0xffffffff", "controller is down", "device_lost"},
    {"controller is down; will reset", "nvme", "device_fault"},
    {"Removing after probe failure", "nvme", "device_lost"},
    {"Disabling device after reset failure", "nvme", "device_lost"},
    {"default/read/poll queues", "nvme", "device_answers"},
    {": pci function ", "nvme", kNoteNvme},
    // [linux drivers/net/ethernet/intel: igb, igc, fm10k: igc_rd32; ixgbe_remove_adapter]
    {"PCIe link lost, device now detached", "", "device_lost"},
    {"Adapter removed", "ixgbe", "device_lost"},
    // [linux drivers/gpu/drm/amd/amdgpu/amdgpu_device.c]
    {"device lost from bus", "amdgpu", "device_lost"},
    // [linux drivers/net/ethernet/intel/i40e/i40e_main.c, ixgbe/ixgbe_main.c, ice/ice_main.c]
    {"bandwidth available for this device may be insufficient", "", "bandwidth_low"},
    {"not sufficient for optimal performance of this card", "", "bandwidth_low"},
    {"power requirements exceed the device's power supply", "", "module_error"},
    {"installed module is incompatible", "", "module_error"},
    // [linux drivers/net/ethernet/mellanox/mlx5/core/events.c, health.c, main.c]
    {"Port module event", "insufficient/unadvertised power", "port_power"},
    {"Port module event[error]", "", "module_error"},
    {"Port module event", "Cable unplugged", "module_unplugged"},
    {"Port module event", "Cable plugged", "module_plugged"},
    {"Detected insufficient power on the PCIe slot", "", "slot_power"},
    {"High temperature on sensors with bit set", "", "device_hot"},
    {"synd 0x10: High temperature", "", "device_hot"},
    {"PCI reads still not working", "", "device_lost"},
    {"device's health compromised", "", "device_fault"},
    {"firmware version: ", "mlx5_core", "device_answers"},
    // [linux drivers/net/ethernet/broadcom/bnxt/bnxt.c]
    {"Chip temperature", "thermal threshold", "device_hot"},
    // Network drivers: "NIC Link is Down" of Intel and Broadcom, "eth0: Link down" of mlx5
    {"Link is Down", "", "port_down"},
    {"Link is Up", "", "port_up"},
    {"Link is up", "", "port_up"},
    {": Link down", "", "port_down"},
    {": Link up", "", "port_up"},
});

constexpr auto join_patterns() {
  std::array<Pattern, kBusPatterns.size() + kDriverPatterns.size()> all{};
  std::copy(kBusPatterns.begin(), kBusPatterns.end(), all.begin());
  std::copy(kDriverPatterns.begin(), kDriverPatterns.end(), all.begin() + kBusPatterns.size());
  return all;
}
constexpr auto kPatterns = join_patterns();

// The first bytes of each pattern choose a place in a small table. Most stretches of four bytes of
// a log lead to an empty place there.
constexpr std::size_t kFirstBytes = 4;
constexpr std::size_t kPlaces = 4096;
constexpr std::size_t kMaxTextBytes = 512;  ///< the longest lines that are known are half of it

constexpr std::size_t place_of(std::uint32_t bytes) {
  return (bytes * 2654435761U) >> 20;  // Knuth's multiplicative hash: the upper 12 bits
}

/// For each place the first pattern there, and for each pattern the next in the same place; numbers
/// from 1, 0 is none.
struct Index {
  std::array<std::uint8_t, kPlaces> first{};
  std::array<std::uint8_t, kPatterns.size() + 1> next{};
};

constexpr Index make_index() {
  static_assert(kPatterns.size() < 255);
  Index index;
  for (std::size_t i = kPatterns.size(); i > 0; --i) {
    std::uint32_t bytes = 0;
    for (std::size_t at = 0; at < kFirstBytes; ++at)
      bytes = bytes >> 8 | static_cast<std::uint32_t>(kPatterns[i - 1].text.at(at)) << 24;
    index.next[i] = index.first[place_of(bytes)];
    index.first[place_of(bytes)] = static_cast<std::uint8_t>(i);
  }
  return index;
}
constexpr Index kIndex = make_index();

}  // namespace

std::string_view sign_in(std::string_view text) {
  text = text.substr(0, kMaxTextBytes);
  std::size_t best = kPatterns.size() + 1;
  std::uint32_t bytes = 0;
  for (std::size_t end = 0; end < text.size() && best > 1; ++end) {
    bytes = bytes >> 8 | static_cast<std::uint32_t>(static_cast<unsigned char>(text[end])) << 24;
    if (end + 1 < kFirstBytes) continue;
    for (std::size_t i = kIndex.first[place_of(bytes)]; i != 0; i = kIndex.next[i]) {
      const Pattern& pattern = kPatterns[i - 1];
      if (i < best && text.substr(end + 1 - kFirstBytes).starts_with(pattern.text) &&
          (pattern.also.empty() || text.find(pattern.also) != std::string_view::npos))
        best = i;
    }
  }
  return best > kPatterns.size() ? std::string_view() : kPatterns[best - 1].topic;
}

std::optional<PciAddress> pci_address(std::string_view word) {
  while (!word.empty() && (word.back() == ':' || word.back() == ',')) word.remove_suffix(1);
  if (const std::size_t service = word.find(":pcie"); service != std::string_view::npos)
    word = word.substr(0, service);
  std::string whole;
  if (word.starts_with("PCI:")) {
    whole = word.substr(4);
    if (whole.find('.') == std::string::npos) whole += ".0";
    word = whole;
  }
  if (word.find(':') == word.rfind(':')) return std::nullopt;  // without a domain "a:b.c" would do
  return parse_pci_address(word);
}

std::optional<PciAddress> pci_address_in(std::string_view text) {
  while (!text.empty()) {
    const std::size_t start = std::min(text.find_first_not_of(" \t"), text.size());
    const std::size_t end = std::min(text.find_first_of(" \t", start), text.size());
    if (auto address = pci_address(text.substr(start, end - start))) return address;
    text.remove_prefix(end);
  }
  return std::nullopt;
}

std::optional<ComponentId> pci_id(std::string_view word) {
  const auto address = pci_address(word);
  return address ? std::optional(ComponentId::pci(*address)) : std::nullopt;
}

std::optional<ComponentId> address_in(std::string_view text) {
  const auto address = pci_address_in(text);
  return address ? std::optional(ComponentId::pci(*address)) : std::nullopt;
}

}  // namespace linkburn
