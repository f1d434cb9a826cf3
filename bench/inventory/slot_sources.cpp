// What firmware, kernel and ports call the slots of this node.
#include <algorithm>

#include "bench/base/text.h"
#include "bench/inventory/smbios.h"
#include "bench/inventory/sources.h"

namespace linkburn {
namespace {

constexpr const char* kTable = "sys/firmware/dmi/tables/DMI";
constexpr std::size_t kMaxTableBytes = 1UL << 20;  // tables of big servers have some 20 KB

SlotPlace place_of(const PciFunction& function) {
  return {function.address,
          function.port_type == PortType::root_port ||
              function.port_type == PortType::switch_downstream,
          function.secondary_bus};
}

/// How the firmware saw a slot at boot, into the facts of the port that has it.
void note_usage(const NamedSlot& name, const std::string& usage,
                std::vector<PciFunction>& functions) {
  for (PciFunction& function : functions) {
    const SlotPlace place = place_of(function);
    if (place.is_port && is_about(name, place)) function.facts["slot_usage"] = usage;
  }
}

/// Firmware that has not filled its table in gives many slots the same address, or that of the host
/// bridge: none of them is believed.
bool is_filled_in(const std::vector<SmbiosSlot>& slots, const PciAddress& address) {
  const auto has_it = [&](const SmbiosSlot& slot) {
    return std::find(slot.addresses.begin(), slot.addresses.end(), address) != slot.addresses.end();
  };
  return address != PciAddress{} && std::count_if(slots.begin(), slots.end(), has_it) == 1;
}

void take_table(const SmbiosTable& table, Inventory& inventory) {
  for (const SmbiosSlot& slot : table.slots)
    for (const PciAddress& address : slot.addresses) {
      if (!is_filled_in(table.slots, address)) continue;
      const NamedSlot name{
          address, false, {slot.designation, std::string(kSlotFromSmbios)}, slot.id};
      if (!slot.usage.empty()) note_usage(name, slot.usage, inventory.functions);
      if (!slot.designation.empty()) inventory.slots.push_back(name);
    }
  for (const SmbiosOnboard& device : table.onboard)
    if (!device.designation.empty())
      inventory.slots.push_back(
          {device.address, true, {device.designation, std::string(kSlotFromSmbios)}, {}});
}

/// Only root may read the table. The kernel shows its names of onboard devices to everybody.
void read_smbios(const Sysroot& root, Inventory& inventory) {
  const auto bytes = root.read(kTable, kMaxTableBytes);
  if (!bytes && bytes.error().code == Code::not_found) return;
  Part part{"smbios", "found", std::string("/") + kTable, {}, {}, {}};
  if (bytes) {
    const SmbiosTable table = parse_smbios(*bytes);
    if (!table.whole) part.why = "cut: slots behind the cut are not named";
    take_table(table, inventory);
  } else {
    part.status = "unusable";
    part.why = bytes.error().what;
    part.fix = "run as root: firmware names the slots";
  }
  inventory.parts.push_back(std::move(part));
}

void read_kernel_slots(const Sysroot& root, std::vector<NamedSlot>& slots) {
  const auto folder = root.below("sys/bus/pci/slots");
  if (!folder) return;
  for (const std::string& name : folder->list(".").value_or({})) {
    const auto text = folder->read_line(name + "/address");
    const auto address = text ? parse_pci_address(*text + ".0") : std::nullopt;
    if (address)
      slots.push_back({*address, false, {printable(name, 64), std::string(kSlotFromKernel)}, {}});
  }
}

/// From a function up to its root port, link by link.
std::vector<SlotHop> hops_of(const Inventory& inventory, const PciFunction& function) {
  std::vector<SlotHop> hops(1);
  const PciFunction* at = &function;
  // A parent always lies higher in the tree, so the walk ends; the bound is for corrupt captures.
  for (int depth = 0; at != nullptr && depth < 64; ++depth) {
    hops.back().push_back(place_of(*at));
    if (hops.back().back().is_port) hops.emplace_back();
    at = at->parent ? inventory.function(*at->parent) : nullptr;
  }
  return hops;
}

}  // namespace

void read_slots(const Sysroot& root, Inventory& inventory) {
  read_smbios(root, inventory);
  for (const PciFunction& function : inventory.functions)
    if (!function.label.empty())
      inventory.slots.push_back(
          {function.address, true, {function.label, std::string(kSlotFromSmbios)}, {}});
  read_kernel_slots(root, inventory.slots);
  for (const PciFunction& port : inventory.functions) {
    const auto& registers = port.link_end.registers;
    const int number = registers ? registers->slot_number.value_or(0) : 0;
    if (number > 0)
      inventory.slots.push_back(
          {port.address, true, {std::to_string(number), std::string(kSlotFromRegister)}, {}});
  }
}

std::optional<Slot> Inventory::slot_of(const PciAddress& address) const {
  if (slots.empty()) return std::nullopt;
  const PciFunction* known = this->function(address);
  return known != nullptr ? pick_slot(slots, hops_of(*this, *known)) : std::nullopt;
}

bool Inventory::add_slot_name(std::string_view where, const std::string& text) {
  const SlotName name{printable(text, 64), std::string(kSlotFromSite)};
  const std::string device(where);
  const auto address = parse_pci_address(device);
  const auto whole = address ? address : parse_pci_address(device + ".0");
  std::vector<NamedSlot> added;
  if (whole) added.push_back({*whole, address.has_value(), name, {}});
  for (const NamedSlot& slot : slots)
    if (!whole && slot.name.label == where) added.push_back({slot.address, slot.exact, name, {}});
  slots.insert(slots.end(), added.begin(), added.end());
  for (Link& link : links)
    if (const auto device_end = link.component.pci_address()) link.slot = slot_of(*device_end);
  return !added.empty();
}

}  // namespace linkburn
