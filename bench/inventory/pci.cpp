// The PCI tree from sysfs: functions and ports.
#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "bench/base/text.h"
#include "bench/inventory/link_kind.h"
#include "bench/inventory/pci_class.h"
#include "bench/inventory/sources.h"

namespace linkburn {
namespace {

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

/// The last name of what a link points to; empty when there is no link.
std::string linked_name(const Sysroot& folder, const std::string& link) {
  const std::string target = folder.link_target(link).value_or("");
  return target.substr(target.rfind('/') + 1);
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
  function.driver = printable(linked_name(folder, "driver"), 64);
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
  if (config.registers && is_integrated(*config.registers)) function.facts["integrated"] = "yes";
  if (reads_as_tunnel(function.link_end))
    if (const auto removable = folder.read_line("removable"))
      function.facts["removable"] = printable(*removable, 16);
  return config;
}

/// What is the root bus of its domain in any case has the number 0; all others depend on firmware.
bool on_bus_zero(const PciAddress& address) { return address.bus == 0; }

PciFunction read_function(const Sysroot& folder, PciAddress address, bool place_known,
                          const PciFunction* parent) {
  PciFunction function;
  function.address = address;
  function.place_known = place_known || on_bus_zero(address);
  if (parent != nullptr) function.parent = parent->address;
  const bool on_root_bus = function.place_known && parent == nullptr;
  read_identity(folder, function);
  const bool is_bridge = function.type == "bridge";
  if (!is_bridge) function.physical_function = parse_pci_address(linked_name(folder, "physfn"));
  function.virtual_function = function.physical_function.has_value();
  ConfigSpace config;
  if (!function.virtual_function) config = read_link(folder, on_root_bus, function);
  if (!is_bridge) read_use(folder, config, function);
  // The id files are copies made at enumeration; `config` shows the live 0xffff.
  if (function.vendor_id == "0xffff") function.link_end.all_ones = true;
  return function;
}

/// What the registers say, where no place contradicts them.
PortType named_type(const LinkRegisters& registers) {
  if (registers.port_type == "root_port") return PortType::root_port;
  if (registers.port_type == "switch_upstream") return PortType::switch_upstream;
  const bool ends_link =
      registers.port_type == "switch_downstream" || registers.port_type == "pci_to_pcie_bridge";
  return ends_link ? PortType::switch_downstream : PortType::none;
}

/// Some switches call their ports by the wrong name: what a port hangs on decides then
/// [linux drivers/pci/probe.c, set_pcie_port_type].
PortType port_type_of(const PciFunction* parent, const PciFunction& function) {
  if (function.type != "bridge") return PortType::none;
  const LinkEnd& end = function.link_end;
  if (!function.place_known) return end.registers ? named_type(*end.registers) : PortType::none;
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

constexpr std::size_t kMaxOpen = 96;  // folders; a process may have as few as 256 descriptors
constexpr std::string_view kDevicesFolder = "sys/devices/";

/// All functions of the tree, each read once. The folders of ports stay open while it is built, so
/// that those below them need not be walked to from the root.
class Tree {
 public:
  explicit Tree(const Sysroot& root) : root_(root), devices_(root.below(kDevicesFolder)) {}

  /// Adds the function at the end of `folder` and every port above it.
  Status add_with_ports(const std::string& folder) {
    PciFunction* parent = nullptr;
    bool below_root_bus = false;
    const bool is_usual = devices_ && folder.starts_with(kDevicesFolder);
    const Sysroot* above = is_usual ? &*devices_ : &root_;
    // Where in `folder` the path below `above` begins.
    std::size_t from = is_usual ? kDevicesFolder.size() : 0;
    for (std::size_t at = from; at < folder.size();) {
      const std::size_t end = std::min(folder.find('/', at), folder.size());
      const std::string part = folder.substr(at, end - at);
      const auto address = parse_pci_address(part);
      at = end + 1;
      // A root bus ("pci0000:16"), maybe below a device, as VMD makes one: its ports are root
      // ports.
      if (!address && part.starts_with("pci") && part.find(':') != part.npos) {
        parent = nullptr;
        below_root_bus = true;
      }
      if (!address) continue;
      if (parent != nullptr && parent->class_code.empty()) take_for_port(*parent);
      if (!found_.contains(*address)) {
        auto opened = above->below(folder.substr(from, end - from));
        if (!opened) {
          // What cannot be read may still be there: the port is not called empty.
          if (parent != nullptr) found_[parent->address].facts["empty"] = "unknown";
          return opened.error();
        }
        PciFunction& function = found_[*address];
        function = read_function(*opened, *address, below_root_bus || parent != nullptr, parent);
        function.folder = folder.substr(0, end);
        function.port_type = port_type_of(parent, function);
        if (function.type == "bridge" && opened_.size() < kMaxOpen)
          opened_.emplace(*address, std::move(*opened));
      }
      parent = &found_[*address];
      const auto kept = opened_.find(*address);
      if (kept == opened_.end()) continue;
      above = &kept->second;
      from = at;
    }
    return {};
  }

  /// A capture of the devices below may lack the files of a port: that something is below shows it.
  void take_for_port(PciFunction& port) {
    port.type = "bridge";
    const auto above = port.parent ? found_.find(*port.parent) : found_.end();
    port.port_type = port_type_of(above == found_.end() ? nullptr : &above->second, port);
  }

  std::vector<PciFunction> take() {
    std::vector<PciFunction> functions;
    for (auto& [address, function] : found_) functions.push_back(std::move(function));
    return functions;
  }

 private:
  const Sysroot& root_;
  Result<Sysroot> devices_;
  std::map<PciAddress, PciFunction> found_;
  std::map<PciAddress, Sysroot> opened_;
};

constexpr const char* kDevices = "sys/bus/pci/devices";

/// The canonical path of a device of the bus. Sysfs links them by relative paths; that way a path
/// need not be walked to know it.
Result<std::string> folder_of(const Sysroot& root, const Sysroot& devices,
                              const std::string& name) {
  constexpr std::string_view kUp = "../../../";  // from sys/bus/pci/devices to sys
  const auto target = devices.link_target(name);
  if (target && target->starts_with(kUp) && target->find("..", kUp.size()) == std::string::npos)
    return "sys/" + target->substr(kUp.size());
  return root.resolve(fmt::format("{}/{}", kDevices, name));
}

/// The functions of a capture that has the devices without the bus that lists them.
void add_all_below(const Sysroot& root, const std::string& folder, int depth, Tree& tree) {
  constexpr int kMaxDepth = 40;
  if (depth > kMaxDepth) return;
  for (const std::string& name : root.list(folder).value_or({})) {
    const bool is_function = depth > 0 && parse_pci_address(name);
    const bool is_root_bus = name.starts_with("pci") && name.find(':') != name.npos;
    if (!is_function && !is_root_bus) continue;
    const std::string path = fmt::format("{}/{}", folder, name);
    // Links lead back up, and to what is listed in its own place.
    if (root.resolve(path).value_or("") != path) continue;
    if (is_function) (void)tree.add_with_ports(path);
    add_all_below(root, path, depth + 1, tree);
  }
}

}  // namespace

PortType port_type_by_place(const PciFunction* parent) {
  if (parent == nullptr) return PortType::root_port;
  if (parent->port_type == PortType::switch_upstream) return PortType::switch_downstream;
  return PortType::switch_upstream;
}

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
  Tree tree(root);
  const auto devices = root.below(kDevices);
  if (!devices) {
    if (!root.live()) add_all_below(root, "sys/devices", 0, tree);
    return tree.take();
  }
  for (const std::string& name : devices->list(".").value_or({})) {
    const auto address = parse_pci_address(name);
    if (!address) continue;
    const auto folder = folder_of(root, *devices, name);
    const Status added = folder ? tree.add_with_ports(*folder) : Status(folder.error());
    if (added) continue;
    const Error& error = added.error();
    errors.push_back({std::string(to_string(error.code)),
                      error.what,
                      error.source,
                      "a capture needs all of sys/devices; on a live node the device has gone",
                      ComponentId::pci(*address),
                      {}});
  }
  return tree.take();
}

}  // namespace linkburn
