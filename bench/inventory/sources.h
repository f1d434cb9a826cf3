// The sources that discover() puts together, one function each. Internal to bench/inventory.
#pragma once

#include "bench/inventory/config_space.h"
#include "bench/inventory/inventory.h"

namespace linkburn {

NodeFacts read_node_facts(const Sysroot& root);
std::vector<NumaNode> read_numa_nodes(const Sysroot& root);

/// All functions of the PCI tree, ports above them included even where the bus does not list them.
/// A device that is listed and cannot be found becomes an error.
std::vector<PciFunction> read_pci_functions(const Sysroot& root, std::vector<ToolError>& errors);

/// Without registers a port's type follows from where it hangs: on a root bus, below a port that
/// ends a link, or below the upstream port of a switch. `parent`: null on a root bus.
PortType port_type_by_place(const PciFunction* parent);

/// A port with a link below it.
bool ends_link(const PciFunction& port);

/// Pairs each device with the port above it. One link per device, however many functions it has.
std::vector<Link> make_links(const Inventory& inventory);

/// Ports that end a link and have no device below: says so in their facts, and what their registers
/// say of a card.
void mark_empty_ports(std::vector<PciFunction>& functions);

/// The kernel's cooling devices of ports, into the links below them.
void read_cooling(const Sysroot& root, std::vector<Link>& links);

/// The kernel's policy for active-state power management; nothing where it has none.
std::optional<Part> read_aspm_policy(const Sysroot& root);

/// What firmware, kernel and ports call the slots; what firmware says of their use goes into the
/// facts of the ports.
void read_slots(const Sysroot& root, Inventory& inventory);

/// RDMA ports; their counters are added to `counters`.
/// In a tree that linkburn did not capture, missing RDMA devices may be ones that nobody captured.
std::optional<Part> uncaptured_rdma(const Sysroot& root);

std::vector<Port> read_ports(const Sysroot& root, const DriverFiles& files,
                             std::vector<Counter>& counters);

/// Physical interfaces, what stands on them, and those that `ports` refer to.
std::vector<Interface> read_interfaces(const Sysroot& root, const DriverFiles& files,
                                       const std::vector<Port>& ports,
                                       std::vector<Counter>& counters);

/// Temperatures and their limits, as the kernel's hardware monitors show them. Those of a suspended
/// device are not read, as that would wake it. Adds readings.
void read_temperatures(const Sysroot& root, const DriverFiles& files, Inventory& inventory);

/// What follows from the wiring, into the facts of GPUs, NICs and what hangs below switches:
/// "nearest_nic", "nearest_gpu", "shares_uplink_with".
void add_topology_facts(Inventory& inventory);

/// Names from the pci.ids file of the machine that linkburn runs on; says in the part where they
/// are from.
Part name_functions(std::vector<PciFunction>& functions);

/// Config space of the function whose folder it is.
ConfigSpace read_config_space(const Sysroot& folder);

/// One end of a link, from what config space says or else from its link files.
LinkEnd read_link_end(const Sysroot& folder, const ConfigSpace& config, std::string runtime_status);

/// Parts of the root complex: they have no link by definition.
bool is_integrated(const LinkRegisters& registers);

/// The end of a suspended device: nothing of it is read, as that can wake it.
LinkEnd sleeping_end(const Sysroot& folder, std::string runtime_status);

}  // namespace linkburn
