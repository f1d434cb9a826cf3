#include "bench/inventory/config_space.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

namespace linkburn {
namespace {

constexpr std::size_t kHeaderBytes = 64;  // what everybody may read [linux drivers/pci/pci-sysfs.c]
constexpr std::size_t kSpaceBytes = 256;  // where the extended capabilities begin
constexpr int kMaxCapabilities = 48;      // of four bytes between the header and 256
constexpr int kMaxExtended = (4096 - 256) / 8;  // as the kernel bounds its walk
constexpr std::uint32_t kAllOnes32 = 0xffffffff;
constexpr std::uint32_t kAllOnes16 = 0xffff;

/// Little endian; the caller has checked that the bytes are there.
std::uint32_t number(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < size; ++i)
    value |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
  return value;
}

/// The registers of one capability, as far as they could be read.
class Registers {
 public:
  explicit Registers(std::string bytes = {}) : bytes_(std::move(bytes)) {}
  bool has(std::size_t at, std::size_t size) const { return at + size <= bytes_.size(); }
  std::optional<std::uint32_t> get16(std::size_t at) const { return get(at, 2); }
  std::optional<std::uint32_t> get32(std::size_t at) const { return get(at, 4); }

 private:
  std::optional<std::uint32_t> get(std::size_t at, std::size_t size) const {
    return has(at, size) ? std::optional(number(bytes_, at, size)) : std::nullopt;
  }
  std::string bytes_;
};

constexpr std::array<std::string_view, 11> kPortTypes{
    "endpoint",           "legacy_endpoint",     "unknown",           "unknown",
    "root_port",          "switch_upstream",     "switch_downstream", "pcie_to_pci_bridge",
    "pci_to_pcie_bridge", "integrated_endpoint", "event_collector"};

/// Types with link registers [linux drivers/pci/access.c, pcie_cap_has_lnkctl].
bool type_has_link(std::uint32_t type) { return type <= 8 && type != 2 && type != 3; }

/// Types that have the upper end of a link [linux drivers/pci/pci.h, pcie_downstream_port].
bool is_upper_end(std::uint32_t type) { return type == 4 || type == 6 || type == 8; }

bool bit(std::uint32_t value, int position) { return (value >> position & 1U) != 0; }

std::optional<LinkSpeed> speed_of_code(std::uint32_t code) {
  return speed_of_generation(static_cast<int>(code));
}

std::string aspm_states(std::uint32_t code) {
  constexpr std::array kStates{"none", "L0s", "L1", "L0s L1"};
  return kStates[code & 3U];
}

/// Payload and request sizes: code n is 128 << n bytes, up to 4096.
std::optional<int> size_of_code(std::uint32_t code) {
  return code <= 5 ? std::optional(128 << code) : std::nullopt;
}

class Decoder {
 public:
  explicit Decoder(const ConfigBytes& bytes) : bytes_(bytes) {}

  ConfigSpace decode() {
    if (header() && find_pcie()) {
      device_registers();
      if (type_has_link(type_)) link_registers();
      if (!space_.all_ones) extended();
    }
    if (space_.all_ones) {
      space_ = {};
      space_.all_ones = true;
      space_.registers_absent = "reads as all ones";
    }
    return std::move(space_);
  }

 private:
  bool absent(std::string why) {
    space_.registers_absent = std::move(why);
    return false;
  }

  /// What there is from an offset on; nothing after an error, which is kept as the reason.
  std::string read(std::size_t offset, std::size_t size) {
    auto bytes = bytes_(offset, size);
    if (bytes) return std::move(*bytes).substr(0, size);
    absent(bytes.error().code == Code::io ? "input/output error" : bytes.error().what);
    return {};
  }

  /// The reason for bytes that are missing at an offset below 256.
  bool too_short(std::size_t offset) {
    if (!space_.registers_absent.empty()) return false;
    const std::size_t got = kHeaderBytes + read(kHeaderBytes, offset - kHeaderBytes).size();
    return absent(got == kHeaderBytes ? std::string(kNeedsRoot)
                                      : fmt::format("short read of {} bytes", got));
  }

  bool header();
  bool find_pcie();
  /// What the ends of a Thunderbolt tunnel show; others are not searched for Thunderbolt's mark.
  bool may_be_tunnel() const {
    constexpr int kIntel = 0x8086;
    return space_.vendor_id == kIntel && space_.speed == LinkSpeed{2500} &&
           space_.width == LinkWidth{4};
  }

  void device_registers();
  void link_registers();
  void upper_end(std::uint32_t capabilities, std::uint32_t status);
  void second_registers();
  void extended();
  bool extended_capability(std::size_t at, std::uint32_t id);

