// RDMA ports: rdma.tree has one of each kind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "bench/inventory/inventory.h"
#include "tests/support/node.h"

namespace linkburn {
namespace {

using test::Node;
using testing::ElementsAre;
using testing::IsEmpty;

const std::string kPort = "sys/class/infiniband/mlx5_0/ports/1/";

Inventory found_in(const Node& node) { return discover(node.root(), read_directly(node.root())); }

Port port_of(const Inventory& inventory, const std::string& name) {
  for (const Port& port : inventory.ports)
    if (port.component.text() == name) return port;
  ADD_FAILURE() << "no port " << name;
  return {};
}

std::optional<std::int64_t> counter(const Inventory& inventory, const std::string& component,
                                    const std::string& name) {
  for (const Counter& each : inventory.counters)
    if (each.component.text() == component && each.name == name) return each.value;
  return std::nullopt;
}

void overwrite(const Node& node, const std::string& path, const std::string& text) {
  std::ofstream(node.path() + "/" + path) << text;
}

/// Reads as the tree does, but what stands below `folder` fails with `code`.
auto failing(const Node& node, const std::string& folder, Code code) {
  return [&node, folder, code](const std::string& path) -> Result<std::string> {
    if (path.starts_with(folder)) return Error{code, "input/output error", "/" + path, {}};
    return node.root().read(path);
  };
}

TEST(Ports, AFileThatCannotBeReadIsUnknownAndNoted) {
  const Node node("rdma.tree");
  const Inventory inventory =
      discover(node.root(), failing(node, "sys/class/infiniband/mlx5_0", Code::io));
  const Port port = port_of(inventory, "mlx5_0/1");
  EXPECT_EQ(port.state, "");
  EXPECT_EQ(port.rate_gbps, std::nullopt);
  EXPECT_EQ(port.lanes, std::nullopt);
  EXPECT_EQ(port.lid, std::nullopt);
  EXPECT_FALSE(port.gids_read);
  EXPECT_EQ(counter(inventory, "mlx5_0/1", "port/symbol_error"), std::nullopt);
  ASSERT_EQ(inventory.errors.size(), 1U);  // once for the device, not for each of its files
  EXPECT_EQ(inventory.errors[0].what, "input/output error");
  EXPECT_EQ(inventory.errors[0].component, std::nullopt);
  EXPECT_EQ(port_of(inventory, "mlx5_1/1").state, "ACTIVE");
}

TEST(Ports, AnEmptyTableIsReadAndOneThatIsNotThereIsNot) {
  const Node node("rdma.tree");
  EXPECT_TRUE(port_of(found_in(node), "mlx5_1/1").gids_read);
  EXPECT_THAT(port_of(found_in(node), "mlx5_1/1").gids, IsEmpty());
  std::filesystem::remove_all(node.path() + "/" + kPort + "gids");
  EXPECT_FALSE(port_of(found_in(node), "mlx5_0/1").gids_read);
}

TEST(Ports, ARocePortSaysAllThatItsFilesSay) {
  const Port port = port_of(found_in(Node("rdma.tree")), "mlx5_0/1");
  EXPECT_EQ(port.pci->text(), "0000:17:00.0");
  EXPECT_EQ(port.driver, "mlx5_core");
  EXPECT_EQ(port.state, "ACTIVE");
  EXPECT_EQ(port.phys_state, "LinkUp");
  EXPECT_EQ(port.link_layer, "Ethernet");
  EXPECT_EQ(port.rate_gbps, 100);
  EXPECT_EQ(port.lanes, 4);
  EXPECT_EQ(port.speed_name, "EDR");
  EXPECT_EQ(port.lid, 0);
  EXPECT_EQ(port.node_guid, "b83f:d203:00aa:0010");
  EXPECT_EQ(port.board_id, "MT_0000000359");
  EXPECT_EQ(port.firmware, "22.36.1010");
  EXPECT_EQ(port.netdev, "ens1f0np0");
}

TEST(Ports, PortsOfOneCardShareTheSystemImage) {
  const Inventory inventory = found_in(Node("rdma.tree"));
  EXPECT_EQ(port_of(inventory, "mlx5_0/1").system_image_guid,
            port_of(inventory, "mlx5_1/1").system_image_guid);
  EXPECT_NE(port_of(inventory, "mlx5_0/1").system_image_guid,
            port_of(inventory, "mlx5_2/1").system_image_guid);
}

TEST(Ports, GidsAreThoseInUseWithTheirIndex) {
  const Port port = port_of(found_in(Node("rdma.tree")), "mlx5_0/1");
  ASSERT_EQ(port.gids.size(), 4U);
  EXPECT_EQ(port.gids[2].index, 3);  // entry 2 is empty
  EXPECT_EQ(port.gids[2].gid, "0000:0000:0000:0000:0000:ffff:0a00:0001");
  EXPECT_EQ(port.gids[2].type, "RoCE v2");
  EXPECT_EQ(port.gids[3].netdev, "ens1f0np0.100");
}

TEST(Ports, TypesOfEmptyEntriesAreNotAskedFor) {
  const Node node("rdma.tree");
  std::set<std::string> asked;
  (void)discover(node.root(), [&](const std::string& path) {
    asked.insert(path);
    return node.root().read(path);
  });
  EXPECT_TRUE(asked.contains(kPort + "gid_attrs/types/3"));
  EXPECT_FALSE(asked.contains(kPort + "gid_attrs/types/2"));
  EXPECT_FALSE(asked.contains(kPort + "counters/port_xmit_data"));  // tells nothing about a fault
}

TEST(Ports, AGidWithoutReadableTypeStaysAGid) {
  const Port port = port_of(found_in(Node("rdma.tree")), "mlx5_2/1");
  ASSERT_EQ(port.gids.size(), 1U);
  EXPECT_EQ(port.gids[0].type, "");
}

TEST(Ports, AnInfiniBandPortHasNoInterfaceOfItsOwn) {
  const Port port = port_of(found_in(Node("rdma.tree")), "mlx5_2/1");
  EXPECT_EQ(port.netdev, "");
  EXPECT_EQ(port.state, "INIT");
  EXPECT_EQ(port.lid, 0xffff);
  EXPECT_EQ(port.sm_lid, 0);
}

TEST(Ports, OldKernelsLeaveOutTheNameOfSdr) {
  const Port port = port_of(found_in(Node("rdma.tree")), "mlx5_2/1");
  EXPECT_EQ(port.rate_gbps, 10);
  EXPECT_EQ(port.lanes, 4);
  EXPECT_EQ(port.speed_name, "");
}

TEST(Ports, SoftRoceHasNoSlotButAnInterface) {
  const Port port = port_of(found_in(Node("rdma.tree")), "rxe0/1");
  EXPECT_EQ(port.pci, std::nullopt);
  EXPECT_EQ(port.driver, "rxe");
  EXPECT_EQ(port.netdev, "dummy0");
  EXPECT_EQ(port.rate_gbps, 2.5);
}

TEST(Ports, SoftRoceOnACardIsNotThatCard) {
  const Node node("rdma.tree");  // old kernels place it below the card
  std::filesystem::remove_all(node.path() +
                              "/sys/devices/pci0000:16/0000:16:01.0/0000:17:00.1/infiniband");
  std::filesystem::copy(node.path() + "/sys/devices/virtual/infiniband/rxe0",
                        node.path() + "/sys/devices/pci0000:16/0000:16:01.0/0000:17:00.1/rxe0",
                        std::filesystem::copy_options::recursive);
  std::filesystem::remove(node.path() + "/sys/class/infiniband/rxe0");
  std::filesystem::create_symlink("../../devices/pci0000:16/0000:16:01.0/0000:17:00.1/rxe0",
                                  node.path() + "/sys/class/infiniband/rxe0");
  const Port port = port_of(found_in(node), "rxe0/1");
  EXPECT_EQ(port.driver, "rxe");
  EXPECT_EQ(port.pci, std::nullopt);
}

TEST(Ports, WhatIsReadWasAnnounced) {
  const Node node("rdma.tree");
  std::set<std::string> announced;
  int surprises = 0;
  const DriverFiles files(
      [&](const std::string& path) {
        if (!announced.contains(path)) ++surprises;
        return node.root().read(path);
      },
      [&](const std::vector<std::string>& paths) { announced.insert(paths.begin(), paths.end()); });
  const Inventory inventory = discover(node.root(), files);
  EXPECT_EQ(inventory.ports.size(), 4U);
  EXPECT_GT(announced.size(), 100U);
  EXPECT_LT(surprises, 15);  // each is a round trip to another process
}

TEST(Ports, WithoutGidsTheInterfaceIsThatOfTheDevice) {
  // Its GID table is empty, and one interface belongs to its PCI function.
  EXPECT_EQ(port_of(found_in(Node("rdma.tree")), "mlx5_1/1").netdev, "ens1f1np1");
}

TEST(Ports, OfTwoInterfacesThatOfTheSamePortNumberCounts) {
  const Node node("rdma.tree");
  const std::string device = node.path() + "/sys/devices/pci0000:16/0000:16:01.0/0000:17:00.1/";
  std::filesystem::create_directories(device + "net/other");
  std::filesystem::create_symlink("../../devices/pci0000:16/0000:16:01.0/0000:17:00.1/net/other",
                                  node.path() + "/sys/class/net/other");
  std::ofstream(device + "net/other/dev_port") << "0\n";
  EXPECT_EQ(port_of(found_in(node), "mlx5_1/1").netdev, "other");
  std::ofstream(device + "net/ens1f1np1/dev_port") << "0\n";  // ambiguous
  EXPECT_EQ(port_of(found_in(node), "mlx5_1/1").netdev, "");
}

TEST(Ports, CountersOfBothKindsAreRecords) {
  const Inventory inventory = found_in(Node("rdma.tree"));
  EXPECT_EQ(counter(inventory, "mlx5_0/1", "port/link_downed"), 1);
  EXPECT_EQ(counter(inventory, "mlx5_0/1", "port/symbol_error"), 0);
  EXPECT_EQ(counter(inventory, "mlx5_0/1", "hw/out_of_sequence"), 12);
  EXPECT_EQ(counter(inventory, "rxe0/1", "hw/rcvd_seq_err"), 3);
  // Some drivers have them for the whole device.
  EXPECT_EQ(counter(inventory, "mlx5_2/1", "hw/out_of_sequence"), 5);
}

TEST(Ports, ACounterWithoutNumberIsNoCounter) {
  const Inventory inventory = found_in(Node("rdma.tree"));
  EXPECT_EQ(counter(inventory, "mlx5_0/1", "hw/local_ack_timeout_err"), std::nullopt);
  EXPECT_EQ(counter(inventory, "mlx5_1/1", "port/symbol_error"), std::nullopt);
}

TEST(Ports, RatesThatAreNoRatesSayNothing) {
  const Node node("rdma.tree");
  for (const char* junk : {"", "unknown", "(", ")(", "(X)", "(4Y NDR)", "(0X NDR)", "(999X NDR)"}) {
    overwrite(node, kPort + "rate", junk);
    const Port port = port_of(found_in(node), "mlx5_0/1");
    EXPECT_EQ(port.rate_gbps, std::nullopt) << junk;
    EXPECT_EQ(port.lanes, std::nullopt) << junk;
  }
  overwrite(node, kPort + "rate", "400 Gb/sec (4X NDR)\n");
  EXPECT_EQ(port_of(found_in(node), "mlx5_0/1").speed_name, "NDR");
}

TEST(Ports, ASleepingDeviceIsNotRead) {
  const Node node("rdma.tree");
  const std::string power = node.path() + "/sys/devices/pci0000:16/0000:16:01.0/0000:17:00.0/power";
  std::filesystem::create_directories(power);
  std::ofstream(power + "/runtime_status") << "suspended\n";
  const Inventory inventory = discover(node.root(), [&](const std::string& path) {
    EXPECT_FALSE(path.starts_with("sys/class/infiniband/mlx5_0")) << path;
    EXPECT_FALSE(path.starts_with("sys/class/net/ens1f0np0/")) << path;
    EXPECT_NE(path, "linkburn/ethtool/ens1f0np0");
    return node.root().read(path);
  });
  EXPECT_EQ(port_of(inventory, "mlx5_0/1").state, "");
  EXPECT_EQ(port_of(inventory, "mlx5_0/1").pci->text(), "0000:17:00.0");
}

}  // namespace
}  // namespace linkburn
