// What follows from the wiring: which NIC is nearest to which GPU, and what shares an uplink.
//
// Distances are those that collectives libraries know by the names PIX, PXB, PHB, NODE and SYS
// [nvidia-smi(1), topo -m].
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "bench/inventory/sources.h"

namespace linkburn {
namespace {

constexpr std::size_t kMaxNamed = 8;

enum class Distance { same_switch, switches, host_bridge, numa_node, other_numa_node, unknown };

std::string_view words(Distance distance) {
  switch (distance) {
    case Distance::same_switch:
      return "same switch";
    case Distance::switches:
      return "several switches";
    case Distance::host_bridge:
      return "same host bridge";
    case Distance::numa_node:
      return "same NUMA node";
    case Distance::other_numa_node:
      return "other NUMA node";
    case Distance::unknown:
      break;
  }
  return "unknown";
}

/// A function with the ports above it, nearest first.
struct Placed {
  PciFunction* function = nullptr;
  std::vector<const PciFunction*> above;
};

std::vector<Placed> endpoints_of(Inventory& inventory) {
  std::vector<Placed> placed;
  for (PciFunction& function : inventory.functions) {
    if (function.port_type != PortType::none || function.virtual_function) continue;
    Placed found{&function, {}};
    for (auto parent = function.parent; parent && found.above.size() < 64;) {
      const PciFunction* port = inventory.function(*parent);
      if (port == nullptr) break;
      found.above.push_back(port);
      parent = port->parent;
    }
    placed.push_back(std::move(found));
  }
  return placed;
}

bool is_gpu(const Placed& placed) {
  return placed.function->type == "gpu" || placed.function->type == "accelerator";
}

bool is_nic(const Placed& placed) {
  return placed.function->type == "nic" || placed.function->type == "infiniband";
}

/// "pci0000:10", the root bus that a function hangs below.
std::string_view root_bus(const PciFunction& function) {
  std::string_view path = function.folder;
  const std::size_t last = path.rfind("/pci");
  if (last == std::string_view::npos) return {};
  path.remove_prefix(last + 1);
  return path.substr(0, path.find('/'));
}

Distance distance_between(const Placed& one, const Placed& other, bool single_node) {
  for (std::size_t i = 0; i < one.above.size(); ++i) {
    const auto at = std::find(other.above.begin(), other.above.end(), one.above[i]);
    if (at == other.above.end()) continue;
    // Below one upstream port each hangs on a downstream port of its own; functions of one card
    // have the very same port.
    const auto j = static_cast<std::size_t>(at - other.above.begin());
    return i <= 1 && j <= 1 ? Distance::same_switch : Distance::switches;
  }
  const std::string_view bus = root_bus(*one.function);
  if (!bus.empty() && bus == root_bus(*other.function)) return Distance::host_bridge;
  const auto& numa = one.function->numa_node;
  const auto& other_numa = other.function->numa_node;
  if (single_node || (numa && numa == other_numa)) return Distance::numa_node;
  return numa && other_numa ? Distance::other_numa_node : Distance::unknown;
}

std::string listed(std::vector<std::string> names) {
  const std::size_t rest = names.size() > kMaxNamed ? names.size() - kMaxNamed : 0;
  names.resize(names.size() - rest);
  return fmt::format("{}{}", fmt::join(names, ", "),
                     rest > 0 ? fmt::format(" and {} more", rest) : "");
}

/// "0000:19:00.0, 0000:1b:00.0 (same switch)": all that are nearest; nothing without any.
std::string nearest_to(const Placed& from, const std::vector<const Placed*>& wanted,
                       bool single_node) {
  Distance best = Distance::unknown;
  std::vector<std::string> names;
  for (const Placed* other : wanted) {
    const Distance distance = distance_between(from, *other, single_node);
    if (distance == Distance::unknown || distance > best) continue;
    if (distance < best) names.clear();
    best = distance;
    names.push_back(to_string(other->function->address));
  }
  return names.empty() ? "" : fmt::format("{} ({})", listed(std::move(names)), words(best));
}

/// The upstream port of the nearest switch above; null without one.
const PciFunction* uplink_of(const Placed& placed) {
  const auto found = std::find_if(
      placed.above.begin(), placed.above.end(),
      [](const PciFunction* port) { return port->port_type == PortType::switch_upstream; });
  return found == placed.above.end() ? nullptr : *found;
}

void add_sharing(std::vector<Placed>& all) {
  std::map<const PciFunction*, std::vector<const Placed*>> below;
  // Functions of one card count once, by the first of them.
  for (const Placed& placed : all)
    if (const PciFunction* uplink = uplink_of(placed);
        uplink != nullptr && placed.function->address.function == 0)
      below[uplink].push_back(&placed);
  for (const Placed& placed : all) {
    const PciFunction* uplink = uplink_of(placed);
    if (uplink == nullptr) continue;
    std::vector<std::string> names;
    for (const Placed* other : below[uplink])
      if (other->above.front() != placed.above.front())
        names.push_back(to_string(other->function->address));
    if (names.empty()) continue;
    placed.function->facts["shares_uplink_with"] =
        fmt::format("{} (uplink {})", listed(std::move(names)), to_string(uplink->address));
  }
}

void add_nearest(const std::vector<Placed>& all, bool single_node) {
  // Far more than any node has: captured texts may list anything.
  constexpr std::size_t kMostPairs = 1'000'000;
  std::vector<const Placed*> gpus, nics;
  for (const Placed& placed : all) {
    if (is_gpu(placed)) gpus.push_back(&placed);
    if (is_nic(placed)) nics.push_back(&placed);
  }
  if (gpus.size() * nics.size() > kMostPairs) return;
  for (const Placed* gpu : gpus)
    if (std::string nearest = nearest_to(*gpu, nics, single_node); !nearest.empty())
      gpu->function->facts["nearest_nic"] = std::move(nearest);
  for (const Placed* nic : nics)
    if (std::string nearest = nearest_to(*nic, gpus, single_node); !nearest.empty())
      nic->function->facts["nearest_gpu"] = std::move(nearest);
}

}  // namespace

void add_topology_facts(Inventory& inventory) {
  std::vector<Placed> all = endpoints_of(inventory);
  add_nearest(all, inventory.numa_nodes.size() == 1);
  add_sharing(all);
}

}  // namespace linkburn
