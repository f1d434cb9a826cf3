// Addresses of all functions. A bridge's buses are a range of their own inside the range of the
// bridge above, numbered depth first, as the kernel does it [linux drivers/pci/probe.c,
// pci_scan_bridge_extend]. Written addresses are kept; the rest is numbered around them.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "bench/drill/scenario_draft.h"

namespace linkburn::drill {
namespace {

constexpr int kBuses = 256;

struct BusNumber {
  std::uint32_t domain;
  int bus;
};

class Layout {
 public:
  explicit Layout(Draft& draft) : draft_(draft), below_(draft.functions.size()) {
    for (int n = 0; n < static_cast<int>(draft.functions.size()); ++n) {
      const int parent = draft.function(n).parent;
      (parent < 0 ? roots_ : below_[static_cast<std::size_t>(parent)]).push_back(n);
    }
  }

  /// What is written comes first: the others take what is left.
  Status run() {
    for (const int root : roots_)
      if (written(root).address)
        if (const Status placed = place_root(root); !placed) return placed;
    for (const bool with_written : {true, false})
      for (const int root : roots_) {
        if (secondary_wanted(root).has_value() != with_written) continue;
        if (!written(root).address)
          if (const Status placed = place_root(root); !placed) return placed;
        if (const Status numbered = number_below_root(root); !numbered) return numbered;
      }
    return {};
  }

 private:
  struct Buses {
    std::map<int, int> below;     ///< bus to the root port whose range it is in
    std::set<int> of_root_ports;  ///< the buses on which root ports are
  };

  const std::vector<int>& below(int n) const { return below_[static_cast<std::size_t>(n)]; }
  const Written& written(int n) const { return draft_.functions[static_cast<std::size_t>(n)]; }
  Function& function(int n) { return draft_.state->functions[static_cast<std::size_t>(n)]; }
  bool is_bridge(int n) const { return draft_.function(n).device == Device::bridge; }
  std::string_view name(int n) const {
    return draft_.state->functions[static_cast<std::size_t>(n)].name.data();
  }
  Status fail(int n, std::string what) { return draft_.error(written(n).line, std::move(what)); }

  std::optional<BusNumber> secondary_wanted(int bridge) const;
  int count_bridges(int n) const;
  Status place_root(int root);
  Status place(int n, std::uint32_t domain, int bus);
  Status check_written(int n, std::uint32_t domain, int bus);
  PciAddress free_address(int n, std::uint32_t domain, int bus) const;
  Status number_below_root(int root);
  Status number(int bridge, std::uint32_t domain, int secondary, int& last);
  int free_buses(const Buses& buses, int above, int count) const;
  Status take(int root, std::uint32_t domain, int first, int last);

