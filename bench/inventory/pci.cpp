// The PCI tree from sysfs: functions, ports, and the link between each device and the port above
// it.
#include <algorithm>
#include <map>

#include "bench/base/text.h"
#include "bench/inventory/sources.h"

namespace linkburn {
namespace {

/// Class codes [PCI Code and ID Assignment Specification 1.15; 0x0c06 is what InfiniBand adapters
/// used before 0x0207 existed].
std::string type_of_class(std::string_view class_code, std::string_view vendor_id) {
  const auto code = parse_int(class_code, 16).value_or(0) >> 8;
  switch (code) {
    case 0x0108:
      return "nvme";
    case 0x0200:
      return "nic";
    case 0x0207:
    case 0x0c06:
      return "infiniband";
    case 0x0302:
      return "gpu";
    case 0x0300:
    case 0x0380:
      // A display function of these vendors is a GPU; others are the board's own video output.
      return vendor_id == "0x10de" || vendor_id == "0x1002" || vendor_id == "0x8086" ? "gpu"
                                                                                     : "other";
    case 0x0b40:
    case 0x1200:
      return "accelerator";
    case 0x0604:
      return "bridge";
    default:
      return "other";
  }
}

/// A width file: the lane count as the kernel prints it, odd values included.
std::optional<LinkWidth> parse_link_width(const Result<std::string>& text) {
  const auto lanes = text ? parse_int(*text) : std::nullopt;
  if (!lanes || *lanes < 0 || *lanes > 255) return std::nullopt;
  return LinkWidth{static_cast<int>(*lanes)};
}

std::optional<LinkSpeed> parse_speed_file(const Result<std::string>& text) {
  return text ? parse_link_speed(*text) : std::nullopt;
}

PciFunction read_function(const Sysroot& root, const std::string& folder, PciAddress address) {
  PciFunction function;
  function.address = address;
  function.folder = folder;
  const auto below = root.below(folder);
  if (!below) return function;
  function.class_code = printable(below->read_line("class").value_or(""), 16);
  function.vendor_id = printable(below->read_line("vendor").value_or(""), 16);
  function.device_id = printable(below->read_line("device").value_or(""), 16);
  function.type = type_of_class(function.class_code, function.vendor_id);
  const auto numa_node = parse_int(below->read_line("numa_node").value_or(""));
  if (numa_node && *numa_node >= 0 && *numa_node < 65536)
    function.numa_node = static_cast<int>(*numa_node);
  function.local_cpus = printable(below->read_line("local_cpulist").value_or(""));
  function.virtual_function = below->exists("physfn");
  function.link_end = read_link_end(*below);
  // The id files are copies made at enumeration; `config` would show the live 0xffff.
  if (function.vendor_id == "0xffff") function.link_end.all_ones = true;
  return function;
}

bool is_bridge(const PciFunction& function) { return function.class_code.starts_with("0x0604"); }

/// A port's type follows from where it hangs: on a root bus, below a port that ends a link, or
/// below the upstream port of a switch.
PortType port_type_below(const PciFunction* parent, const PciFunction& function) {
  if (!is_bridge(function)) return PortType::none;
  if (parent == nullptr) return PortType::root_port;
  if (parent->port_type == PortType::switch_upstream) return PortType::switch_downstream;
  return PortType::switch_upstream;
}

/// A device on a root bus that has a link all the same: its port is hidden, as in a virtual machine
/// that a device was passed through to. Endpoints integrated into the root complex have no width.
bool is_link_without_port(const PciFunction& device) {
  if (device.port_type != PortType::none) return false;
  const auto& width = device.link_end.max_width;
  return device.link_end.all_ones || (width && width->lanes >= 1 && width->lanes <= 32);
}

/// Adds the function at the end of `folder` and every port above it.
void add_with_ports(const Sysroot& root, const std::string& folder,
                    std::map<PciAddress, PciFunction>& found) {
  const PciFunction* parent = nullptr;
  std::size_t at = 0;
  while (at < folder.size()) {
    const std::size_t end = std::min(folder.find('/', at), folder.size());
    const std::string part = folder.substr(at, end - at);
    const auto address = parse_pci_address(part);
    at = end + 1;
    if (!address) {
      // A root bus below a device, as VMD makes one: its ports are root ports.
      if (part.starts_with("pci")) parent = nullptr;
      continue;
    }
    auto [entry, is_new] = found.try_emplace(*address);
    if (is_new) {
      entry->second = read_function(root, folder.substr(0, end), *address);
      if (parent != nullptr) entry->second.parent = parent->address;
      entry->second.port_type = port_type_below(parent, entry->second);
    }
    parent = &entry->second;
  }
}

}  // namespace

std::string_view to_string(PortType type) {
  switch (type) {
    case PortType::root_port:
      return "root_port";
    case PortType::switch_downstream:
      return "switch_downstream";
    case PortType::switch_upstream:
      return "switch_upstream";
    case PortType::none:
      break;
  }
  return "none";
}

LinkEnd read_link_end(const Sysroot& folder) {
  LinkEnd end;
  end.runtime_status = printable(folder.read_line("power/runtime_status").value_or(""), 32);
  if (end.runtime_status == "suspended") {
    end.files = folder.exists("current_link_width");
    return end;
  }
  const auto speed = folder.read_line("current_link_speed");
  const auto width = folder.read_line("current_link_width");
  const auto max_speed = folder.read_line("max_link_speed");
  const auto max_width = folder.read_line("max_link_width");
  const auto there = [](const Result<std::string>& text) {
    return text.has_value() || text.error().code != Code::not_found;
  };
  end.files = there(speed) || there(width) || there(max_speed) || there(max_width);
  end.speed = parse_speed_file(speed);
  end.width = parse_link_width(width);
  end.max_speed = parse_speed_file(max_speed);
  end.max_width = parse_link_width(max_width);
  // Width 63 is the six bits of a register read as all ones [linux drivers/pci/pci-sysfs.c].
  end.all_ones = end.width && end.width->lanes == 63 && !end.speed;
  // The registers of a device that was disconnected cannot be read any more, while the abilities
  // that were kept at enumeration still can [linux drivers/pci/access.c, pci_dev_is_disconnected].
  const auto refused = [](const Result<std::string>& text) {
    return !text && text.error().code != Code::not_found && text.error().code != Code::permission;
  };
  if (refused(speed) && refused(width) && end.max_width) end.all_ones = true;
  return end;
}

std::vector<PciFunction> read_pci_functions(const Sysroot& root, std::vector<ToolError>& errors) {
  std::map<PciAddress, PciFunction> found;
  for (const std::string& name : root.list("sys/bus/pci/devices").value_or({})) {
    const auto address = parse_pci_address(name);
    if (!address) continue;
    const auto folder = root.resolve("sys/bus/pci/devices/" + name);
    if (folder) {
      add_with_ports(root, *folder, found);
      continue;
    }
    errors.push_back({std::string(to_string(folder.error().code)),
                      folder.error().what,
                      folder.error().source,
                      "a capture needs all of sys/devices",
                      ComponentId::pci(*address),
                      {}});
  }
  std::vector<PciFunction> functions;
  for (auto& [address, function] : found) functions.push_back(std::move(function));
  return functions;
}

std::vector<Link> make_links(const Inventory& inventory) {
  std::vector<Link> links;
  std::map<PciAddress, std::size_t> link_below;  // port -> index of its link
  for (const PciFunction& device : inventory.functions) {
    const PciFunction* port = device.parent ? inventory.function(*device.parent) : nullptr;
    const bool ends_link = port != nullptr && (port->port_type == PortType::root_port ||
                                               port->port_type == PortType::switch_downstream);
    if (device.virtual_function) continue;
    if (port == nullptr && is_link_without_port(device)) {
      Link link;
      link.component = ComponentId::pci(device.address);
      link.port_type = to_string(PortType::none);
      link.device_end = device.link_end;
      link.slot = inventory.slot_of(device.address);
      links.push_back(std::move(link));
    }
    if (!ends_link) continue;
    const auto [entry, is_new] = link_below.try_emplace(port->address, links.size());
    // Functions come in order of address, so the first one names the link; a later function speaks
    // for it only when the first has no link files.
    if (!is_new) {
      Link& link = links[entry->second];
      if (!link.device_end.files || device.link_end.all_ones) link.device_end = device.link_end;
      continue;
    }
    Link link;
    link.component = ComponentId::pci(device.address);
    link.peer = ComponentId::pci(port->address);
    link.port_type = to_string(port->port_type);
    link.device_end = device.link_end;
    link.peer_end = port->link_end;
    link.slot = inventory.slot_of(device.address);
    links.push_back(std::move(link));
  }
  return links;
}

void read_slots(const Sysroot& root, Inventory& inventory) {
  for (const std::string& name : root.list("sys/bus/pci/slots").value_or({})) {
    const auto address = root.read_line("sys/bus/pci/slots/" + name + "/address");
    if (!address) continue;
    inventory.slots.push_back({printable(name, 64), "kernel"});
    inventory.slot_addresses.push_back(*address);
  }
}

}  // namespace linkburn
