// Ports and interfaces that several texts tell of become one each.
#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "bench/captures/assemble.h"

namespace linkburn {
namespace {

void fill(std::string& to, const std::string& from) {
  if (to.empty()) to = from;
}
template <class T>
void fill(std::optional<T>& to, const std::optional<T>& from) {
  if (!to) to = from;
}
template <class T>
void fill(std::vector<T>& to, const std::vector<T>& from) {
  if (to.empty()) to = from;
}

/// Texts of different moments can tell different states. The first one stands, with its own rate.
bool is_same_moment(const Port& a, const Port& b) {
  return a.state.empty() || b.state.empty() || a.state == b.state;
}

/// ibstat tells the rate alone, and others how it comes about.
void merge_rate(Port& to, const Port& from) {
  const bool same_rate = !to.rate_gbps || to.rate_gbps == from.rate_gbps;
  if (!from.rate_gbps || !same_rate) return;
  to.rate_gbps = from.rate_gbps;
  fill(to.rate_text, from.rate_text);
  fill(to.lanes, from.lanes);
  fill(to.speed_name, from.speed_name);
}

void merge_gids(Port& to, const Port& from) {
  std::map<int, Gid> by_index;
  for (const Gid& gid : to.gids) by_index.emplace(gid.index, gid);
  for (const Gid& gid : from.gids) {
    const auto [at, added] = by_index.emplace(gid.index, gid);
    if (added) continue;
    fill(at->second.type, gid.type);
    fill(at->second.netdev, gid.netdev);
  }
  to.gids.clear();
  for (auto& [index, gid] : by_index) to.gids.push_back(std::move(gid));
  to.gids_read = to.gids_read || from.gids_read;
}

void merge(Port& to, const Port& from) {
  if (is_same_moment(to, from)) {
    fill(to.state, from.state);
    fill(to.phys_state, from.phys_state);
    merge_rate(to, from);
    fill(to.sm_lid, from.sm_lid);
    fill(to.lid, from.lid);
  }
  fill(to.pci, from.pci);
  fill(to.link_layer, from.link_layer);
  fill(to.netdev, from.netdev);
  fill(to.driver, from.driver);
  fill(to.node_guid, from.node_guid);
  fill(to.system_image_guid, from.system_image_guid);
  fill(to.board_id, from.board_id);
  fill(to.firmware, from.firmware);
  fill(to.vendor_id, from.vendor_id);
  fill(to.device_id, from.device_id);
  merge_gids(to, from);
}

/// What belongs to the link at one moment goes together; a link that is down has no speed.
void merge_link(Interface& to, const Interface& from) {
  if (to.carrier && from.carrier && *to.carrier != *from.carrier) return;
  fill(to.carrier, from.carrier);
  fill(to.link_detail, from.link_detail);
  if (to.carrier == false) return;
  if (to.speed_gbps && from.speed_gbps && *to.speed_gbps != *from.speed_gbps) return;
  fill(to.speed_gbps, from.speed_gbps);
  fill(to.lanes, from.lanes);
  fill(to.duplex, from.duplex);
  fill(to.fec, from.fec);
}

void merge_modes(Interface& to, const Interface& from) {
  if (!to.modes_source.empty() || from.modes_source.empty()) return;
  to.modes_source = from.modes_source;
  to.modes_absent.clear();
  fill(to.supported_modes, from.supported_modes);
  fill(to.advertised_modes, from.advertised_modes);
  fill(to.partner_modes, from.partner_modes);
  fill(to.supported_gbps, from.supported_gbps);
  fill(to.advertised_gbps, from.advertised_gbps);
  fill(to.partner_gbps, from.partner_gbps);
  fill(to.autonegotiation, from.autonegotiation);
}

void merge(Interface& to, const Interface& from) {
  merge_link(to, from);
  merge_modes(to, from);
  fill(to.pci, from.pci);
  fill(to.type, from.type);
  fill(to.driver, from.driver);
  fill(to.operstate, from.operstate);
  fill(to.admin_up, from.admin_up);
  fill(to.mtu, from.mtu);
  if (!to.module && from.module) to.module_absent.clear();
  fill(to.module, from.module);
}

/// Of one node; the largest have some hundred.
constexpr std::size_t kMost = 1024;

template <class T>
class ByName {
 public:
  explicit ByName(std::vector<T>& list) : list_(list) {}
  void add(const T& one) {
    if (list_.size() >= kMost && !places_.contains(one.component)) {
      ++left_out_;
      return;
    }
    const auto [at, added] = places_.emplace(one.component, list_.size());
    if (added)
      list_.push_back(one);
    else
      merge(list_[at->second], one);
  }

  int left_out() const { return left_out_; }

 private:
  std::vector<T>& list_;
  int left_out_ = 0;
  std::map<ComponentId, std::size_t> places_;
};

/// The function of a port is that of its interface, or the only one with its ids.
class Functions {
 public:
  explicit Functions(const Inventory& inventory) {
    for (const Interface& interface : inventory.interfaces)
      if (interface.pci) of_interface_.emplace(interface.component.text(), *interface.pci);
    for (const PciFunction& function : inventory.functions)
      if (!function.virtual_function && !function.device_id.empty())
        by_ids_[{function.vendor_id, function.device_id}].push_back(&function);
    for (const Port& port : inventory.ports) ++ports_[{port.vendor_id, port.device_id}];
  }

  std::optional<ComponentId> of(const Port& port) const {
    if (const auto found = of_interface_.find(port.netdev); found != of_interface_.end())
      return found->second;
    const Ids ids{port.vendor_id, port.device_id};
    const auto found = by_ids_.find(ids);
    const bool alone = !port.device_id.empty() && found != by_ids_.end() &&
                       found->second.size() == 1 && ports_.at(ids) == 1;
    return alone ? std::optional(ComponentId::pci(found->second.front()->address)) : std::nullopt;
  }

 private:
  using Ids = std::pair<std::string, std::string>;
  std::map<std::string, ComponentId> of_interface_;
  std::map<Ids, std::vector<const PciFunction*>> by_ids_;
  std::map<Ids, int> ports_;
};

/// Soft-RoCE and soft-iWARP devices, by the names that are usual for them. They have no hardware.
void name_soft_driver(Port& port) {
  if (!port.driver.empty() || port.pci) return;
  const std::string& name = port.component.text();
  if (name.starts_with("rxe")) port.driver = "rxe";
  if (name.starts_with("siw")) port.driver = "siw";
}

}  // namespace

void assemble_network(const NodeDraft& draft, Inventory& inventory) {
  ByName<Port> ports(inventory.ports);
  ByName<Interface> interfaces(inventory.interfaces);
  // A tree has most of what there is to know, and comes first.
  for (const Inventory& tree : draft.trees) {
    for (const Port& port : tree.ports) ports.add(port);
    for (const Interface& interface : tree.interfaces) interfaces.add(interface);
  }
  int unnamed = 0;
  for (Port port : draft.ports) {
    if (port.component.empty())
      port.component = ComponentId::from_evidence(fmt::format("port/{}", ++unnamed));
    ports.add(port);
  }
  for (const Interface& interface : draft.interfaces) interfaces.add(interface);
  if (const int above_limit = ports.left_out() + interfaces.left_out(); above_limit > 0)
    inventory.errors.push_back(left_out(fmt::format(
        "{} ports and interfaces above the limit of {} were left out", above_limit, kMost)));
  for (Port& port : inventory.ports) name_soft_driver(port);
  const Functions functions(inventory);
  for (Port& port : inventory.ports)
    if (!port.pci && port.driver.empty()) port.pci = functions.of(port);
}

}  // namespace linkburn