  const ConfigBytes& bytes_;
  ConfigSpace space_;
  std::string header_;
  Registers pcie_;
  std::uint32_t flags_ = 0, type_ = 0;
  bool second_set_ = false;  ///< version 2 and later have Device 2, Link 2 and Slot 2
};

bool Decoder::header() {
  header_ = read(0, kHeaderBytes);
  if (!space_.registers_absent.empty()) return false;
  if (header_.size() >= 2 && number(header_, 0, 2) == kAllOnes16) space_.all_ones = true;
  if (space_.all_ones) return false;
  if (header_.size() < kHeaderBytes)
    return absent(fmt::format("short read of {} bytes", header_.size()));
  space_.vendor_id = static_cast<int>(number(header_, 0, 2));
  space_.device_id = static_cast<int>(number(header_, 2, 2));
  space_.header_type = static_cast<int>(number(header_, 0x0e, 1) & 0x7fU);
  if (space_.header_type == 0) {
    space_.subsystem_vendor_id = static_cast<int>(number(header_, 0x2c, 2));
    space_.subsystem_device_id = static_cast<int>(number(header_, 0x2e, 2));
  }
  if (space_.header_type == 1) space_.secondary_bus = static_cast<int>(number(header_, 0x19, 1));
  return true;
}

/// Walks the list of capabilities to the one of PCI Express.
bool Decoder::find_pcie() {
  constexpr std::uint32_t kPciExpress = 0x10;
  if (!bit(number(header_, 0x06, 2), 4)) return absent(std::string(kNotPcie));
  std::size_t at = number(header_, space_.header_type == 2 ? 0x14 : 0x34, 1) & 0xfcU;
  for (int hops = 0; at >= kHeaderBytes && hops < kMaxCapabilities; ++hops) {
    const std::string entry = read(at, 2);
    if (entry.size() < 2) return too_short(at + 2);
    const std::uint32_t id = number(entry, 0, 1);
    if (id == 0xff) break;
    if (id == kPciExpress) {
      // The second set of registers ends at 0x3c; a short capability of version 1 may lie at the
      // very end of the space.
      const std::size_t size = std::min<std::size_t>(0x3c, kSpaceBytes - at);
      pcie_ = Registers(read(at, size));
      const std::size_t needed = std::min<std::size_t>(0x14, size);
      return pcie_.has(0, needed) || too_short(at + size);
    }
    at = number(entry, 1, 1) & 0xfcU;
  }
  if (at < kHeaderBytes) return absent(std::string(kNotPcie));
  // All ones in the list of a device whose header was right a moment ago: it may just have gone.
  const std::string again = read(0, 2);
  space_.all_ones = again.size() == 2 && number(again, 0, 2) == kAllOnes16;
  return absent("the list of capabilities is broken");
}

void Decoder::device_registers() {
  LinkRegisters registers;
  flags_ = pcie_.get16(0x02).value_or(0);
  type_ = flags_ >> 4 & 0xfU;
  second_set_ = (flags_ & 0xfU) >= 2;
  registers.port_type = type_ < kPortTypes.size() ? kPortTypes[type_] : "unknown";
  if (const auto capabilities = pcie_.get32(0x04))
    registers.max_payload_supported_bytes = size_of_code(*capabilities & 7U);
  if (const auto control = pcie_.get16(0x08)) {
    registers.max_payload_bytes = size_of_code(*control >> 5 & 7U);
    registers.max_read_request_bytes = size_of_code(*control >> 12 & 7U);
    registers.tags = bit(*control, 8) ? 256 : 32;
  }
  if (const auto control = second_set_ ? pcie_.get16(0x28) : std::nullopt; control)
    if (bit(*control, 12)) registers.tags = 1024;
  space_.registers = std::move(registers);
}

void Decoder::link_registers() {
  const auto capabilities = pcie_.get32(0x0c);
  const auto control = pcie_.get16(0x10);
  const auto status = pcie_.get16(0x12);
  if (!capabilities || !control || !status) return;
  space_.all_ones = *status == kAllOnes16 || *capabilities == kAllOnes32;
  if (space_.all_ones) return;
  LinkRegisters& registers = *space_.registers;
  space_.has_link = true;
  space_.speed = speed_of_code(*status & 0xfU);
  space_.width = width_of_code(*status >> 4 & 0x3fU, true);
  space_.max_speed = speed_of_code(*capabilities & 0xfU);
  space_.max_width = width_of_code(*capabilities >> 4 & 0x3fU, false);
  registers.aspm_supported = aspm_states(*capabilities >> 10);
  registers.aspm_enabled = aspm_states(*control);
  registers.autonomous_width_disabled = bit(*control, 9);
  if (is_upper_end(type_)) {
    registers.link_disabled = bit(*control, 4);
    upper_end(*capabilities, *status);
  }
  if (second_set_) second_registers();
}

/// What only the port above a link has; elsewhere these bits are reserved.
void Decoder::upper_end(std::uint32_t capabilities, std::uint32_t status) {
  LinkRegisters& registers = *space_.registers;
  registers.training = bit(status, 11);
  if (bit(capabilities, 20)) registers.data_link_active = bit(status, 13);
  if (bit(capabilities, 21)) {
    registers.bandwidth_managed = bit(status, 14);
    registers.bandwidth_changed_autonomously = bit(status, 15);
  }
  if (!bit(flags_, 8)) return;  // no slot
  if (const auto slot = pcie_.get32(0x14)) registers.slot_number = static_cast<int>(*slot >> 19);
  if (const auto slot_status = pcie_.get16(0x1a)) registers.card_present = bit(*slot_status, 6);
}

void Decoder::second_registers() {
  const auto capabilities = pcie_.get32(0x2c);
  const auto control = pcie_.get16(0x30);
  const auto status = pcie_.get16(0x32);
  if (!capabilities || !control || !status || *capabilities == kAllOnes32) return;
  LinkRegisters& registers = *space_.registers;
  // Bit n of the vector is speed code n; a code that we do not know hides the maximum.
  int highest = 0;
  for (int code = 1; code <= 7; ++code) {
    if (!bit(*capabilities, code)) continue;
    highest = code;
    if (const auto speed = speed_of_generation(code)) registers.supported_speeds.push_back(*speed);
  }
  space_.max_speed = max_speed_of(space_.header_type == 1, space_.max_speed, highest);
  registers.target_speed = speed_of_code(*control & 0xfU);
  registers.autonomous_speed_disabled = bit(*control, 5);
  registers.flit_mode = bit(*status, 10);
  if (bit(*capabilities, 23)) registers.retimer_present = bit(*status, 6);
}

void Decoder::extended() {
  std::size_t at = kSpaceBytes;
  for (int hops = 0; at >= kSpaceBytes && hops < kMaxExtended; ++hops) {
    const std::string entry = read(at, 4);
    if (entry.size() < 4) break;
    const std::uint32_t head = number(entry, 0, 4);
    if (head == 0 || head == kAllOnes32) break;
    if (!extended_capability(at, head & 0xffffU)) break;
    at = head >> 20 & 0xffcU;
  }
  space_.registers_absent.clear();  // an error out here takes nothing from what was read before
}

/// False when all that is looked for has been found.
bool Decoder::extended_capability(std::size_t at, std::uint32_t id) {
  constexpr std::uint32_t kAer = 0x01, kVendorSpecific = 0x0b, kSecondary = 0x19;
  LinkRegisters& registers = *space_.registers;
  if (id == kAer && !registers.aer_correctable_status) {
    const Registers aer(read(at, 0x18));
    if (!aer.has(0, 0x18) || aer.get32(0x10) == kAllOnes32) return true;
    registers.aer_uncorrectable_status = aer.get32(0x04);
    registers.aer_uncorrectable_mask = aer.get32(0x08);
    registers.aer_correctable_status = aer.get32(0x10);
    registers.aer_correctable_mask = aer.get32(0x14);
  } else if (id == kSecondary && !registers.lane_errors) {
    const auto errors = Registers(read(at + 0x08, 4)).get32(0);
    if (errors && *errors != kAllOnes32) registers.lane_errors = *errors;
  } else if (id == kVendorSpecific && may_be_tunnel()) {
    // [linux drivers/pci/pci.h, PCI_VSEC_ID_INTEL_TBT]
    constexpr std::uint32_t kThunderbolt = 0x1234;
    const auto head = Registers(read(at + 0x04, 4)).get32(0);
    if (head && (*head & 0xffffU) == kThunderbolt) space_.thunderbolt = true;
  }
  return !registers.aer_correctable_status || !registers.lane_errors ||
         (may_be_tunnel() && !space_.thunderbolt);
}

}  // namespace

