// The link between each device and the port above it, and the ports that have none.
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

/// A device on a root bus that has a link all the same: its port is hidden, as in a virtual machine
/// that a device was passed through to. Endpoints integrated into the root complex have no width.
bool is_link_without_port(const PciFunction& device) {
  if (device.parent || ends_link(device) || is_part_of_root(device)) return false;
  const auto& width = device.link_end.max_width;
  return device.link_end.all_ones || (width && width->lanes >= 1 && width->lanes <= 32);
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
  return link;
}

std::string yes_or_no(bool value) { return value ? "yes" : "no"; }

}  // namespace

std::vector<Link> make_links(const Inventory& inventory) {
  std::vector<Link> links;
  std::map<PciAddress, std::size_t> link_below;  // port -> index of its link
  for (const PciFunction& device : inventory.functions) {
    if (device.virtual_function || is_part_of_root(device)) continue;
    if (is_link_without_port(device)) links.push_back(make_link(inventory, device, nullptr));
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
  for (PciFunction& port : functions) {
    if (!ends_link(port)) continue;
    if (with_device.contains(port.address)) {
      port.facts.erase("empty");  // one function of several cannot be read
      continue;
    }
    port.facts.try_emplace("empty", "yes");
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
