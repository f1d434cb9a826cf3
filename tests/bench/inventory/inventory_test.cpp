#include "bench/inventory/inventory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "tests/support/node.h"

namespace linkburn {
namespace {

using test::Node;
using testing::ElementsAre;
using testing::IsEmpty;

ComponentId pci(const char* address) { return ComponentId::pci(*parse_pci_address(address)); }

Inventory found_in(const Node& node) { return discover(node.root(), read_directly(node.root())); }

const Link* link_at(const Inventory& inventory, const char* address) {
  for (const Link& link : inventory.links)
    if (link.component == pci(address)) return &link;
  return nullptr;
}

std::vector<ComponentId> path(const Inventory& inventory, const char* address) {
  const PciFunction* function = inventory.function(*parse_pci_address(address));
  return function != nullptr ? inventory.path_of(*function) : std::vector<ComponentId>{};
}

TEST(Inventory, PairHasTwoLinksWithBothEnds) {
  const Node node("pair.tree");
  const Inventory inventory = found_in(node);
  ASSERT_EQ(inventory.links.size(), 2U);
  const Link& gpu = inventory.links[0];
  EXPECT_EQ(gpu.component, pci("0000:17:00.0"));
  EXPECT_EQ(gpu.peer, pci("0000:16:01.0"));
  EXPECT_EQ(gpu.port_type, "root_port");
  EXPECT_EQ(gpu.device_end.speed, LinkSpeed{32000});
  EXPECT_EQ(gpu.peer_end.max_width, LinkWidth{16});
  ASSERT_TRUE(gpu.slot);
  EXPECT_EQ(gpu.slot->label, "1");
  EXPECT_EQ(gpu.slot->source, "kernel");
  EXPECT_EQ(inventory.facts.name, "pair");
  EXPECT_EQ(inventory.facts.kernel, "6.1.0-28-amd64");
  ASSERT_EQ(inventory.numa_nodes.size(), 1U);
  EXPECT_EQ(inventory.numa_nodes[0].cpus.size(), 16U);
  EXPECT_EQ(inventory.numa_nodes[0].memory_bytes, 131072000LL * 1024);
}

TEST(Inventory, SwitchesAreWalkedToTheRoot) {
  const Inventory inventory = found_in(Node("aurora-like.tree"));
  EXPECT_THAT(path(inventory, "0000:1b:00.0"),
              ElementsAre(pci("0000:1b:00.0"), pci("0000:19:08.0"), pci("0000:18:00.0"),
                          pci("0000:17:00.0")));
  const Link* device = link_at(inventory, "0000:1b:00.0");
  ASSERT_NE(device, nullptr);
  EXPECT_EQ(device->port_type, "switch_downstream");
  // The switch's own link to the root port is a link; the wires inside the switch are none.
  EXPECT_NE(link_at(inventory, "0000:18:00.0"), nullptr);
  EXPECT_EQ(link_at(inventory, "0000:19:08.0"), nullptr);
}

TEST(Inventory, APortThatTheBusDoesNotListIsStillAnEnd) {
  const Inventory inventory = found_in(Node("aurora-like.tree"));
  const Link* nic = link_at(inventory, "0000:60:00.0");
  ASSERT_NE(nic, nullptr);
  EXPECT_EQ(nic->peer, pci("0000:5f:03.0"));
  EXPECT_EQ(nic->peer_end.max_speed, LinkSpeed{2500});
  EXPECT_EQ(nic->device_end.max_speed, LinkSpeed{8000});
}

TEST(Inventory, FunctionsOfOneCardShareOneLink) {
  const Inventory inventory = found_in(Node("aurora-like.tree"));
  EXPECT_EQ(link_at(inventory, "0000:60:00.1"), nullptr);
  EXPECT_EQ(std::count_if(inventory.links.begin(), inventory.links.end(),
                          [](const Link& link) { return link.peer == pci("0000:5f:03.0"); }),
            1);
}

TEST(Inventory, BigNodeIsComplete) {
  const Inventory inventory = found_in(Node("switch8.tree"));
  const auto count = [&](const char* type) {
    return std::count_if(inventory.functions.begin(), inventory.functions.end(),
                         [&](const PciFunction& f) { return f.type == type; });
  };
  EXPECT_EQ(count("gpu"), 8);
  EXPECT_EQ(count("infiniband") + count("nic"), 10);
  EXPECT_EQ(count("nvme"), 12);
  EXPECT_GE(inventory.links.size(), 30U);
  EXPECT_GE(inventory.ports.size(), 8U);
  for (const Port& port : inventory.ports) {
    EXPECT_EQ(port.state, "ACTIVE");
    EXPECT_EQ(port.phys_state, "LinkUp");
    ASSERT_TRUE(port.pci) << port.component.text();
    EXPECT_NE(inventory.function(*port.pci->pci_address()), nullptr);
  }
}

TEST(Inventory, AVirtualMachineHasNoLinks) {
  const Inventory inventory = found_in(Node("nolinks.tree"));
  EXPECT_FALSE(inventory.functions.empty());
  EXPECT_THAT(inventory.links, IsEmpty());
}

TEST(Inventory, IntegratedEndpointsAreNoLinksEvenWithLinkFiles) {
  const Inventory inventory = found_in(Node("partial.tree"));
  EXPECT_EQ(link_at(inventory, "0000:00:1f.2"), nullptr);
}

TEST(Inventory, MissingFilesStayUnknown) {
  const Inventory inventory = found_in(Node("partial.tree"));
  const Link* nic = link_at(inventory, "0000:03:00.0");
  ASSERT_NE(nic, nullptr);
  EXPECT_EQ(nic->device_end.width, LinkWidth{1});
  EXPECT_EQ(nic->device_end.max_width, std::nullopt);
  EXPECT_TRUE(nic->device_end.files);
  EXPECT_FALSE(nic->peer_end.files);
  const PciFunction* function = inventory.function(*parse_pci_address("0000:03:00.0"));
  EXPECT_EQ(function->numa_node, std::nullopt);
}

TEST(Inventory, AllOnesIsNoWidth) {
  const Inventory inventory = found_in(Node("pair.tree", {"all-ones-63.overlay"}));
  EXPECT_TRUE(link_at(inventory, "0000:17:00.0")->device_end.all_ones);
  EXPECT_FALSE(link_at(inventory, "0000:3b:00.0")->device_end.all_ones);
}

TEST(Inventory, ASleepingDeviceIsNotRead) {
  const Inventory inventory = found_in(Node("pair.tree", {"suspended.overlay"}));
  const LinkEnd& end = link_at(inventory, "0000:17:00.0")->device_end;
  EXPECT_EQ(end.runtime_status, "suspended");
  EXPECT_TRUE(end.files);
  EXPECT_EQ(end.width, std::nullopt);
  EXPECT_EQ(end.max_speed, std::nullopt);
  EXPECT_FALSE(end.all_ones);
}

TEST(Inventory, AVanishedDeviceLeavesItsPort) {
  const Inventory inventory = found_in(Node("pair.tree", {"vanished.overlay"}));
  EXPECT_EQ(link_at(inventory, "0000:17:00.0"), nullptr);
  EXPECT_NE(inventory.function(*parse_pci_address("0000:16:01.0")), nullptr);
}

TEST(Inventory, AnEmptyTreeIsEmptyAndSaysSo) {
  const test::TempDir dir;
  const auto root = Sysroot::open(dir.path());
  ASSERT_TRUE(root);
  const Inventory inventory = discover(*root, read_directly(*root));
  EXPECT_THAT(inventory.functions, IsEmpty());
  EXPECT_TRUE(std::any_of(inventory.parts.begin(), inventory.parts.end(), [](const Part& part) {
    return part.name == "pci_bus" && part.status == "absent";
  }));
}

TEST(Inventory, APortFileThatCannotBeReadIsUnknown) {
  const Node node("switch8.tree");
  const auto refuse = [](const std::string& path) -> Result<std::string> {
    return Error{Code::timeout, "has not returned", path, {}};
  };
  const Inventory inventory = discover(node.root(), refuse);
  ASSERT_FALSE(inventory.ports.empty());
  EXPECT_EQ(inventory.ports[0].state, "");
  EXPECT_EQ(inventory.ports[0].rate_gbps, std::nullopt);
}

TEST(Records, HoldEverythingThatWasFound) {
  const Inventory inventory = found_in(Node("pair.tree"));
  int links = 0;
  int components = 0;
  for (const Body& body : to_records(inventory)) {
    links += std::holds_alternative<Link>(body) ? 1 : 0;
    components += std::holds_alternative<Component>(body) ? 1 : 0;
  }
  EXPECT_EQ(links, 2);
  EXPECT_EQ(components, 5);  // two ports, two devices, one NUMA node
}

/// The captured machines are not part of the repository; LINKBURN_CAPTURED_NODES names their
/// folder.
TEST(CapturedNode, NecAuroraHasTheRightPaths) {
  const auto tree = test::captured_node("nec-aurora-8ve-2ib");
  if (!tree) GTEST_SKIP() << "LINKBURN_CAPTURED_NODES does not hold this machine";
  const auto root = Sysroot::open(*tree);
  ASSERT_TRUE(root);
  const Inventory inventory = discover(*root, read_directly(*root));
  const auto below = [](const char* device, const char* port, const char* upstream,
                        const char* root_port) {
    return std::vector<ComponentId>{pci(device), pci(port), pci(upstream), pci(root_port)};
  };
  EXPECT_EQ(path(inventory, "0000:1a:00.0"),
            below("0000:1a:00.0", "0000:19:04.0", "0000:18:00.0", "0000:17:00.0"));
  EXPECT_EQ(path(inventory, "0000:1e:00.0"),
            below("0000:1e:00.0", "0000:19:14.0", "0000:18:00.0", "0000:17:00.0"));
  EXPECT_EQ(path(inventory, "0000:3e:00.0"),
            below("0000:3e:00.0", "0000:3c:08.0", "0000:3b:00.0", "0000:3a:00.0"));
  int accelerators = 0;
  int adapters = 0;
  for (const PciFunction& function : inventory.functions) {
    accelerators += function.type == "accelerator" ? 1 : 0;
    adapters += function.type == "infiniband" ? 1 : 0;
    if (function.type == "accelerator" || function.type == "infiniband") {
      EXPECT_EQ(inventory.path_of(function).size(), 4U) << to_string(function.address);
    }
  }
  EXPECT_EQ(accelerators, 8);
  EXPECT_EQ(adapters, 2);
}

}  // namespace
}  // namespace linkburn
