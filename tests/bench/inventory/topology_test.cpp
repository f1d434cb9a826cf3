#include <gtest/gtest.h>

#include "bench/inventory/sources.h"
#include "tests/support/node.h"

namespace linkburn {
namespace {

using test::Node;

/// A fact of a function; empty when there is none.
std::string fact(const Inventory& inventory, const char* address, const char* name) {
  const PciFunction* function = inventory.function(*parse_pci_address(address));
  if (function == nullptr || !function->facts.contains(name)) return {};
  return function->facts.at(name);
}

Inventory found_in(const Node& node) { return discover(node.root(), read_directly(node.root())); }

/// Functions by hand: address, parent, type, port type, NUMA node, folder.
PciFunction function(const char* address, const char* parent, const char* type, PortType port,
                     std::optional<int> numa, const char* bus) {
  PciFunction made;
  made.address = *parse_pci_address(address);
  if (parent != nullptr) made.parent = parse_pci_address(parent);
  made.type = type;
  made.port_type = port;
  made.numa_node = numa;
  made.folder = std::string("sys/devices/") + bus + "/" + address;
  return made;
}

TEST(Topology, GpusAndRailsOfOneSwitchAreNearest) {
  const Inventory inventory = found_in(Node("switch8.tree"));
  EXPECT_EQ(fact(inventory, "0000:13:00.0", "nearest_nic"),
            "0000:14:00.0, 0000:16:00.0 (same switch)");
  EXPECT_EQ(fact(inventory, "0000:14:00.0", "nearest_gpu"),
            "0000:13:00.0, 0000:15:00.0 (same switch)");
  EXPECT_EQ(fact(inventory, "0000:13:00.0", "shares_uplink_with"),
            "0000:14:00.0, 0000:15:00.0, 0000:16:00.0 (uplink 0000:11:00.0)");
  EXPECT_EQ(fact(inventory, "0000:51:00.0", "shares_uplink_with"), "") << "below a root port";
  EXPECT_EQ(fact(inventory, "0000:51:00.0", "nearest_gpu"),
            "0000:13:00.0, 0000:15:00.0, 0000:23:00.0, 0000:25:00.0 (same NUMA node)");
}

TEST(Topology, AcceleratorsCountAsGpus) {
  const Inventory inventory = found_in(Node("aurora-like.tree"));
  EXPECT_EQ(fact(inventory, "0000:1b:00.0", "nearest_nic"), "0000:1a:00.0 (same switch)");
}

TEST(Topology, WithoutNicsOrNumaNodesNothingIsSaid) {
  Inventory inventory;
  inventory.functions = {
      function("0000:01:00.0", nullptr, "gpu", PortType::none, std::nullopt, "pci0000:00"),
      function("0000:81:00.0", nullptr, "nvme", PortType::none, 1, "pci0000:80")};
  add_topology_facts(inventory);
  EXPECT_EQ(fact(inventory, "0000:01:00.0", "nearest_nic"), "");
  inventory.functions[1].type = "nic";
  add_topology_facts(inventory);
  EXPECT_EQ(fact(inventory, "0000:01:00.0", "nearest_nic"), "") << "no NUMA node, no distance";
  inventory.numa_nodes.resize(1);
  add_topology_facts(inventory);
  EXPECT_EQ(fact(inventory, "0000:01:00.0", "nearest_nic"), "0000:81:00.0 (same NUMA node)");
}

TEST(Topology, DistancesFromTheHostBridgeOn) {
  Inventory inventory;
  inventory.numa_nodes.resize(2);
  inventory.functions = {
      function("0000:00:01.0", nullptr, "bridge", PortType::root_port, 0, "pci0000:00"),
      function("0000:00:02.0", nullptr, "bridge", PortType::root_port, 0, "pci0000:00"),
      function("0000:01:00.0", "0000:00:01.0", "gpu", PortType::none, 0, "pci0000:00"),
      function("0000:02:00.0", "0000:00:02.0", "nic", PortType::none, 0, "pci0000:00"),
      function("0000:81:00.0", nullptr, "gpu", PortType::none, 1, "pci0000:80")};
  add_topology_facts(inventory);
  EXPECT_EQ(fact(inventory, "0000:01:00.0", "nearest_nic"), "0000:02:00.0 (same host bridge)");
  EXPECT_EQ(fact(inventory, "0000:81:00.0", "nearest_nic"), "0000:02:00.0 (other NUMA node)");
}

TEST(Topology, SwitchesBelowASwitchAreSeveral) {
  Inventory inventory;
  const auto up = PortType::switch_upstream;
  const auto down = PortType::switch_downstream;
  const char* bus = "pci0000:00";
  inventory.functions = {function("0000:00:01.0", nullptr, "bridge", PortType::root_port, 0, bus),
                         function("0000:01:00.0", "0000:00:01.0", "bridge", up, 0, bus),
                         function("0000:02:00.0", "0000:01:00.0", "bridge", down, 0, bus),
                         function("0000:02:01.0", "0000:01:00.0", "bridge", down, 0, bus),
                         function("0000:03:00.0", "0000:02:00.0", "bridge", up, 0, bus),
                         function("0000:04:00.0", "0000:03:00.0", "bridge", down, 0, bus),
                         function("0000:05:00.0", "0000:04:00.0", "gpu", PortType::none, 0, bus),
                         function("0000:06:00.0", "0000:02:01.0", "nic", PortType::none, 0, bus),
                         function("0000:06:00.1", "0000:02:01.0", "nic", PortType::none, 0, bus)};
  add_topology_facts(inventory);
  EXPECT_EQ(fact(inventory, "0000:05:00.0", "nearest_nic"),
            "0000:06:00.0, 0000:06:00.1 (several switches)");
  EXPECT_EQ(fact(inventory, "0000:06:00.0", "shares_uplink_with"), "");
}

}  // namespace
}  // namespace linkburn
