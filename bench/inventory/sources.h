// The sources that discover() puts together, one function each. Internal to bench/inventory.
#pragma once

#include "bench/inventory/inventory.h"

namespace linkburn {

NodeFacts read_node_facts(const Sysroot& root);
std::vector<NumaNode> read_numa_nodes(const Sysroot& root);

/// All functions of the PCI tree, ports above them included even where the bus does not list them.
/// A device that is listed and cannot be found becomes an error.
std::vector<PciFunction> read_pci_functions(const Sysroot& root, std::vector<ToolError>& errors);

/// Pairs each device with the port above it. One link per device, however many functions it has.
std::vector<Link> make_links(const Inventory& inventory);

/// Kernel slots: fills slots and slot_addresses.
void read_slots(const Sysroot& root, Inventory& inventory);

/// RDMA ports; their counters are added to `counters`.
std::vector<Port> read_ports(const Sysroot& root, const DriverFiles& files,
                             std::vector<Counter>& counters);

/// Physical interfaces, what stands on them, and those that `ports` refer to.
std::vector<Interface> read_interfaces(const Sysroot& root, const DriverFiles& files,
                                       const std::vector<Port>& ports,
                                       std::vector<Counter>& counters);

/// Names from the pci.ids file of the machine that linkburn runs on; says in the part where they
/// are from.
Part name_functions(std::vector<PciFunction>& functions);

/// The link files of one end. A suspended device is not touched: reading them can wake it.
LinkEnd read_link_end(const Sysroot& folder);

}  // namespace linkburn
