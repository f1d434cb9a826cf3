// The link between each device and the port above it, and the ports that have none.
#include <algorithm>
#include <map>
#include <set>

#include "bench/inventory/link_kind.h"
#include "bench/inventory/sources.h"

namespace linkburn {

bool ends_link(const PciFunction& port) {
  return port.port_type == PortType::root_port || port.port_type == PortType::switch_downstream;
}

namespace {

bool is_part_of_root(const PciFunction& device) {
  return device.link_end.registers && is_integrated(*device.link_end.registers);
}

/// Other functions on the bus of a device whose place is not known.
struct Neighbours {
  bool earlier_function = false;  ///< of the same device: that one speaks for the link
  bool other_device = false;      ///< the bus is one of ports, as no link has two devices below
};

Neighbours neighbours_of(const Inventory& inventory, const PciFunction& device) {
  const PciAddress& here = device.address;
  Neighbours found;
  auto at = std::lower_bound(
      inventory.functions.begin(), inventory.functions.end(), PciAddress{here.domain, here.bus},
      [](const PciFunction& f, const PciAddress& wanted) { return f.address < wanted; });
  for (; at != inventory.functions.end() && at->address.domain == here.domain &&
         at->address.bus == here.bus;
       ++at) {
    const auto& width = at->link_end.max_width;
    if (at->address.device == here.device)
      found.earlier_function = found.earlier_function || at->address < here;
    else
      found.other_device = found.other_device || (width && width->lanes > 0);
  }
  return found;
}

/// Whether a function may be the lower end of a link whose upper end is not shown. Below a link
/// there is device 0 alone [PCI Express Base Specification 6.0, section 7.3.1]; a port has its link
/// below or above, and without class, registers or place nobody knows what is one.
bool may_be_lower_end(const Inventory& inventory, const PciFunction& device) {
  const bool has_class = !device.class_code.empty();
  if (device.place_known) return has_class || device.address.bus != 0;
  if (device.type == "bridge") return device.port_type == PortType::switch_upstream;
  if (device.address.device != 0) return false;
  const Neighbours others = neighbours_of(inventory, device);
  return !others.earlier_function && (has_class || !others.other_device);
}

/// A device on a root bus that has a link all the same: its port is hidden, as in a virtual machine
/// that a device was passed through to. Endpoints integrated into the root complex have no width.
bool is_link_without_port(const Inventory& inventory, const PciFunction& device) {
  if (device.parent || ends_link(device) || is_part_of_root(device)) return false;
  if (!may_be_lower_end(inventory, device)) return false;
  const auto& width = device.link_end.max_width;
  return device.link_end.all_ones || (width && width->lanes >= 1 && width->lanes <= 32);
}

/// In a capture of some files: of the port above there is nothing, or no more than its folder.
bool is_end_missing(const PciFunction& device, const PciFunction* port) {
  if (port == nullptr) return !device.place_known;
  return port->class_code.empty() && !port->link_end.files && !port->link_end.all_ones &&
         port->link_end.runtime_status.empty();
}

Link make_link(const Inventory& inventory, const PciFunction& device, const PciFunction* port) {
  Link link;
  link.component = ComponentId::pci(device.address);
  link.port_type = to_string(port != nullptr ? port->port_type : PortType::none);
  link.device_end = device.link_end;
  if (port != nullptr) {
    link.peer = ComponentId::pci(port->address);
    link.peer_end = port->link_end;
  }
  link.slot = inventory.slot_of(device.address);
  auto [kind, reason] = link_kind_of(device, port);
  link.kind = kind;
  link.kind_reason = std::move(reason);
  if (is_end_missing(device, port)) {
    link.kind = kLinkLoneEnd;
    link.kind_reason = "the capture does not show the port above it";
    link.peer = {};
  }
  return link;
}

std::string yes_or_no(bool value) { return value ? "yes" : "no"; }

}  // namespace

std::vector<Link> make_links(const Inventory& inventory) {
  std::vector<Link> links;
  std::map<PciAddress, std::size_t> link_below;  // port -> index of its link
  for (const PciFunction& device : inventory.functions) {
    if (device.virtual_function || is_part_of_root(device)) continue;
    if (is_link_without_port(inventory, device))
      links.push_back(make_link(inventory, device, nullptr));
    const PciFunction* port = device.parent ? inventory.function(*device.parent) : nullptr;
    if (port == nullptr || !ends_link(*port)) continue;
    const auto [entry, is_new] = link_below.try_emplace(port->address, links.size());
    if (is_new) {
      links.push_back(make_link(inventory, device, port));
      continue;
    }
    // Functions come in order of address, so the first one names the link; a later function speaks
    // for it only when the first has no link files.
    Link& link = links[entry->second];
    if (!link.device_end.files || device.link_end.all_ones) link.device_end = device.link_end;
  }
  return links;
}

void mark_empty_ports(std::vector<PciFunction>& functions) {
  std::set<PciAddress> with_device;
  for (const PciFunction& function : functions)
    if (function.parent) with_device.insert(*function.parent);
  const bool all_placed = std::all_of(functions.begin(), functions.end(),
                                      [](const PciFunction& each) { return each.place_known; });
  for (PciFunction& port : functions) {
    if (!ends_link(port)) continue;
    if (with_device.contains(port.address)) {
      port.facts.erase("empty");  // one function of several cannot be read
      continue;
    }
    port.facts.try_emplace("empty", all_placed ? "yes" : "unknown");
    const auto& registers = port.link_end.registers;
    if (!registers) continue;
    if (registers->card_present) port.facts["card_present"] = yes_or_no(*registers->card_present);
    if (registers->data_link_active)
      port.facts["data_link_active"] = yes_or_no(*registers->data_link_active);
    if (registers->link_disabled)
      port.facts["link_disabled"] = yes_or_no(*registers->link_disabled);
  }
}

}  // namespace linkburn
