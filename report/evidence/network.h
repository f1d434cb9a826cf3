// The network part of the vocabulary of evidence: RDMA ports, network interfaces, modules.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/base/component.h"

namespace linkburn {

/// One entry of a port's GID table; empty entries have no record.
struct Gid {
  int index = 0;
  std::string gid;     ///< "fe80:0000:...", eight groups as in sysfs
  std::string type;    ///< "IB/RoCE v1", "RoCE v2"; empty: not readable
  std::string netdev;  ///< interface that it belongs to; empty: none, or of another namespace
  template <class Fields>
  void fields(Fields& f) {
    f("index", index), f("gid", gid), f("type", type), f("netdev", netdev);
  }
};

/// One RDMA port as found at discovery.
struct Port {
  static constexpr std::string_view kKind = "port";
  ComponentId component;
  std::optional<ComponentId> pci;  ///< none: a port without a PCI function (soft-RoCE)
  std::string state, phys_state, link_layer;
  std::optional<double> rate_gbps;  ///< as the port reports it; says nothing while it is down
  std::string rate_text;
  std::optional<int> lanes = {};                       ///< from the rate's "4X"
  std::string speed_name = {};                         ///< from the rate's "NDR"; empty: not said
  std::string netdev = {};                             ///< network interface of an Ethernet port
  std::string driver = {};                             ///< "mlx5_core", "rxe"
  std::string node_guid = {}, system_image_guid = {};  ///< ports of one card share the second
  std::string board_id = {}, firmware = {};
  /// PCI ids of its adapter ("0x15b3"), where a capture tells them without an address.
  std::string vendor_id = {}, device_id = {};
  std::optional<int> lid = {}, sm_lid = {};
  std::vector<Gid> gids = {};
  bool gids_read = false;  ///< the table could be read; empty then means empty
  template <class Fields>
  void fields(Fields& f) {
    f("component", component), f("pci", pci), f("state", state), f("phys_state", phys_state);
    f("link_layer", link_layer), f("rate_gbps", rate_gbps), f("rate_text", rate_text);
    f("lanes", lanes), f("speed_name", speed_name), f("netdev", netdev), f("driver", driver);
    f("node_guid", node_guid), f("system_image_guid", system_image_guid);
    f("board_id", board_id), f("firmware", firmware);
    f("vendor_id", vendor_id), f("device_id", device_id), f("lid", lid), f("sm_lid", sm_lid);
    f("gids", gids), f("gids_read", gids_read);
  }
};

/// A cable or transceiver, from its own memory.
struct Module {
  std::string identifier;  ///< "QSFP28", "QSFP-DD", "OSFP"
  std::string vendor, part_number, serial;
  std::optional<double> rate_gbps;  ///< the most that it says it can carry
  std::optional<double> temperature_c, temperature_high_alarm_c;
  std::vector<std::string> alarms = {};  ///< that it raises, where a capture tells them
  template <class Fields>
  void fields(Fields& f) {
    f("identifier", identifier), f("vendor", vendor), f("part_number", part_number);
    f("serial", serial), f("rate_gbps", rate_gbps), f("temperature_c", temperature_c);
    f("temperature_high_alarm_c", temperature_high_alarm_c), f("alarms", alarms);
  }
};

/// One network interface as found at discovery. Named by the interface: "eth0".
struct Interface {
  static constexpr std::string_view kKind = "interface";
  ComponentId component;
  std::optional<ComponentId> pci;
  std::string type;  ///< "physical", "bond", "vlan", "bridge", "virtual"
  std::string driver;
  std::string operstate;
  std::optional<bool> admin_up, carrier;
  std::optional<double> speed_gbps;  ///< absent: down, or the driver does not say
  std::optional<int> lanes, mtu;
  std::string duplex;
  /// Link modes as ethtool names them: "100000baseCR4/Full". Empty: not known.
  std::vector<std::string> supported_modes, advertised_modes, partner_modes;
  std::optional<double> supported_gbps, advertised_gbps, partner_gbps;  ///< the fastest of each
  std::optional<bool> autonegotiation;
  std::string modes_source;  ///< "netlink", "ioctl", "ethtool" (its text); empty: modes were not
                             ///< read, see modes_absent
  std::string modes_absent;  ///< why
  std::string fec;           ///< the active one: "RS", "BASER", "LLRS", "off"
  std::string link_detail;   ///< why there is no link: "No cable", "Bad signal integrity"
  std::optional<Module> module;
  std::string module_absent;         ///< why there is no module record
  std::string bond;                  ///< the bond or bridge that it belongs to
  std::string bond_mode;             ///< of a bond: "802.3ad"
  std::vector<std::string> members;  ///< of a bond
  std::string vlan_parent;
  std::optional<int> vlan_id;
  template <class Fields>
  void fields(Fields& f) {
    f("component", component), f("pci", pci), f("type", type), f("driver", driver);
    f("operstate", operstate), f("admin_up", admin_up), f("carrier", carrier);
    f("speed_gbps", speed_gbps), f("lanes", lanes), f("mtu", mtu), f("duplex", duplex);
    f("supported_modes", supported_modes), f("advertised_modes", advertised_modes);
    f("partner_modes", partner_modes), f("supported_gbps", supported_gbps);
    f("advertised_gbps", advertised_gbps), f("partner_gbps", partner_gbps);
    f("autonegotiation", autonegotiation), f("modes_source", modes_source);
    f("modes_absent", modes_absent), f("fec", fec), f("link_detail", link_detail);
    f("module", module), f("module_absent", module_absent), f("bond", bond);
    f("bond_mode", bond_mode), f("members", members), f("vlan_parent", vlan_parent);
    f("vlan_id", vlan_id);
  }
};

}  // namespace linkburn
