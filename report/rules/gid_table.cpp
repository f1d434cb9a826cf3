// Do the RoCE ports have the addresses that RDMA traffic needs?
#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "report/rules/gid_choice.h"
#include "report/rules/network_port.h"
#include "report/rules/table.h"

namespace linkburn {
namespace {

Finding gid_finding(const Story& story, const NetworkPort& port, FindingClass cls,
                    std::string detail) {
  Finding finding = port_finding(story, port, "LB-PORT-GID", cls, Aspect::ports);
  finding.detail = std::move(detail);
  finding.limit.text = "an entry with the address of this port";
  finding.origin = "RoCE: traffic is addressed by GIDs, which are made from IP addresses";
  return finding;
}

std::string interface_name(const NetworkPort& port) {
  return port.interface != nullptr ? port.interface->component.text() : "its interface";
}

/// A port without an address is what a port looks like that lost it, and also one for storage or
/// for nothing, which nobody gave any. Only a site that expects the port makes it a fault.
FindingClass class_without_address(const NetworkPort& port) {
  return port.expected_up == true || port.site_rated ? FindingClass::misconfigured
                                                     : FindingClass::marginal;
}

/// Another port of the same function stands for a guest's one: the card switches between functions,
/// and RDMA is for the guests alone.
bool is_below_representors(const std::vector<NetworkPort>& ports, const NetworkPort& port) {
  return std::any_of(ports.begin(), ports.end(), [&](const NetworkPort& other) {
    return other.representor && other.pci == port.pci;
  });
}

/// Empty although the interface is up here: even its link-local address is missing, which comes by
/// itself [linux drivers/infiniband/core/roce_gid_mgmt.c, add_default_gids].
void judge_empty(const Story& story, const std::vector<NetworkPort>& ports, const NetworkPort& port,
                 RuleOutput& out) {
  const auto note = [&](const char* why, const char* needs) {
    out.not_judged.push_back(
        {fmt::format("GID table of {}", port.component.text()), why, needs, {}});
  };
  constexpr const char* kFromHost = "a look from the host, in the namespace of the interface";
  if (is_below_representors(ports, port))
    return note("it is empty, as where a card switches between its functions",
                "a look from a guest");
  if (port.interface != nullptr && !port.interface->bond.empty())
    return note("its entries are at the bond", kFromHost);
  if (port.interface == nullptr || port.interface->carrier == false ||
      port.interface->admin_up == false)
    return note("it is empty, and its interface is not up or not shown here", kFromHost);
  out.findings.push_back(
      gid_finding(story, port, FindingClass::misconfigured,
                  fmt::format("the GID table is empty, though {} is up", interface_name(port))));
}

/// The first port of another interface that holds the same address; soft-RoCE ports share the
/// interface of a real one, functions of one card may share a port, and the address of a bond
/// stands in the tables of all its members.
class Addresses {
 public:
  explicit Addresses(const std::vector<NetworkPort>& ports) {
    for (const NetworkPort& port : ports) {
      if (!port.is_active() || !port.is_hardware() || !uses_gids(port.port())) continue;
      for (const Gid& gid : port.port().gids)
        if (const auto bytes = gid_bytes(gid.gid); bytes && scope_of(gid.gid) != GidScope::none)
          holders_[*bytes].push_back({&port, gid.netdev});
    }
  }

  /// "192.0.2.6 is also at mlx5_1/1"; empty: no other port has any of its addresses.
  std::string shared(const NetworkPort& port) const {
    for (const Gid& gid : port.port().gids) {
      const auto bytes = gid_bytes(gid.gid);
      const auto found = bytes ? holders_.find(*bytes) : holders_.end();
      if (found == holders_.end()) continue;
      for (const Holder& other : found->second)
        if (other.port->component != port.component && is_elsewhere(other, {&port, gid.netdev}))
          return fmt::format("{} is also an address of {}", address_text(gid.gid),
                             other.port->component.text());
    }
    return {};
  }

