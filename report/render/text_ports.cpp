#include <fmt/core.h>

#include <algorithm>

#include "report/render/text_parts.h"
#include "report/rules/network_port.h"

namespace linkburn {
namespace {

/// The physical state says something only where the port is not simply up.
std::string state_text(const PortView& view) {
  std::string state = plain(view.port->state, 30);
  const std::string physical = plain(view.port->phys_state, 30);
  if (view.rate_gbps && same_word(physical, "LinkUp")) return state;
  if (!physical.empty()) state += fmt::format("{}{}", state.empty() ? "" : ", ", physical);
  return state;
}

std::string gbps_text(std::optional<double> gbps) {
  return gbps ? fmt::format("{:g} Gb/s", *gbps) : "";
}

/// "25 of 100 Gb/s"; only what is known of it.
std::string rate_text(const PortView& view) {
  if (!view.rated_gbps) return gbps_text(view.rate_gbps);
  const std::string rated = gbps_text(view.rated_gbps);
  return view.rate_gbps ? fmt::format("{:g} of {}", *view.rate_gbps, rated) : "- of " + rated;
}

/// "4X NDR", which tells a width fault from a speed fault.
std::string lanes_text(const Port& port) {
  std::string text = port.lanes ? fmt::format("{}X", *port.lanes) : "";
  if (!port.speed_name.empty())
    text += fmt::format("{}{}", text.empty() ? "" : " ", plain(port.speed_name, 10));
  return text;
}

std::string netdev_text(const PortView& view) {
  const std::string& name = view.port->netdev.empty() && view.interface != nullptr
                                ? view.interface->component.text()
                                : view.port->netdev;
  return plain(name, 20);
}

std::string judged_text(std::optional<FindingClass> judgement) {
  return judgement ? std::string(to_string(*judgement)) : "no";
}

void add_row(Table& table, std::vector<std::string> cells, std::optional<FindingClass> judgement) {
  cells.push_back(judged_text(judgement));
  if (judgement)
    table.add(std::move(cells), *judgement);
  else
    table.add(std::move(cells));
}

void append_rdma_ports(std::string& out, const NodeView& node, const TextStyle& style) {
  Table table({{"port", 10},
               {"state", 6},
               {"rate of rated", 15},
               {"lanes", 5},
               {"link layer", 8},
               {"netdev", 6},
               {"gid", 3},
               {"device", 7},
               {"judged", 6}});
  for (const PortView& view : node.ports) {
    const Port& port = *view.port;
    add_row(table,
            {plain(port.component.text(), 60), state_text(view), rate_text(view),
             view.rate_gbps ? lanes_text(port) : "", plain(port.link_layer, 20), netdev_text(view),
             view.gid != nullptr ? fmt::format("{}", view.gid->index) : "",
             port.pci ? short_address(*port.pci) : ""},
            view.judgement);
  }
  out += "RDMA ports\n";
  table.append_to(out, style.columns, style.paint);
  out += '\n';
}

std::string link_text(const Interface& interface) {
  if (interface.admin_up == false) return "switched off";
  if (!interface.carrier) return plain(interface.operstate, 20);
  if (*interface.carrier) return "link";
  return interface.link_detail.empty() ? "no link" : "no link: " + plain(interface.link_detail, 40);
}

/// The members of a bond, what carries a VLAN, or the module of a physical interface.
std::string made_of(const Interface& interface) {
  std::string text = plain(interface.bond_mode, 20);
  for (const std::string& member : interface.members)
    text += fmt::format("{}{}", text.empty() ? "" : " ", plain(member, 20));
  if (!interface.vlan_parent.empty()) return "on " + plain(interface.vlan_parent, 20);
  if (!interface.bond.empty()) return "in " + plain(interface.bond, 20);
  if (interface.module)
    return plain(fmt::format("{} {}", interface.module->vendor, interface.module->part_number), 60);
  return text;
}

/// Those of hardware that no RDMA port stands for, and bonds, which say how ports belong together.
bool is_listed(const InterfaceView& view) {
  const Interface& interface = *view.interface;
  return (interface.type == "physical" && interface.pci && !view.has_port) ||
         interface.type == "bond";
}

void append_interfaces(std::string& out, const NodeView& node, const TextStyle& style) {
  Table table({{"interface", 9},
               {"type", 8},
               {"state", 7},
               {"speed", 8},
               {"supported", 8},
               {"made of", 10},
               {"device", 7},
               {"judged", 6}});
  for (const InterfaceView& view : node.interfaces) {
    if (!is_listed(view)) continue;
    const Interface& interface = *view.interface;
    add_row(table,
            {plain(interface.component.text(), 20), plain(interface.type, 20), link_text(interface),
             gbps_text(interface.speed_gbps), gbps_text(interface.supported_gbps),
             made_of(interface), interface.pci ? short_address(*interface.pci) : ""},
            view.judgement);
  }
  out += "Network interfaces without an RDMA port of their own\n";
  table.append_to(out, style.columns, style.paint);
  out += '\n';
}

}  // namespace

void append_ports(std::string& out, const NodeView& node, const TextStyle& style) {
  if (!node.ports.empty()) append_rdma_ports(out, node, style);
  if (std::any_of(node.interfaces.begin(), node.interfaces.end(), is_listed))
    append_interfaces(out, node, style);
}

}  // namespace linkburn
