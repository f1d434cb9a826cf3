// Functions that several texts tell of become one each, with the links between them.
#include "bench/captures/assemble_pci.h"

#include <algorithm>
#include <set>

#include "bench/captures/assemble.h"
#include "bench/inventory/link_kind.h"
#include "bench/inventory/sources.h"

namespace linkburn {
namespace {

using BusBelow = std::map<std::pair<std::uint32_t, int>, PciAddress>;

/// The port above each bus, as the bridges tell. A bus lies below its bridge, so that following
/// them up comes to an end.
BusBelow ports_by_bus(const std::vector<PciFunction>& functions) {
  BusBelow ports;
  for (const PciFunction& function : functions)
    if (function.secondary_bus && *function.secondary_bus > function.address.bus)
      ports.try_emplace({function.address.domain, *function.secondary_bus}, function.address);
  return ports;
}

/// Of a port of which nobody captured what it calls itself. A device that is no port hangs below
/// one that ends a link.
void name_port(PciFunction& port, const std::set<PciAddress>& with_device,
               const std::map<PciAddress, PciFunction*>& by_address) {
  const auto& registers = port.link_end.registers;
  if (port.port_type != PortType::none || !tells_something(port.link_end)) return;
  if (registers && !registers->port_type.empty()) return;
  const auto above = port.parent ? by_address.find(*port.parent) : by_address.end();
  if (above != by_address.end() && above->second->port_type != PortType::none)
    port.port_type = port_type_by_place(above->second);
  else if (port.address.bus == 0 || with_device.contains(port.address))
    port.port_type = port_type_by_place(nullptr);
}

void name_ports(std::vector<PciFunction>& functions) {
  std::map<PciAddress, PciFunction*> by_address;
  std::set<PciAddress> ports, with_device;
  for (PciFunction& function : functions) {
    by_address[function.address] = &function;
    if (function.parent) ports.insert(*function.parent);
  }
  for (const PciFunction& function : functions)
    if (function.parent && function.type != "bridge" && !ports.contains(function.address))
      with_device.insert(*function.parent);
  // Ports stand before what is below them, as buses are numbered from the root downwards.
  for (PciFunction& function : functions)
    if (ports.contains(function.address) ||
        (function.type == "bridge" && function.address.bus == 0))
      name_port(function, with_device, by_address);
}

/// A port whose link is up has a device below, whether or not anybody captured it; a log names the
/// ports that it has something to say of.
void spare_ports_in_use(std::vector<PciFunction>& functions) {
  for (PciFunction& port : functions) {
    const auto& registers = port.link_end.registers;
    const bool is_up = registers && registers->data_link_active.value_or(false);
    if (!is_wired(port) && ends_link(port) && (is_up || port.link_end.source == kFromKernelLog))
      port.facts.try_emplace("empty", "unknown");
  }
}

/// Of a port of which the upper end alone was captured there is no link to keep its ability with.
void note_abilities(Inventory& inventory) {
  std::set<ComponentId> told;
  for (const Link& link : inventory.links) told.insert({link.component, link.peer});
  for (PciFunction& port : inventory.functions) {
    const LinkEnd& end = port.link_end;
    if (is_wired(port) || !end.max_speed || !end.max_width) continue;
    const bool is_port = port.type == "bridge" || ends_link(port);
    if (!is_port || told.contains(ComponentId::pci(port.address))) continue;
    port.facts["max_link_speed"] = to_string(*end.max_speed);
    port.facts["max_link_width"] = to_string(*end.max_width);
  }
}

bool has_nameless(const std::vector<PciFunction>& functions) {
  return std::any_of(functions.begin(), functions.end(), [](const PciFunction& function) {
    return function.name.empty() && !function.device_id.empty();
  });
}

}  // namespace

bool is_wired(const PciFunction& function) { return function.folder.starts_with("sys/devices/"); }

void add_parents(const NodeDraft& draft, std::vector<PciFunction>& functions) {
  const BusBelow ports = ports_by_bus(functions);
  for (PciFunction& function : functions) {
    if (function.parent || is_wired(function)) continue;
    // Without the folders above it, its place in the tree says nothing.
    if (!function.link_end.registers && !function.folder.empty()) function.port_type = {};
    if (const auto told = draft.parents.find(function.address); told != draft.parents.end())
      function.parent = told->second;
    else if (const auto port = ports.find({function.address.domain, function.address.bus});
             port != ports.end())
      function.parent = port->second;
    if (function.parent == function.address) function.parent.reset();
  }
  name_ports(functions);
}

void assemble_pci(const NodeDraft& draft, Inventory& inventory) {
  FunctionViews views = views_of(draft);
  inventory.functions = merged(views);
  const std::vector<Gpu> gpus = assemble_gpus(draft, inventory);
  add_gpu_views(gpus, views);
  inventory.functions = merged(views);
  add_kernel_views(draft, inventory, views);
  inventory.functions = merged(views);
  add_parents(draft, inventory.functions);
  if (has_nameless(inventory.functions)) {
    Part names = name_functions(inventory.functions);
    if (draft.trees.empty()) inventory.parts.push_back(std::move(names));
  }
  for (PciFunction& function : inventory.functions)
    if (is_thunderbolt(function)) function.facts.try_emplace("thunderbolt", "yes");
  spare_ports_in_use(inventory.functions);
  mark_empty_ports(inventory.functions);
  add_links(draft, gpus, inventory);
  note_abilities(inventory);
  add_topology_facts(inventory);
}

}  // namespace linkburn