 private:
  struct Holder {
    const NetworkPort* port = nullptr;
    std::string_view netdev;  ///< of the entry
  };
  static bool is_elsewhere(const Holder& a, const Holder& b) {
    const Interface* of_a = a.port->interface;
    const Interface* of_b = b.port->interface;
    const bool same_netdev = !a.netdev.empty() && a.netdev == b.netdev;
    if (of_a == nullptr || of_b == nullptr || of_a == of_b || same_netdev) return false;
    return of_a->bond.empty() || of_a->bond != of_b->bond;
  }
  std::map<std::array<unsigned char, 16>, std::vector<Holder>> holders_;
};

std::vector<const Interface*> interfaces_of(const Story& story) {
  std::vector<const Interface*> interfaces;
  for (const auto& interface : story.interfaces) interfaces.push_back(interface.body);
  return interfaces;
}

std::string choice_in_words(const Gid& gid) {
  return fmt::format("GID {}: {}, {}", gid.index, gid.type.empty() ? "type not known" : gid.type,
                     address_text(gid.gid));
}

void judge_link_local(const Story& story, const NetworkPort& port, RuleOutput& out) {
  const SitePort* of_site = story.site.port(port.port());
  if (of_site != nullptr && of_site->has_ip == false)
    return out.findings.push_back(
        healthy_port(story, port, Aspect::ports, "without an IP address, as the site says"));
  out.findings.push_back(
      gid_finding(story, port, class_without_address(port),
                  fmt::format("only link-local entries: {} has no IP address that is routed",
                              interface_name(port))));
}

void judge_port(const Story& story, const std::vector<NetworkPort>& ports,
                const Addresses& addresses, const NetworkPort& port, RuleOutput& out) {
  const bool has_entries =
      std::any_of(port.port().gids.begin(), port.port().gids.end(),
                  [](const Gid& gid) { return scope_of(gid.gid) != GidScope::none; });
  if (!port.port().gids_read && !has_entries) {
    out.not_judged.push_back({fmt::format("GID table of {}", port.component.text()),
                              "it could not be read",
                              "the port's gids and gid_attrs files",
                              {}});
    return;
  }
  const Gid* best = recommended_gid(port.port(), interfaces_of(story));
  if (best == nullptr) {
    judge_empty(story, ports, port, out);
  } else if (const std::string shared = addresses.shared(port); !shared.empty()) {
    out.findings.push_back(gid_finding(story, port, FindingClass::misconfigured, shared));
  } else if (scope_of(best->gid) == GidScope::link_local && !port.port().gids_read) {
    out.not_judged.push_back({fmt::format("GID table of {}", port.component.text()),
                              "only link-local entries are shown, and there may be more",
                              "the whole table (show_gids, ibv_devinfo -v)",
                              {}});
  } else if (scope_of(best->gid) == GidScope::link_local) {
    judge_link_local(story, port, out);
  } else {
    out.findings.push_back(healthy_port(story, port, Aspect::ports, choice_in_words(*best)));
  }
}

/// Whether a port needs GIDs is told by its link layer.
void note_unknown_layer(const NetworkPort& port, RuleOutput& out) {
  out.not_judged.push_back({fmt::format("GID table of {}", port.component.text()),
                            "its link layer is not known",
                            "the port's link_layer file",
                            {}});
}

void apply(const Story& story, RuleOutput& out) {
  const std::vector<NetworkPort> ports = network_ports(story);
  const Addresses addresses(ports);
  for (const NetworkPort& port : ports) {
    if (port.rdma == nullptr || !port.may_be_active() || port.representor) continue;
    // A soft-RoCE port has what its interface has, and nobody needs it unless the site says so.
    if (!port.pci && !port.captured && port.expected_up != true) continue;
    if (uses_gids(port.port()))
      judge_port(story, ports, addresses, port, out);
    else if (port.rdma->link_layer.empty())
      note_unknown_layer(port, out);
  }
}

}  // namespace

const Rule gid_table_rule{"gid_table", "Do the RoCE ports have the addresses that RDMA needs?",
                          apply};

}  // namespace linkburn