  Draft& draft_;
  std::vector<int> roots_;
  std::vector<std::vector<int>> below_;  ///< of each function, those whose parent it is
  std::map<std::uint32_t, Buses> domains_;
  std::map<PciAddress, int> taken_;
};

/// The bus right below a bridge that follows from the addresses written anywhere below it.
std::optional<BusNumber> Layout::secondary_wanted(int bridge) const {
  std::optional<BusNumber> wanted;
  for (const int child : below(bridge)) {
    if (const auto& address = written(child).address) return {{address->domain, address->bus}};
    auto deeper = secondary_wanted(child);
    if (deeper && (!wanted || deeper->bus - 1 < wanted->bus))
      wanted = {deeper->domain, deeper->bus - 1};
  }
  return wanted;
}

int Layout::count_bridges(int n) const {
  int count = is_bridge(n) ? 1 : 0;
  for (const int child : below(n)) count += count_bridges(child);
  return count;
}

/// Each NUMA node has a bus of its own for root ports, as each socket has host bridges of its own.
Status Layout::place_root(int root) {
  const auto wanted = secondary_wanted(root);
  const auto& address = written(root).address;
  const std::uint32_t domain = address ? address->domain : wanted ? wanted->domain : 0;
  Buses& buses = domains_[domain];
  int bus = address ? address->bus : function(root).numa * kBuses / draft_.numas;
  while (!address && buses.below.count(bus) > 0) ++bus;
  if (bus >= kBuses) return fail(root, fmt::format("no bus is left for '{}'", name(root)));
  buses.of_root_ports.insert(bus);
  return place(root, domain, bus);
}

Status Layout::place(int n, std::uint32_t domain, int bus) {
  if (written(n).address)
    if (const Status right = check_written(n, domain, bus); !right) return right;
  const PciAddress address = written(n).address.value_or(free_address(n, domain, bus));
  const auto [other, is_new] = taken_.emplace(address, n);
  if (!is_new)
    return fail(n, fmt::format("two functions at {}: '{}' and '{}'", to_string(address),
                               name(other->second), name(n)));
  Function& placed = function(n);
  placed.domain = address.domain, placed.bus = address.bus;
  placed.slot = address.device, placed.function = address.function;
  return {};
}

Status Layout::check_written(int n, std::uint32_t domain, int bus) {
  const PciAddress address = *written(n).address;
  if (address.domain != domain || address.bus != bus)
    return fail(n, fmt::format("'{}' at {} must be on bus {:04x}:{:02x}, as those beside it",
                               name(n), to_string(address), domain, bus));
  const int parent = draft_.function(n).parent;
  const bool alone = parent >= 0 && draft_.function(parent).kind != PortKind::switch_upstream;
  if (alone && (address.device != 0 || address.function != 0))
    return fail(n, fmt::format("'{}' is alone below its port: its address ends in 00.0", name(n)));
  return {};
}

/// The next free one on the bus; device 0 of a root bus is the host bridge's.
PciAddress Layout::free_address(int n, std::uint32_t domain, int bus) const {
  PciAddress address{domain, static_cast<std::uint8_t>(bus), 0, 0};
  if (draft_.function(n).parent < 0) address.device = 1;
  while (taken_.count(address) > 0) {
    address.device = static_cast<std::uint8_t>((address.device + 1) % 32);
    if (address.device == 0) ++address.device, ++address.function;
  }
  return address;
}

Status Layout::number_below_root(int root) {
  if (!is_bridge(root)) return {};
  const std::uint32_t domain = function(root).domain;
  const int above = function(root).bus;
  const auto wanted = secondary_wanted(root);
  const int first = wanted ? wanted->bus : free_buses(domains_[domain], above, count_bridges(root));
  if (first <= above)
    return fail(root, fmt::format("bus {:02x} below '{}' is not above its own bus {:02x}: write "
                                  "the port's address too ('port_address')",
                                  std::max(first, 0), name(root), above));
  int last = first;
  if (const Status numbered = number(root, domain, first, last); !numbered) return numbered;
  return take(root, domain, first, last);
}

Status Layout::number(int bridge, std::uint32_t domain, int secondary, int& last) {
  last = secondary;
  if (secondary >= kBuses) return fail(bridge, "no bus numbers are left");
  std::vector<int> children = below(bridge);
  for (const int child : children)
    if (const Status placed = place(child, domain, secondary); !placed) return placed;
  const auto rank = [&](int child) {
    const auto wanted = secondary_wanted(child);
    return wanted ? wanted->bus : kBuses;
  };
  std::stable_sort(children.begin(), children.end(),
                   [&](int a, int b) { return rank(a) < rank(b); });
  for (const int child : children) {
    if (!is_bridge(child)) continue;
    const auto wanted = secondary_wanted(child);
    const int next = wanted ? wanted->bus : last + 1;
    if (next <= last)
      return fail(child, fmt::format("bus {:02x} below '{}' is taken: buses up to {:02x} are of "
                                     "what lies above or before it",
                                     std::max(next, 0), name(child), last));
    if (const Status numbered = number(child, domain, next, last); !numbered) return numbered;
  }
  return {};
}

/// The first of `count` buses in a row that nobody has; kBuses: there are none.
int Layout::free_buses(const Buses& buses, int above, int count) const {
  int first = above + 1;
  for (int bus = first; bus < first + count && bus < kBuses; ++bus)
    if (buses.below.count(bus) > 0 || buses.of_root_ports.count(bus) > 0) first = bus + 1;
  return first + count <= kBuses ? first : kBuses;
}

Status Layout::take(int root, std::uint32_t domain, int first, int last) {
  Buses& buses = domains_[domain];
  for (int bus = first; bus <= last; ++bus) {
    const auto [other, is_new] = buses.below.emplace(bus, root);
    if (is_new && buses.of_root_ports.count(bus) == 0) continue;
    return fail(root, is_new ? fmt::format("bus {:02x} would hold root ports and be below '{}'",
                                           bus, name(root))
                             : fmt::format("bus {:02x} would be below both '{}' and '{}'", bus,
                                           name(other->second), name(root)));
  }
  return {};
}

}  // namespace

Status lay_out(Draft& draft) { return Layout(draft).run(); }

}  // namespace linkburn::drill
