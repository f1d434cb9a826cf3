// Ports and interfaces from ibstat, ibstatus, ibv_devinfo, show_gids, rdma link and ethtool.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/captures/assemble.h"
#include "bench/captures/ethtool_text.h"
#include "bench/captures/port_text.h"
#include "tests/bench/captures/read_text.h"

namespace linkburn {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

Inventory inventory_of(std::string_view text) { return assemble(read(text)); }

Port only_port(std::string_view text) {
  const Inventory inventory = inventory_of(text);
  EXPECT_THAT(inventory.ports, SizeIs(1));
  return inventory.ports.empty() ? Port{} : inventory.ports.front();
}

Interface only_interface(std::string_view text) {
  const Inventory inventory = inventory_of(text);
  EXPECT_THAT(inventory.interfaces, SizeIs(1));
  return inventory.interfaces.empty() ? Interface{} : inventory.interfaces.front();
}

TEST(NetworkTexts, WordsThatOnlyLookAlikeBeginNothing) {
  for (const char* text :
       {"State: running\n", "Speed: 4800 MT/s\n", "port: 22\n", "rate: 5\n",
        "ethtool shows eth0 at 25G\n", "driver nvidia\n", "the port went 5: LinkUp\n"}) {
    const NodeDraft draft = read(text);
    EXPECT_THAT(draft.ports, IsEmpty()) << text;
    EXPECT_THAT(draft.interfaces, IsEmpty()) << text;
  }
}

TEST(NetworkTexts, WhatIsNotSaidIsUnknown) {
  const Port port = only_port("Physical state: LinkUp\n");
  EXPECT_EQ(port.component.text(), "port/1");
  EXPECT_EQ(port.phys_state, "LinkUp");
  EXPECT_EQ(port.state, "");
  EXPECT_FALSE(port.rate_gbps || port.lanes || port.lid);
  EXPECT_FALSE(port.gids_read);
}

TEST(NetworkTexts, StatesAreThoseOfSysfs) {
  EXPECT_EQ(port_state_word("4: ACTIVE"), "ACTIVE");
  EXPECT_EQ(port_state_word("PORT_ACTIVE (4)"), "ACTIVE");
  EXPECT_EQ(port_state_word("Initializing"), "INIT");
  EXPECT_EQ(port_state_word("Enabled"), "");
  EXPECT_EQ(physical_state_word("PORT_CONFIGURATION TRAINNING (4)"), "PortConfigurationTraining");
  EXPECT_EQ(physical_state_word("LINK_UP (5)"), "LinkUp");
  EXPECT_EQ(physical_state_word("No state change"), "");
}

TEST(NetworkTexts, GuidsAreThoseOfSysfs) {
  EXPECT_EQ(guid_text("0x2c90300a1b2c3"), "0002:c903:00a1:b2c3");
  EXPECT_EQ(guid_text("0002:c903:00a1:b2c3"), "0002:c903:00a1:b2c3");
  EXPECT_EQ(guid_text("unknown"), "");
}

TEST(NetworkTexts, IbstatTellsTheAdapterByItsDeviceId) {
  const Port port = only_port(
      "CA 'mlx5_0'\n\tCA type: MT4123\n\tPort 1:\n\t\tState: Active\n\t\tPhysical state: LinkUp\n"
      "\t\tRate: 40 (FDR10)\n\t\tLink layer: InfiniBand\n");
  EXPECT_EQ(port.component.text(), "mlx5_0/1");
  EXPECT_EQ(port.vendor_id, "0x15b3");
  EXPECT_EQ(port.device_id, "0x101b");
  EXPECT_EQ(port.rate_gbps, 40);
  EXPECT_EQ(port.speed_name, "FDR10");
  EXPECT_FALSE(port.pci);
}

TEST(NetworkTexts, IbstatOfSeveralPortsAndOfFragments) {
  const Inventory inventory = inventory_of(
      "CA 'mlx4_0'\n\tPort 1:\n\t\tState: Active\n\t\tPhysical state: LinkUp\n\tPort 2:\n"
      "\t\tState: Down\n\t\tPhysical state: Polling\n...\n\t\tState: Armed\n"
      "\t\tPhysical state: LinkUp\n");
  ASSERT_THAT(inventory.ports, SizeIs(3));
  EXPECT_EQ(inventory.ports[1].component.text(), "mlx4_0/2");
  EXPECT_EQ(inventory.ports[1].phys_state, "Polling");
  EXPECT_EQ(inventory.ports[2].component.text(), "port/1");
  EXPECT_EQ(inventory.ports[2].state, "ARMED");
}

TEST(NetworkTexts, SeveralToolsTellOfOnePort) {
  const Port port = only_port(
      "CA 'mlx5_0'\n\tCA type: MT4129\n\tPort 1:\n\t\tState: Active\n\t\tPhysical state: LinkUp\n"
      "\t\tRate: 400\n\t\tLink layer: InfiniBand\n"
      "Infiniband device 'mlx5_0' port 1 status:\n\tstate:\t 4: ACTIVE\n"
      "\trate:\t 400 Gb/sec (4X NDR)\n"
      "mlx5_0 port 1 ==> ib0 (Up)\n");
  EXPECT_EQ(port.rate_text, "400 Gb/sec (4X NDR)");
  EXPECT_EQ(port.lanes, 4);
  EXPECT_EQ(port.device_id, "0x1021");
  EXPECT_EQ(port.netdev, "ib0");
}

TEST(NetworkTexts, TextsOfDifferentMomentsAreNotMixed) {
  const Port port = only_port(
      "CA 'mlx5_0'\n\tPort 1:\n\t\tState: Active\n\t\tPhysical state: LinkUp\n\t\tRate: 200\n"
      "Infiniband device 'mlx5_0' port 1 status:\n\tstate:\t 1: DOWN\n\tphys state:\t 2: Polling\n"
      "\trate:\t 10 Gb/sec (4X)\n");
  EXPECT_EQ(port.state, "ACTIVE");
  EXPECT_EQ(port.phys_state, "LinkUp");
  EXPECT_EQ(port.rate_gbps, 200);
  EXPECT_FALSE(port.lanes);
}

TEST(NetworkTexts, IbvDevinfoComputesTheRate) {
  const Port port = only_port(
      "hca_id:\tmlx5_0\n\tvendor_id:\t0x02c9\n\tvendor_part_id:\t4119\n\tboard_id:\tMT_1\n"
      "\t\tport:\t1\n\t\t\tstate:\tPORT_ACTIVE (4)\n\t\t\tlink_layer:\tEthernet\n"
      "\t\t\tactive_width:\t1X (1)\n\t\t\tactive_speed:\t25.0 Gbps (32)\n");
  EXPECT_EQ(port.rate_text, "25 Gb/sec (1X EDR)");
  EXPECT_EQ(port.rate_gbps, 25);
  EXPECT_EQ(port.device_id, "0x1017");
  EXPECT_EQ(port.board_id, "MT_1");
}

TEST(NetworkTexts, TwoTablesWithoutHeadingsAreTwoPorts) {
  const Inventory inventory = inventory_of(
      "\t\t\tGID[  0]:\t\tfe80::1, RoCE v1\n\t\t\tGID[  1]:\t\tfe80::1, RoCE v2\n"
      "\t\t\tGID[  0]:\t\tfe80::2, RoCE v1\n");
  ASSERT_THAT(inventory.ports, SizeIs(2));
  EXPECT_THAT(inventory.ports[0].gids, SizeIs(2));
  EXPECT_EQ(inventory.ports[1].component.text(), "port/2");
}

TEST(NetworkTexts, ShowGidsWithoutInterfaceOrAddress) {
  const Port port = only_port(
      "mlx5_0  1  0  fe80:0000:0000:0000:ec0d:9a03:00ca:2f4c     v1\n"
      "mlx5_0  1  3  0000:0000:0000:0000:0000:ffff:c000:0206 192.0.2.6  v2  eth0\n");
  ASSERT_THAT(port.gids, SizeIs(2));
  EXPECT_EQ(port.gids[0].netdev, "");
  EXPECT_EQ(port.gids[1].type, "RoCE v2");
  EXPECT_EQ(port.netdev, "eth0");
  EXPECT_FALSE(port.gids_read);
}

TEST(NetworkTexts, VerboseListOfInterfacesTellsTheAddress) {
  const Port port = only_port(
      "0000:31:00.0 mlx5_0 (MT4123 - MCX653105A-HDAT) fw 20.31.1014 port 1 (ACTIVE) ==> ib0 (Up)");
  ASSERT_TRUE(port.pci);
  EXPECT_EQ(port.pci->text(), "0000:31:00.0");
  EXPECT_EQ(port.state, "ACTIVE");
}

TEST(NetworkTexts, EthtoolWithModesOverSeveralLines) {
  const Interface eth0 = only_interface(
      "Settings for eth0:\n\tSupported link modes:   10000baseKR/Full\n"
      "\t                        100000baseCR4/Full\n\tAdvertised link modes:  Not reported\n"
      "\tSpeed: 100000Mb/s\n\tDuplex: Full\n\tAuto-negotiation: off\n\tLink detected: yes\n");
  EXPECT_EQ(eth0.component.text(), "eth0");
  EXPECT_THAT(eth0.supported_modes, ElementsAre("10000baseKR/Full", "100000baseCR4/Full"));
  EXPECT_THAT(eth0.advertised_modes, IsEmpty());
  EXPECT_EQ(eth0.supported_gbps, 100);
  EXPECT_FALSE(eth0.partner_gbps);
  EXPECT_EQ(eth0.autonegotiation, false);
  EXPECT_EQ(eth0.carrier, true);
  EXPECT_EQ(eth0.type, "physical");
}

TEST(NetworkTexts, SpeedOfALinkThatIsDownSaysNothing) {
  const Interface eth0 = only_interface(
      "Settings for eth0:\n\tSpeed: 10Mb/s\n\tDuplex: Half\n\tLink detected: no (No cable)\n");
  EXPECT_FALSE(eth0.speed_gbps);
  EXPECT_EQ(eth0.duplex, "");
  EXPECT_EQ(eth0.carrier, false);
  EXPECT_EQ(eth0.link_detail, "No cable");
}

TEST(NetworkTexts, StatisticsBelongToWhatNamesThem) {
  const NodeDraft draft = read(
      "$ ethtool -S eth3\nNIC statistics:\n     rx_packets: 5\n     link_down_events_phy: 2\n");
  ASSERT_THAT(draft.records, SizeIs(1));
  const auto& counter = std::get<Counter>(draft.records.front());
  EXPECT_EQ(counter.component.text(), "eth3");
  EXPECT_EQ(counter.name, "ethtool/link_down_events_phy");
  EXPECT_EQ(counter.value, 2);
}

TEST(NetworkTexts, StatisticsAfterTwoInterfacesAreOfNeither) {
  const NodeDraft draft = read(
      "Settings for eth0:\n\tLink detected: yes\nSettings for eth1:\n\tLink detected: yes\n"
      "NIC statistics:\n     link_down_events_phy: 2\n");
  ASSERT_THAT(draft.records, SizeIs(1));
  EXPECT_EQ(std::get<Counter>(draft.records.front()).component.text(), "interface/3");
}

TEST(NetworkTexts, DriverTellsTheAddress) {
  const Interface eth0 = only_interface(
      "# ethtool -i eth0\ndriver: mlx5_core\nversion: 5.15\nbus-info: 0000:31:00.0\n");
  ASSERT_TRUE(eth0.pci);
  EXPECT_EQ(eth0.pci->text(), "0000:31:00.0");
  EXPECT_EQ(eth0.driver, "mlx5_core");
}

TEST(NetworkTexts, FecWithItsStatistics) {
  const NodeDraft draft = read(
      "FEC parameters for eth0:\nSupported/Configured FEC encodings: Auto RS\n"
      "Active FEC encoding: RS\nStatistics:\n  corrected_blocks: 256\n    Lane 0: 255\n"
      "    Lane 1: 1\n  uncorrectable_blocks: 3\n");
  ASSERT_THAT(draft.interfaces, SizeIs(1));
  EXPECT_EQ(draft.interfaces.front().fec, "RS");
  ASSERT_THAT(draft.records, SizeIs(4));
  EXPECT_EQ(std::get<Counter>(draft.records[1]).name, "fec/lane0_corrected_blocks");
  EXPECT_EQ(std::get<Counter>(draft.records[3]).name, "fec/uncorrectable_blocks");
}

TEST(NetworkTexts, ModuleInWords) {
  const Interface eth0 = only_interface(
      "# ethtool -m eth0\n\tIdentifier  : 0x11 (QSFP28)\n\tTransceiver type : 100G Ethernet: SR4\n"
      "\tEncoding : 0x05 (64B/66B)\n\tBR, Nominal : 25500Mbps\n\tVendor name : Mellanox\n"
      "\tModule temperature : 41.5 degrees C / 106.7 degrees F\n"
      "\tLaser rx power low alarm    (Channel 2)   : On\n");
  ASSERT_TRUE(eth0.module);
  EXPECT_EQ(eth0.module->identifier, "QSFP28");
  EXPECT_EQ(eth0.module->rate_gbps, 100);
  EXPECT_EQ(eth0.module->temperature_c, 41.5);
  EXPECT_FALSE(eth0.module->temperature_high_alarm_c);
  EXPECT_THAT(eth0.module->alarms, ElementsAre("Laser rx power low alarm (Channel 2)"));
}

TEST(NetworkTexts, DumpOfAnythingElseIsNoModule) {
  EXPECT_FALSE(module_of_dump(std::vector<std::uint8_t>(256, 0)));
  std::vector<std::uint8_t> registers(256, 0);
  registers[0] = 0x11;
  EXPECT_FALSE(module_of_dump(registers));
}

TEST(NetworkTexts, PortGoesToTheFunctionOfItsInterface) {
  const Inventory inventory = inventory_of(
      "link mlx5_0/1 state ACTIVE physical_state LINK_UP netdev eth0\n"
      "# ethtool -i eth0\ndriver: mlx5_core\nbus-info: 0000:31:00.0\n");
  ASSERT_THAT(inventory.ports, SizeIs(1));
  ASSERT_TRUE(inventory.ports.front().pci);
  EXPECT_EQ(inventory.ports.front().pci->text(), "0000:31:00.0");
}

TEST(NetworkTexts, OtherDriversNameTheSameCountersInTheirOwnWay) {
  for (const char* name : {"rx_crc_errors.nic", "port.rx_crc_errors", "rx_crc_errors",
                           "rx_fcs_err_frames", "rx_crc_errors_phy"}) {
    const NodeDraft draft =
        read(std::string("$ ethtool -S eth3\nNIC statistics:\n     rx_packets: 5\n     ") + name +
             ": 7\n     rx_queue_0_packets: 5\n");
    ASSERT_THAT(draft.records, SizeIs(1)) << name;
    const auto* counter = std::get_if<Counter>(&draft.records.front());
    ASSERT_NE(counter, nullptr);
    EXPECT_EQ(counter->name, "ethtool/rx_crc_errors_phy");
    EXPECT_EQ(counter->value, 7);
  }
}

TEST(NetworkTexts, PickedLinesKeepTheDevice) {
  const Inventory inventory = inventory_of(
      "CA 'mlx5_0'\n\t\tState: Active\n\t\tPhysical state: LinkUp\n\t\tRate: 400\n"
      "CA 'mlx4_0'\n\t\tState: Active\n\t\tPhysical state: LinkUp\n\t\tRate: 56\n"
      "\t\tState: Down\n\t\tPhysical state: Polling\n\t\tRate: 10\n");
  ASSERT_THAT(inventory.ports, SizeIs(3));
  EXPECT_EQ(inventory.ports[0].component.text(), "mlx5_0/1");
  EXPECT_EQ(inventory.ports[1].component.text(), "mlx4_0/1");
  EXPECT_EQ(inventory.ports[2].component.text(), "mlx4_0/2");
  EXPECT_EQ(inventory.ports[2].state, "DOWN");
}

}  // namespace
}  // namespace linkburn
