#include "bench/inventory/inventory.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "bench/inventory/sources.h"

namespace linkburn {
namespace {

Component component_of(const Inventory& inventory, const PciFunction& function) {
  Component component;
  component.component = ComponentId::pci(function.address);
  component.type = function.type;
  component.name = function.name;
  component.vendor_id = function.vendor_id;
  component.device_id = function.device_id;
  component.class_code = function.class_code;
  component.subsystem_vendor_id = function.subsystem_vendor_id;
  component.subsystem_device_id = function.subsystem_device_id;
  component.driver = function.driver;
  if (function.port_type != PortType::none) component.port_type = to_string(function.port_type);
  if (function.physical_function)
    component.physical_function = ComponentId::pci(*function.physical_function);
  component.facts = function.facts;
  component.numa_node = function.numa_node;
  component.local_cpus = function.local_cpus;
  component.path = inventory.path_of(function);
  component.slot = inventory.slot_of(function.address);
  return component;
}

Component component_of(const NumaNode& node) {
  Component component;
  component.component = ComponentId::numa(node.number);
  component.type = "numa";
  component.numa_node = node.number;
  component.facts["cpus"] = std::to_string(node.cpus.size());
  if (node.memory_bytes) component.facts["memory_bytes"] = std::to_string(*node.memory_bytes);
  return component;
}

bool has_infiniband(const Inventory& inventory) {
  return std::any_of(inventory.functions.begin(), inventory.functions.end(),
                     [](const PciFunction& function) { return function.type == "infiniband"; });
}

}  // namespace

const PciFunction* Inventory::function(const PciAddress& address) const {
  const auto found = std::lower_bound(
      functions.begin(), functions.end(), address,
      [](const PciFunction& f, const PciAddress& wanted) { return f.address < wanted; });
  return found != functions.end() && found->address == address ? &*found : nullptr;
}

std::vector<ComponentId> Inventory::path_of(const PciFunction& function) const {
  std::vector<ComponentId> path;
  const PciFunction* at = &function;
  // A parent always lies higher in the tree, so the walk ends; the bound is for corrupt captures.
  while (at != nullptr && path.size() < 64) {
    path.push_back(ComponentId::pci(at->address));
    at = at->parent ? this->function(*at->parent) : nullptr;
  }
  return path;
}

namespace {

/// "sys/class/infiniband/mlx5_0" of any of its files.
std::string device_part(const std::string& path) {
  std::size_t end = 0;
  for (int names = 0; names < 4 && end != std::string::npos; ++names)
    end = path.find('/', end == 0 ? 0 : end + 1);
  return path.substr(0, end);
}

/// The same files; what hangs or fails is an error of the inventory, once for each device. Other
/// reasons are usual: a file that is not there, or not while the device is down.
DriverFiles noting_errors(const DriverFiles& files, std::vector<ToolError>& errors) {
  const auto read = [&files, &errors, told = std::set<std::pair<std::string, std::string>>()](
                        const std::string& path) mutable {
    auto text = files(path);
    if (text) return text;
    const Error& error = text.error();
    const bool unusual =
        error.code == Code::io || error.code == Code::timeout || error.code == Code::peer;
    if (unusual && told.emplace(error.what, device_part(path)).second)
      errors.push_back({std::string(to_string(error.code)),
                        error.what,
                        "/" + path,
                        error.fix,
                        std::nullopt,
                        {}});
    return text;
  };
  return {read, [&files](const std::vector<std::string>& paths) { files.expect(paths); }};
}

}  // namespace

Inventory discover(const Sysroot& root, const DriverFiles& files) {
  Inventory inventory;
  const DriverFiles driver_files = noting_errors(files, inventory.errors);
  inventory.facts = read_node_facts(root);
  inventory.numa_nodes = read_numa_nodes(root);
  inventory.functions = read_pci_functions(root, inventory.errors);
  inventory.parts.push_back(name_functions(inventory.functions));
  mark_empty_ports(inventory.functions);
  read_slots(root, inventory);
  inventory.links = make_links(inventory);
  read_cooling(root, inventory.links);
  if (auto policy = read_aspm_policy(root)) inventory.parts.push_back(std::move(*policy));
  if (has_infiniband(inventory))
    if (auto part = uncaptured_rdma(root)) inventory.parts.push_back(std::move(*part));
  inventory.ports = read_ports(root, driver_files, inventory.counters);
  inventory.interfaces = read_interfaces(root, driver_files, inventory.ports, inventory.counters);
  // A sensor that cannot be read says so in its own reading, and nothing else depends on it.
  read_temperatures(root, files, inventory);
  add_topology_facts(inventory);
  if (inventory.functions.empty() && !root.exists("sys/bus/pci/devices"))
    inventory.parts.push_back({"pci_bus",
                               "absent",
                               "/sys/bus/pci/devices",
                               {},
                               "no PCI bus is shown here",
                               "in a container, mount /sys read-only; in a capture, include "
                               "sys/bus/pci and sys/devices"});
  if (inventory.facts.uptime_s)
    inventory.parts.push_back({"uptime",
                               "found",
                               "/proc/uptime",
                               fmt::format("{:.0f}", *inventory.facts.uptime_s),
                               {},
                               {}});
  return inventory;
}

std::vector<Body> to_records(const Inventory& inventory) {
  std::vector<Body> records;
  for (const Part& part : inventory.parts) records.emplace_back(part);
  for (const NumaNode& node : inventory.numa_nodes) records.emplace_back(component_of(node));
  for (const PciFunction& function : inventory.functions)
    records.emplace_back(component_of(inventory, function));
  for (const Link& link : inventory.links) records.emplace_back(link);
  for (const Port& port : inventory.ports) records.emplace_back(port);
  for (const Interface& interface : inventory.interfaces) records.emplace_back(interface);
  for (const Reading& reading : inventory.readings) records.emplace_back(reading);
  for (const Counter& counter : inventory.counters) records.emplace_back(counter);
  for (const ToolError& error : inventory.errors) records.emplace_back(error);
  return records;
}

}  // namespace linkburn
