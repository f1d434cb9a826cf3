// Network interfaces of rdma.tree.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "bench/inventory/inventory.h"
#include "tests/support/node.h"

namespace linkburn {
namespace {

using test::Node;
using testing::ElementsAre;
using testing::IsEmpty;

Inventory found_in(const Node& node) { return discover(node.root(), read_directly(node.root())); }

Interface interface_of(const Inventory& inventory, const std::string& name) {
  for (const Interface& interface : inventory.interfaces)
    if (interface.component.text() == name) return interface;
  ADD_FAILURE() << "no interface " << name;
  return {};
}

std::vector<std::string> counters_of(const Inventory& inventory, const std::string& component) {
  std::vector<std::string> names;
  for (const Counter& each : inventory.counters)
    if (each.component.text() == component)
      names.push_back(each.name + "=" + std::to_string(*each.value));
  return names;
}

TEST(Interfaces, WhatCannotBeReadIsUnknown) {
  const Node node("rdma.tree");
  const auto refuse = [](const std::string& path) -> Result<std::string> {
    return Error{Code::timeout, "has not returned", "/" + path, {}};
  };
  const Interface interface = interface_of(discover(node.root(), refuse), "ens1f0np0");
  EXPECT_EQ(interface.operstate, "");
  EXPECT_EQ(interface.carrier, std::nullopt);
  EXPECT_EQ(interface.admin_up, std::nullopt);
  EXPECT_EQ(interface.speed_gbps, std::nullopt);
  EXPECT_EQ(interface.mtu, std::nullopt);
  EXPECT_EQ(interface.modes_source, "");
  EXPECT_EQ(interface.modes_absent, "has not returned");
  EXPECT_EQ(interface.module_absent, "has not returned");
}

TEST(Interfaces, OnlyThoseThatMatterAreRecords) {
  std::vector<std::string> names;
  for (const Interface& interface : found_in(Node("rdma.tree")).interfaces)
    names.push_back(interface.component.text() + " " + interface.type);
  // dummy0 carries soft-RoCE; veth1, macvlan1 and docker0 are of containers.
  EXPECT_THAT(names, ElementsAre("bond0 bond", "br0 bridge", "dummy0 virtual", "ens1f0np0 physical",
                                 "ens1f0np0.100 vlan", "ens1f1np1 physical", "ibs2 physical"));
}

TEST(Interfaces, APhysicalOneSaysAllThatItsFilesSay) {
  const Interface interface = interface_of(found_in(Node("rdma.tree")), "ens1f0np0");
  EXPECT_EQ(interface.pci->text(), "0000:17:00.0");
  EXPECT_EQ(interface.driver, "mlx5_core");
  EXPECT_EQ(interface.operstate, "up");
  EXPECT_EQ(interface.admin_up, true);
  EXPECT_EQ(interface.carrier, true);
  EXPECT_EQ(interface.speed_gbps, 100);
  EXPECT_EQ(interface.mtu, 9000);
  EXPECT_EQ(interface.duplex, "full");
  EXPECT_EQ(interface.bond, "bond0");
}

TEST(Interfaces, ADownOneHasNoSpeed) {
  const Node node("rdma.tree");
  const Interface down = interface_of(found_in(node), "ibs2");
  EXPECT_EQ(down.carrier, false);
  EXPECT_EQ(down.admin_up, false);
  EXPECT_EQ(down.speed_gbps, std::nullopt);
  // Old kernels show the unknown speed without its sign.
  std::ofstream(node.path() + "/sys/class/net/ens1f0np0/speed") << "4294967295\n";
  std::filesystem::remove_all(node.path() + "/linkburn");
  EXPECT_EQ(interface_of(found_in(node), "ens1f0np0").speed_gbps, std::nullopt);
}

TEST(Interfaces, ABondNamesItsMembersAndAVlanItsParent) {
  const Inventory inventory = found_in(Node("rdma.tree"));
  const Interface bond = interface_of(inventory, "bond0");
  EXPECT_EQ(bond.bond_mode, "active-backup");
  EXPECT_THAT(bond.members, ElementsAre("ens1f0np0", "ens1f1np1"));
  EXPECT_EQ(bond.pci, std::nullopt);
  const Interface vlan = interface_of(inventory, "ens1f0np0.100");
  EXPECT_EQ(vlan.vlan_parent, "ens1f0np0");
  EXPECT_EQ(vlan.vlan_id, 100);
}

TEST(Interfaces, WithoutRootTheVlanIdIsUnknown) {
  const Node node("rdma.tree");
  std::filesystem::remove_all(node.path() + "/proc/net");
  const Interface vlan = interface_of(found_in(node), "ens1f0np0.100");
  EXPECT_EQ(vlan.vlan_parent, "ens1f0np0");
  EXPECT_EQ(vlan.vlan_id, std::nullopt);
}

TEST(Interfaces, ModesFecAndModuleComeFromEthtool) {
  const Interface interface = interface_of(found_in(Node("rdma.tree")), "ens1f0np0");
  EXPECT_EQ(interface.modes_source, "netlink");
  EXPECT_EQ(interface.modes_absent, "");
  EXPECT_EQ(interface.supported_gbps, 100);
  EXPECT_EQ(interface.advertised_gbps, 100);
  EXPECT_EQ(interface.partner_gbps, std::nullopt);
  EXPECT_EQ(interface.autonegotiation, true);
  EXPECT_EQ(interface.lanes, 4);
  EXPECT_EQ(interface.fec, "RS");
  ASSERT_TRUE(interface.module);
  EXPECT_EQ(interface.module->identifier, "QSFP28");
  EXPECT_EQ(interface.module->serial, "AC2201007");
}

TEST(Interfaces, WithoutEthtoolTheReasonIsSaid) {
  const Interface interface = interface_of(found_in(Node("rdma.tree")), "ibs2");
  EXPECT_THAT(interface.supported_modes, IsEmpty());
  EXPECT_EQ(interface.modes_absent, "ethtool was not asked");
  EXPECT_EQ(interface.module_absent, "ethtool was not asked");
  const Interface other = interface_of(found_in(Node("rdma.tree")), "ens1f1np1");
  EXPECT_EQ(other.module_absent, "needs root");
  EXPECT_EQ(other.partner_gbps, 25);
}

TEST(Interfaces, CountersOfKernelFecAndDriver) {
  const Inventory inventory = found_in(Node("rdma.tree"));
  EXPECT_THAT(
      counters_of(inventory, "ens1f0np0"),
      testing::UnorderedElementsAre(
          "net/carrier_changes=4", "net/carrier_up_count=2", "net/carrier_down_count=2",
          "net/rx_errors=3", "net/rx_crc_errors=3", "net/tx_errors=0", "fec/corrected_blocks=1204",
          "fec/uncorrectable_blocks=0", "fec/lane0_corrected_blocks=1200",
          "fec/lane1_corrected_blocks=4", "ethtool/link_down_events_phy=2",
          "ethtool/rx_pcs_symbol_err_phy=0", "ethtool/outbound_pci_stalled_wr=0"));
  EXPECT_THAT(counters_of(inventory, "dummy0"), IsEmpty());
}

TEST(Interfaces, InnerPortsOfACardsSwitchAreLeftOut) {
  const Node node("rdma.tree");
  const std::string card = "sys/devices/pci0000:16/0000:16:01.0/0000:17:00.0/";
  for (const auto& [name, port] :
       {std::pair("ens1f0np0", "p0"), std::pair("enp23s0f0npf0vf0", "pf0vf0")}) {
    const std::string folder = card + "net/" + name;
    std::filesystem::create_directories(node.path() + "/" + folder);
    std::ofstream(node.path() + "/" + folder + "/phys_port_name") << port << "\n";
    std::error_code there;
    std::filesystem::create_symlink("../../../" + folder, node.path() + "/sys/class/net/" + name,
                                    there);
    std::filesystem::create_symlink("../..", node.path() + "/" + folder + "/device", there);
  }
  for (const Interface& interface : found_in(node).interfaces)
    EXPECT_NE(interface.component.text(), "enp23s0f0npf0vf0");
  EXPECT_EQ(interface_of(found_in(node), "ens1f0np0").type, "physical");
}

TEST(Interfaces, AnInterfaceOnUsbBelongsToNoPciFunction) {
  const Node node("rdma.tree");
  const std::string usb =
      node.path() + "/sys/devices/pci0000:16/0000:16:01.0/0000:17:00.0/usb1/1-1";
  std::filesystem::create_directories(usb + "/net/usb0");
  std::filesystem::create_symlink("../..", usb + "/net/usb0/device");
  std::filesystem::create_symlink(
      "../../devices/pci0000:16/0000:16:01.0/0000:17:00.0/usb1/1-1/net/usb0",
      node.path() + "/sys/class/net/usb0");
  const Interface interface = interface_of(found_in(node), "usb0");
  EXPECT_EQ(interface.type, "physical");
  EXPECT_EQ(interface.pci, std::nullopt);
}

}  // namespace
}  // namespace linkburn