std::optional<LinkWidth> width_of_code(std::uint32_t code, bool zero_is_width) {
  constexpr std::array kLanes{1U, 2U, 4U, 8U, 12U, 16U, 32U};
  const bool is_lanes = std::find(kLanes.begin(), kLanes.end(), code) != kLanes.end();
  if (!is_lanes && !(zero_is_width && code == 0)) return std::nullopt;
  return LinkWidth{static_cast<int>(code)};
}

std::optional<LinkSpeed> max_speed_of(bool is_port, std::optional<LinkSpeed> named,
                                      int highest_code) {
  // Some ports list speeds above the maximum that Link Capabilities name, and do not run at them
  // [linux drivers/pci/pci.c, pcie_get_supported_speeds, since 6.13]. Of an endpoint the list
  // counts: drivers of GPUs lower the named maximum while they idle.
  const bool is_named = is_port && named && generation_of(*named).value_or(0) <= highest_code;
  return highest_code == 0 || is_named ? named : speed_of_generation(highest_code);
}

ConfigSpace decode_config_space(const ConfigBytes& bytes) { return Decoder(bytes).decode(); }

ConfigSpace decode_config_space(std::string_view space) {
  return decode_config_space([space](std::size_t offset, std::size_t size) -> Result<std::string> {
    return std::string(space.substr(std::min(offset, space.size()), size));
  });
}

}  // namespace linkburn
