#include "bench/captures/lspci_device.h"

#include <utility>

#include "bench/base/text.h"
#include "bench/captures/lspci_names.h"
#include "bench/inventory/config_space.h"
#include "bench/inventory/pci_class.h"

namespace linkburn::lspci {
namespace {

constexpr std::size_t kMaxNameBytes = 64;
constexpr std::string_view kNotPrinted = "not in this output of lspci";

bool has_part(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// What follows `key` at the start of a line, trimmed.
std::optional<std::string_view> value_of(std::string_view line, std::string_view key) {
  if (!line.starts_with(key)) return std::nullopt;
  return trim(line.substr(key.size()));
}

std::optional<int> small_number(std::string_view text, int base = 10) {
  const auto number = parse_int(text, base);
  if (!number || *number < 0 || *number > 65535) return std::nullopt;
  return static_cast<int>(*number);
}

std::string name_in(std::string_view text) { return printable(text, kMaxNameBytes); }

}  // namespace

std::optional<PciAddress> parse_record_start(std::string_view line) {
  line = trim(line);
  for (const std::string_view key : {"Slot:", "Device:"})
    if (const auto value = value_of(line, key)) return parse_pci_address(*value);
  return std::nullopt;
}

Device Device::of_record(const PciAddress& address) {
  Device device(address);
  device.is_record_ = true;
  return device;
}

HexDump& Device::bytes() {
  if (!bytes_) bytes_ = std::make_unique<HexDump>();
  return *bytes_;
}

bool Device::take_field(std::string_view line) {
  line = trim(line);
  if (take_state(line)) {
    has_more_ = true;
    return true;
  }
  if (const auto value = value_of(line, "Subsystem:")) {
    std::string name;
    read_device_name(*value, header_.subsystem_vendor_id, header_.subsystem_device_id, name);
  } else if (const auto driver = value_of(line, "Kernel driver in use:")) {
    driver_ = name_in(*driver);
    is_complete_ = true;
  } else if (value_of(line, "Kernel modules:")) {
    is_complete_ = true;
  } else if (const auto slot = value_of(line, "Physical Slot:")) {
    slot_ = name_in(*slot);
  } else if (const auto label = value_of(line, "DeviceName:")) {
    label_ = name_in(*label);
  } else if (const auto node = value_of(line, "NUMA node:")) {
    numa_node_ = small_number(*node);
  } else if (const auto bus = value_of(line, "Bus: primary=")) {
    const std::size_t at = bus->find("secondary=");
    if (at != std::string_view::npos) secondary_bus_ = small_number(bus->substr(at + 10, 2), 16);
  } else {
    return false;
  }
  has_more_ = true;
  return true;
}

/// Why there may be no capabilities.
bool Device::take_state(std::string_view line) {
  if (line.starts_with("!!! Unknown header type 7f")) {
    is_unreadable_ = true;
  } else if (line.starts_with("Capabilities: <access denied>")) {
    is_denied_ = true;
  } else if (line.starts_with("Status: Cap-")) {
    has_no_list_ = true;
  } else {
    return false;
  }
  return true;
}

bool Device::take_record_line(std::string_view line) {
  if (!is_record_) return false;
  line = trim(line);
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return false;
  const std::string_view key = line.substr(0, colon);
  const std::string_view value = trim(line.substr(colon + 1));
  std::string vendor, device, name;
  read_device_name(value, vendor, device, name);
  // Of a vendor or a device alone the number stands in brackets, or is all there is.
  std::string& id = device.empty() ? vendor : device;
  if (name.size() == 4 && id.empty() && parse_int(name, 16)) id = "0x" + std::exchange(name, {});
  if (key == "Class") {
    header_.class_code = read_class(value).value_or("");
  } else if (key == "Vendor") {
    header_.vendor_id = id;
    header_.name = name;
  } else if (key == "Device") {
    header_.device_id = device.empty() ? id : device;
    if (!name.empty()) header_.name += (header_.name.empty() ? "" : " ") + name;
  } else if (key == "SVendor") {
    header_.subsystem_vendor_id = id;
  } else if (key == "SDevice") {
    header_.subsystem_device_id = id;
  } else if (key == "PhySlot") {
    slot_ = name_in(value);
  } else if (key == "Rev") {
    header_.all_ones = value == "ff";
  } else if (key == "ProgIf") {
    if (value.size() == 2 && !header_.class_code.empty()) header_.class_code.replace(6, 2, value);
  } else if (key == "Driver") {
    driver_ = name_in(value);
  } else if (key == "NUMANode") {
    numa_node_ = small_number(value);
  } else {
    return key == "Module" || key == "IOMMUGroup" || key == "DTNode";
  }
  return true;
}

/// The function by all that stands outside its capabilities.
PciFunction Device::described() const {
  PciFunction function;
  if (header_.address) function.address = *header_.address;
  function.class_code = header_.class_code;
  function.vendor_id = header_.vendor_id;
  function.device_id = header_.device_id;
  function.subsystem_vendor_id = header_.subsystem_vendor_id;
  function.subsystem_device_id = header_.subsystem_device_id;
  function.name = header_.name;
  function.type = type_of_class(function.class_code, function.vendor_id);
  function.driver = driver_;
  function.label = label_;
  function.numa_node = numa_node_;
  function.secondary_bus = secondary_bus_;
  function.parent = header_.parent;
  function.virtual_function = has_part(function.name, "Virtual Function");
  function.thunderbolt = has_part(function.name, "Thunderbolt");
  function.link_end.source = kFromLspci;
  function.link_end.registers_absent = is_denied_     ? kNeedsRoot
                                       : has_no_list_ ? kNotPcie
                                                      : kNotPrinted;
  return function;
}

void Device::finish(NodeDraft& node) const {
  const bool has_address = header_.address.has_value();
  PciFunction function = described();
  if (bytes_) {
    PciFunction decoded = function;
    const bool says = bytes_->fill(decoded);
    const bool is_certain = has_address || decoded.link_end.registers;
    if (says && is_certain) node.add(node.functions, FunctionView{decoded, has_address});
    // Without an address nothing would tell that text and bytes are of the same function.
    if (says && is_certain && !has_address) return;
  }
  if (!has_address && !text_.tells()) return;
  text_.fill(function);
  const bool is_gone = header_.all_ones && text_.empty();
  if (is_gone || is_unreadable_) function.link_end.all_ones = true;
  node.add(node.functions, FunctionView{function, has_address});
  if (!has_address) return;
  if (header_.parent) node.parents.emplace(*header_.address, *header_.parent);
  if (!slot_.empty())
    node.add(node.slots,
             NamedSlot{*header_.address, false, {slot_, std::string(kSlotFromKernel)}, {}});
}

}  // namespace linkburn::lspci
