#include "report/rules/network_port.h"

#include <fmt/core.h>
#include <strings.h>

#include <algorithm>
#include <array>

namespace linkburn {
namespace {

/// RDMA drivers that send through an interface of any kind [linux drivers/infiniband/sw].
bool is_software_driver(const std::string& driver) {
  constexpr std::array<std::string_view, 4> kDrivers{"rxe", "rdma_rxe", "siw", "rdmavt"};
  return std::find(kDrivers.begin(), kDrivers.end(), driver) != kDrivers.end();
}

/// A further interface of a function that has its port already stands for a virtual function or a
/// sub-function. Below a bond it is the true port: the RDMA port moved to the bond.
bool is_representor_of(const Port& port, const Interface& interface) {
  return port.pci && port.pci == interface.pci && interface.bond.empty();
}

const Seen<Interface>* find_interface(const Story& story, const Port& port) {
  const auto found =
      std::find_if(story.interfaces.begin(), story.interfaces.end(),
                   [&](const auto& interface) { return is_interface_of(port, *interface); });
  return found == story.interfaces.end() ? nullptr : &*found;
}

bool is_first_port(const Port& port) { return port.component.text().ends_with("/1"); }

/// A function of mlx5 has one port. Only where the card switches between functions it has more:
/// behind the first one are those that stand for functions of guests. They speak raw Ethernet, so
/// their GID tables stay empty [linux drivers/infiniband/hw/mlx5/main.c, mlx5_port_rep_immutable;
/// ib_rep.c].
bool is_rdma_representor(const Port& port, const Interface* interface) {
  if (same_word(port.link_layer, "InfiniBand") || port.driver != "mlx5_core") return false;
  const bool inner = interface != nullptr && interface->type == "virtual" && interface->pci;
  return inner || (!is_first_port(port) && port.gids.empty());
}

void add_expectation(const Story& story, NetworkPort& port) {
  if (port.pci) port.device = story.component(*port.pci);
  const SitePort* expected = story.site.port(port.port());
  if (expected == nullptr) return;
  port.site_rated = expected->rate_gbps.has_value();
  port.expected_up = expected->up;
  // Only a port that is up has a rate.
  if (!expected->up && port.site_rated) port.expected_up = true;
}

/// Told of by ethtool's own output, or a port without a driver's name: soft ones have one.
bool is_captured(const Story& story, const Port& port) {
  return story.is_captured() && !port.pci && port.driver.empty();
}
bool is_captured(const Story& story, const Interface& interface) {
  const bool from_text =
      interface.modes_source == "ethtool" || (!interface.pci && interface.driver.empty());
  return story.is_captured() && interface.type == "physical" && from_text;
}

NetworkPort from_rdma(const Story& story, const Seen<Port>& rdma) {
  NetworkPort port;
  port.component = rdma->component;
  port.rdma = rdma.body;
  port.pci = rdma->pci;
  port.at_ns = rdma.at_ns;
  port.evidence = {rdma.seq};
  if (const auto* interface = find_interface(story, *rdma)) {
    port.interface = interface->body;
    port.evidence.push_back(interface->seq);
  }
  port.captured = is_captured(story, *rdma);
  add_expectation(story, port);
  port.representor = is_rdma_representor(*rdma, port.interface);
  return port;
}

/// RoCE over a bond: the RDMA port moved to the bond, its traffic still goes through the members.
bool is_below_rdma(const Story& story, const Interface& interface) {
  return !interface.bond.empty() &&
         std::any_of(story.ports.begin(), story.ports.end(), [&](const auto& port) {
           return port->netdev == interface.bond || (port->pci && port->pci == interface.pci);
         });
}

NetworkPort from_interface(const Story& story, const Seen<Interface>& interface) {
  NetworkPort port;
  port.component = interface->component;
  port.interface = interface.body;
  port.pci = interface->pci;
  port.at_ns = interface.at_ns;
  port.evidence = {interface.seq};
  Port made;
  made.component = interface->component;
  made.pci = interface->pci;
  made.link_layer = "Ethernet";
  made.netdev = interface->component.text();
  made.driver = interface->driver;
  port.made = std::move(made);
  port.carries_rdma = is_below_rdma(story, *interface);
  port.captured = is_captured(story, *interface);
  add_expectation(story, port);
  return port;
}

}  // namespace

bool is_interface_of(const Port& port, const Interface& interface) {
  return port.netdev == interface.component.text() ||
         (port.netdev.empty() && port.pci && port.pci == interface.pci);
}

bool same_word(std::string_view a, std::string_view b) {
  return a.size() == b.size() && ::strncasecmp(a.data(), b.data(), a.size()) == 0;
}

bool NetworkPort::is_infiniband() const { return same_word(port().link_layer, "InfiniBand"); }

bool NetworkPort::is_active() const {
  if (rdma != nullptr) return same_word(rdma->state, "ACTIVE");
  if (interface->carrier) return *interface->carrier;
  return same_word(interface->operstate, "up");
}

bool NetworkPort::may_be_active() const {
  const bool told =
      rdma != nullptr ? !rdma->state.empty() : interface->carrier || !interface->operstate.empty();
  return is_active() || (captured && !told);
}

bool NetworkPort::is_hardware() const {
  const bool above_others = interface != nullptr && !interface->type.empty() &&
                            interface->type != "physical" && !is_infiniband();
  const bool asked_for = site_rated || expected_up == true;
  return (pci || captured) && !above_others && !is_software() &&
         (asked_for || (!representor && !is_virtual_function()));
}

std::optional<NetworkPort::Model> NetworkPort::model() const {
  if (device != nullptr)
    return Model{device->vendor_id, device->device_id, device->subsystem_device_id,
                 is_infiniband()};
  if (port().device_id.empty()) return std::nullopt;
  return Model{port().vendor_id, port().device_id, port().board_id, is_infiniband()};
}

bool NetworkPort::is_software() const { return is_software_driver(port().driver); }

bool NetworkPort::is_virtual_function() const {
  return device != nullptr && device->physical_function.has_value();
}

std::vector<ComponentId> NetworkPort::names() const {
  std::vector<ComponentId> names{component};
  if (interface != nullptr)
    names.push_back(interface->component);
  else if (!port().netdev.empty())
    names.push_back(ComponentId::from_evidence(port().netdev));
  if (names.back() == component && names.size() > 1) names.pop_back();
  return names;
}

std::optional<double> NetworkPort::negotiated_gbps() const {
  if (!is_active()) return std::nullopt;
  if (!is_infiniband() && interface != nullptr && interface->speed_gbps)
    return interface->speed_gbps;
  return port().rate_gbps;
}

std::optional<int> NetworkPort::negotiated_lanes() const {
  if (!is_infiniband() && interface != nullptr && interface->lanes) return interface->lanes;
  // Made from the interface's speed, so it holds only as long as both say the same. mlx5 says
  // "1X HDR" of 50 Gb/s on two lanes, too [linux drivers/infiniband/hw/mlx5/main.c,
  // translate_eth_legacy_proto_oper].
  const bool same_rate = negotiated_gbps() == port().rate_gbps;
  const bool ambiguous = !is_infiniband() && port().lanes == 1 && port().speed_name == "HDR";
  return same_rate && !ambiguous ? port().lanes : std::nullopt;
}

std::string NetworkPort::negotiated_text() const {
  const auto gbps = negotiated_gbps();
  if (!gbps) return {};
  const bool as_port_says = port().rate_gbps == gbps && !port().rate_text.empty();
  return as_port_says ? port().rate_text : fmt::format("{:g} Gb/s", *gbps);
}

std::vector<NetworkPort> network_ports(const Story& story) {
  std::vector<NetworkPort> ports;
  for (const auto& rdma : story.ports) ports.push_back(from_rdma(story, rdma));
  for (const auto& interface : story.interfaces) {
    const bool known = std::any_of(story.ports.begin(), story.ports.end(), [&](const auto& port) {
      return is_interface_of(*port, *interface) || is_representor_of(*port, *interface);
    });
    const bool has_device = interface->pci || is_captured(story, *interface);
    if (interface->type == "physical" && has_device && !known)
      ports.push_back(from_interface(story, interface));
  }
  return ports;
}

namespace {

/// Boards with one chip are rated differently, but none with InfiniBand for less than this. It says
/// something of a port below it, and nothing of any other. ConnectX-8 is not among them: where it
/// runs a link in planes, each of these shows a part of the rate. [NVIDIA user manuals, tables of
/// part numbers and data rates: Connect-IB (FDR), ConnectX-4 VPI (FDR, EDR), ConnectX-5 VPI (EDR),
/// ConnectX-6 VPI (HDR100, HDR), ConnectX-7 VPI (NDR200, NDR); names of ids: pci.ids, vendor 15b3]
std::optional<Rated<double>> least_rated(const Port& port) {
  struct Chip {
    std::string_view device_id, name;
    double gbps;
  };
  constexpr std::array<Chip, 6> kChips{{{"0x1011", "Connect-IB", 56},
                                        {"0x1013", "ConnectX-4", 56},
                                        {"0x1017", "ConnectX-5", 100},
                                        {"0x1019", "ConnectX-5 Ex", 100},
                                        {"0x101b", "ConnectX-6", 100},
                                        {"0x1021", "ConnectX-7", 200}}};
  if (!same_word(port.link_layer, "InfiniBand") || port.vendor_id != "0x15b3") return std::nullopt;
  for (const Chip& chip : kChips)
    if (chip.device_id == port.device_id && port.rate_gbps.value_or(chip.gbps) < chip.gbps * 0.9)
      return Rated<double>{chip.gbps, fmt::format("the least of any {} board", chip.name)};
  return std::nullopt;
}

}  // namespace

std::optional<Rated<double>> rating_of(const Story& story, const NetworkPort& port) {
  RatingContext context{&story.site, port.device};
  std::optional<Interface> bare;
  if (port.interface != nullptr) {
    bare = *port.interface;
    bare->module.reset();
  }
  // An adapter that a capture knows by its ids alone.
  Component by_ids;
  by_ids.vendor_id = port.port().vendor_id;
  by_ids.device_id = port.port().device_id;
  if (context.device == nullptr && !by_ids.device_id.empty()) context.device = &by_ids;
  auto rated = rate_port(port.port(), bare ? &*bare : nullptr, context);
  if (!rated && port.captured && port.is_active()) rated = least_rated(port.port());
  if (rated && rated->value <= 0) return std::nullopt;
  return rated;
}

Quantity rate_quantity(double gbps) {
  Quantity quantity;
  quantity.text = fmt::format("{:g} Gb/s", gbps);
  quantity.rate_gbs = gbps / 8;
  return quantity;
}

Finding port_finding(const Story& story, const NetworkPort& port, std::string code,
                     FindingClass cls, Aspect aspect) {
  Finding finding;
  finding.code = std::move(code);
  finding.cls = cls;
  finding.aspect = aspect;
  finding.component = port.component;
  finding.phase = story.live_run ? Phase::idle : Phase::passive;
  finding.at_ns = port.at_ns;
  finding.evidence = port.evidence;
  if (const auto gbps = port.negotiated_gbps()) {
    finding.negotiated = rate_quantity(*gbps);
    finding.negotiated.text = port.negotiated_text();
  }
  return finding;
}

Finding healthy_port(const Story& story, const NetworkPort& port, Aspect aspect,
                     std::string detail) {
  Finding finding = port_finding(story, port, "LB-HEALTHY", FindingClass::healthy, aspect);
  finding.detail = std::move(detail);
  return finding;
}

}  // namespace linkburn
