// What is on a node and how it is wired: the first station of the line.
//
// Everything is read below a Sysroot, so that a captured tree gives the same Inventory as the
// machine it came from. Files that enter a device driver or firmware (RDMA ports) go through a
// DriverFiles, because on a live node such a read can hang.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "bench/base/component.h"
#include "bench/base/sysroot.h"
#include "bench/inventory/slots.h"
#include "report/evidence/record.h"

namespace linkburn {

enum class PortType { none, root_port, switch_upstream, switch_downstream };
std::string_view to_string(PortType type);

/// One PCI function.
struct PciFunction {
  PciAddress address;
  std::string folder;                ///< canonical path below the sysroot
  std::optional<PciAddress> parent;  ///< the port above; none on a root bus
  /// False: a capture shows the function without what it hangs on, and it may have a parent.
  bool place_known = true;
  PortType port_type = PortType::none;
  std::string class_code, vendor_id, device_id;  ///< as in sysfs: "0x030200"
  std::string subsystem_vendor_id, subsystem_device_id, driver;
  std::string type;  ///< Component::type
  std::string name;
  std::optional<int> numa_node;  ///< none: firmware gave none (-1)
  std::string local_cpus;
  LinkEnd link_end;                  ///< the link above a device, or below a port
  std::string label;                 ///< what firmware calls an onboard device
  std::optional<int> secondary_bus;  ///< of a bridge, from config space
  bool thunderbolt = false;          ///< config space marks it as part of a Thunderbolt controller
  bool virtual_function = false;
  std::optional<PciAddress> physical_function;  ///< of a virtual function
  std::map<std::string, std::string> facts;     ///< Component::facts
};

struct NumaNode {
  int number = 0;
  std::vector<int> cpus;
  std::optional<std::int64_t> memory_bytes;
};

/// Who this node is.
struct NodeFacts {
  std::string name;  ///< empty: a capture without its host name
  std::string kernel, boot_id, machine;
  std::optional<double> uptime_s;
  bool drill = false;  ///< software devices: nothing of it is evidence of hardware
};

struct Inventory {
  NodeFacts facts;
  std::vector<PciFunction> functions;  ///< sorted by address
  std::vector<Link> links;
  std::vector<NumaNode> numa_nodes;
  std::vector<Port> ports;
  std::vector<Interface> interfaces;
  std::vector<NamedSlot> slots;   ///< what each source calls which place
  std::vector<ToolError> errors;  ///< devices that are listed and could not be read
  std::vector<Part> parts;        ///< files that were looked for
  std::vector<Reading> readings;  ///< temperatures and their limits
  std::vector<Counter> counters;  ///< of ports and interfaces

  const PciFunction* function(const PciAddress& address) const;

  /// From a function up to its root port, itself first.
  std::vector<ComponentId> path_of(const PciFunction& function) const;

  /// The best name for the slot that a function is in, or that a port has.
  std::optional<Slot> slot_of(const PciAddress& address) const;

  /// The site's own name for a place: an address ("0000:17:00", or "0000:17:00.0" for one function)
  /// or the label that another source has for it. Goes before all other names, also in the links.
  /// False: no place has this label.
  bool add_slot_name(std::string_view where, const std::string& text);
};

template <class F>
concept ReadsFiles = std::is_invocable_r_v<Result<std::string>, F&, const std::string&>;

/// Reads files that enter a driver; paths are relative to the sysroot.
class DriverFiles {
 public:
  using Read = std::function<Result<std::string>(const std::string& path)>;
  using Expect = std::function<void(const std::vector<std::string>& paths)>;

  /// From any function that reads one file.
  template <ReadsFiles F>
  DriverFiles(F read, Expect expect = {}) : read_(std::move(read)), expect_(std::move(expect)) {}

  Result<std::string> operator()(const std::string& path) const { return read_(path); }

  /// These will be read next: a reader in another process gets them in one go.
  void expect(const std::vector<std::string>& paths) const {
    if (expect_) expect_(paths);
  }

 private:
  Read read_;
  Expect expect_;
};

/// Reads such files directly: for captured trees, where nothing can hang.
DriverFiles read_directly(const Sysroot& root);

/// Never fails: what is missing is in `parts`, or absent from the inventory.
Inventory discover(const Sysroot& root, const DriverFiles& files);

/// The inventory as evidence records, in the order they are written.
std::vector<Body> to_records(const Inventory& inventory);

}  // namespace linkburn
