// The PCI tree from sysfs: functions and ports.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "bench/base/text.h"
#include "bench/inventory/link_kind.h"
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

std::string id_text(const std::optional<int>& id) { return fmt::format("0x{:04x}", *id); }

void read_identity(const Sysroot& folder, PciFunction& function) {
  function.class_code = printable(folder.read_line("class").value_or(""), 16);
  function.vendor_id = printable(folder.read_line("vendor").value_or(""), 16);
  function.device_id = printable(folder.read_line("device").value_or(""), 16);
  function.type = type_of_class(function.class_code, function.vendor_id);
  const auto numa_node = parse_int(folder.read_line("numa_node").value_or(""));
  if (numa_node && *numa_node >= 0 && *numa_node < 65536)
    function.numa_node = static_cast<int>(*numa_node);
  function.local_cpus = printable(folder.read_line("local_cpulist").value_or(""));
}

/// What only functions that do something have.
void read_use(const Sysroot& folder, const ConfigSpace& config, PciFunction& function) {
  const auto line = [&](const char* name) {
    return printable(folder.read_line(name).value_or(""), 64);
  };
  const bool has_ids = config.subsystem_vendor_id && config.subsystem_device_id;
  function.subsystem_vendor_id =
      has_ids ? id_text(config.subsystem_vendor_id) : line("subsystem_vendor");
  function.subsystem_device_id =
      has_ids ? id_text(config.subsystem_device_id) : line("subsystem_device");
  function.driver = printable(folder.link_name("driver").value_or(""), 64);
  function.label = line("label");
}

/// The link of a function and what its registers say. A virtual function has none of its own: its
/// registers read as zeros.
ConfigSpace read_link(const Sysroot& folder, bool on_root_bus, PciFunction& function) {
  const std::string status = printable(folder.read_line("power/runtime_status").value_or(""), 32);
  if (status == "suspended") {
    function.link_end = sleeping_end(folder, status);
    return {};
  }
  // The many small parts of a root complex have no link: their registers are left alone.
  const bool is_part = on_root_bus && function.type == "other";
  const ConfigSpace config = is_part ? ConfigSpace{} : read_config_space(folder);
  function.link_end = read_link_end(folder, config, status);
  function.secondary_bus = config.secondary_bus;
  function.thunderbolt = config.thunderbolt;
  if (reads_as_tunnel(function.link_end))
    if (const auto removable = folder.read_line("removable"))
      function.facts["removable"] = printable(*removable, 16);
  return config;
}

/// Nothing when the function is gone by now.
std::optional<PciFunction> read_function(const Sysroot& root, const std::string& folder,
                                         PciAddress address, bool on_root_bus) {
  const auto below = root.below(folder);
  if (!below) return std::nullopt;
  PciFunction function;
  function.address = address;
  function.folder = folder;
  read_identity(*below, function);
  const bool is_bridge = function.type == "bridge";
  if (!is_bridge)
    if (const auto physical = below->link_name("physfn")) {
      function.virtual_function = true;
      function.physical_function = parse_pci_address(*physical);
    }
  ConfigSpace config;
  if (!function.virtual_function) config = read_link(*below, on_root_bus, function);
  if (!is_bridge) read_use(*below, config, function);
  // The id files are copies made at enumeration; `config` shows the live 0xffff.
  if (function.vendor_id == "0xffff") function.link_end.all_ones = true;
  return function;
}

/// Without registers a port's type follows from where it hangs: on a root bus, below a port that
/// ends a link, or below the upstream port of a switch.
PortType port_type_by_place(const PciFunction* parent) {
  if (parent == nullptr) return PortType::root_port;
  if (parent->port_type == PortType::switch_upstream) return PortType::switch_downstream;
  return PortType::switch_upstream;
}

/// Some switches call their ports by the wrong name: what a port hangs on decides then
/// [linux drivers/pci/probe.c, set_pcie_port_type].
PortType port_type_of(const PciFunction* parent, const PciFunction& function) {
  if (function.type != "bridge") return PortType::none;
  const LinkEnd& end = function.link_end;
  if (!end.registers)
    return end.registers_absent == kNotPcie ? PortType::none : port_type_by_place(parent);
  const std::string& type = end.registers->port_type;
  if (type == "root_port") return PortType::root_port;
  if (type == "switch_upstream" || type == "switch_downstream")
    return parent == nullptr && type == "switch_upstream" ? PortType::switch_upstream
                                                          : port_type_by_place(parent);
  // From conventional PCI back to PCI Express: a link below, and none above.
  return type == "pci_to_pcie_bridge" ? PortType::switch_downstream : PortType::none;
}

/// All functions of the tree, each read once.
class Tree {
 public:
  Tree(const Sysroot& root, std::vector<ToolError>& errors) : root_(root), errors_(errors) {}

  /// Adds the function at the end of `folder` and every port above it.
  void add_with_ports(const std::string& folder) {
    const PciFunction* parent = nullptr;
    std::size_t at = 0;
    while (at < folder.size()) {
      const std::size_t end = std::min(folder.find('/', at), folder.size());
      const std::string part = folder.substr(at, end - at);
      const auto address = parse_pci_address(part);
      at = end + 1;
      if (address) parent = add(folder.substr(0, end), *address, parent);
      // A root bus below a device, as VMD makes one: its ports are root ports.
      if (!address && part.starts_with("pci")) parent = nullptr;
    }
  }

  void add_error(PciAddress address, const Error& error, std::string fix) {
    errors_.push_back({std::string(to_string(error.code)),
                       error.what,
                       error.source,
                       std::move(fix),
                       ComponentId::pci(address),
                       {}});
  }

  std::vector<PciFunction> take() {
    std::vector<PciFunction> functions;
    for (auto& [address, function] : found_) functions.push_back(std::move(function));
    return functions;
  }

 private:
  const PciFunction* add(const std::string& folder, PciAddress address, const PciFunction* parent) {
    const auto known = found_.find(address);
    if (known != found_.end()) return &known->second;
    auto function = read_function(root_, folder, address, parent == nullptr);
    if (!function) {
      add_error(address, {Code::not_found, "vanished while the bus was read", "/" + folder, {}},
                "look again; the kernel log says why it went");
      function.emplace();
      function->address = address;
      function->folder = folder;
    }
    if (parent != nullptr) function->parent = parent->address;
    function->port_type = port_type_of(parent, *function);
    return &found_.emplace(address, std::move(*function)).first->second;
  }

  const Sysroot& root_;
  std::vector<ToolError>& errors_;
  std::map<PciAddress, PciFunction> found_;
};

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

std::vector<PciFunction> read_pci_functions(const Sysroot& root, std::vector<ToolError>& errors) {
  Tree tree(root, errors);
  for (const std::string& name : root.list("sys/bus/pci/devices").value_or({})) {
    const auto address = parse_pci_address(name);
    if (!address) continue;
    const auto folder = root.resolve("sys/bus/pci/devices/" + name);
    if (folder)
      tree.add_with_ports(*folder);
    else
      tree.add_error(*address, folder.error(), "a capture needs all of sys/devices");
  }
  return tree.take();
}

}  // namespace linkburn
