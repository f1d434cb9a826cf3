// Is every port up that has to be?
//
// Only a site knows which ports have to be up. Without its word a port that is switched off is
// unused, and one that is down for any other reason is undecided: an unused port looks the same as
// one with a bad cable.
#include <fmt/core.h>

#include <algorithm>

#include "report/rules/link_view.h"
#include "report/rules/network_port.h"
#include "report/rules/table.h"

namespace linkburn {
namespace {

/// "DOWN, Polling", or what the interface says of itself.
std::string state_in_words(const NetworkPort& port) {
  if (port.rdma != nullptr)
    return fmt::format("{}{}{}", port.rdma->state, port.rdma->phys_state.empty() ? "" : ", ",
                       port.rdma->phys_state);
  return port.interface->operstate.empty() ? "down" : port.interface->operstate;
}

/// Words of `phys_state` [linux drivers/infiniband/core/sysfs.c, phys_state_to_str].
std::string why_down(const NetworkPort& port) {
  const bool has_interface = port.interface != nullptr;
  if (has_interface && !port.interface->link_detail.empty())
    return fmt::format("{} says: {}", port.interface->component.text(),
                       port.interface->link_detail);
  const std::string& physical = port.port().phys_state;
  if (same_word(physical, "LinkUp")) return "there is a signal, and something holds the port down";
  if (same_word(physical, "Polling")) return "no signal from a partner, unused or unplugged";
  if (same_word(physical, "PortConfigurationTraining"))
    return "it sees a partner, and training does not come to an end";
  if (same_word(physical, "LinkErrorRecovery")) return "the link recovers from errors";
  if (has_interface && port.interface->carrier == false) return "no carrier, unused or unplugged";
  return "unused, or down for a reason that is not shown";
}

/// Switched off by somebody. On Ethernet the physical state is only the reading of an interface
/// that is down, for whatever reason [linux drivers/infiniband/hw/mlx5/main.c].
bool is_switched_off(const NetworkPort& port) {
  if (port.is_infiniband()) return same_word(port.port().phys_state, "Disabled");
  return port.interface != nullptr && port.interface->admin_up == false;
}

bool lacks_subnet_manager(const NetworkPort& port) {
  // Only a port with a link comes as far as INIT [InfiniBand Architecture Specification, volume 1,
  // section 7.2.7], so that a text without the physical state says enough.
  const std::string& physical = port.port().phys_state;
  return port.is_infiniband() && same_word(port.port().state, "INIT") &&
         (physical.empty() || same_word(physical, "LinkUp"));
}

Finding down_though_expected(const Story& story, const NetworkPort& port) {
  Finding finding =
      port_finding(story, port, "LB-PORT-STATE", FindingClass::degraded, Aspect::ports);
  finding.detail = fmt::format("port is {}: {}", state_in_words(port),
                               is_switched_off(port) ? "switched off" : why_down(port));
  // Nothing but a setting keeps it down.
  if (is_switched_off(port)) finding.cls = FindingClass::misconfigured;
  finding.limit.text = "up";
  finding.origin = story.site.file.empty() ? "site file" : "site file " + story.site.file;
  return finding;
}

/// The other ports of a bond go on, so traffic flows; what it lost is half of its rate.
Finding missing_in_bond(const Story& story, const NetworkPort& port) {
  Finding finding =
      port_finding(story, port, "LB-PORT-STATE", FindingClass::marginal, Aspect::ports);
  finding.detail = fmt::format("port is {}, and {} runs without it: {}", state_in_words(port),
                               port.interface->bond, why_down(port));
  return finding;
}

/// How many equal ports are up, when all are but this one; zero otherwise. Adapters with a spare
/// port have as many spare ones as they are.
std::size_t equals_that_are_all_up(const Story& story, const NetworkPort& port) {
  std::size_t up = 0;
  for (const NetworkPort& other : network_ports(story)) {
    const bool equal = other.rdma != nullptr && other.component != port.component && port.model() &&
                       other.model() == port.model() && !other.is_virtual_function() &&
                       !other.representor;
    if (!equal) continue;
    if (!other.is_active()) return 0;
    ++up;
  }
  return up;
}

/// Off on purpose, as a rule. The only one of many is told, for it may be a rail that is missing.
Finding switched_off(const Story& story, const NetworkPort& port) {
  constexpr std::size_t kMany = 3;
  const std::size_t up = port.rdma != nullptr ? equals_that_are_all_up(story, port) : 0;
  if (up < kMany) return healthy_port(story, port, Aspect::ports, "unused: switched off");
  Finding finding =
      port_finding(story, port, "LB-PORT-STATE", FindingClass::marginal, Aspect::ports);
  finding.detail = fmt::format("switched off, while all {} other ports of its kind are up", up);
  return finding;
}

/// A port that is not active, of which the site says nothing.
Finding judge_down(const Story& story, const NetworkPort& port) {
  if (is_switched_off(port)) return switched_off(story, port);
  if (lacks_subnet_manager(port)) {
    Finding finding =
        port_finding(story, port, "LB-PORT-NO-SM", FindingClass::misconfigured, Aspect::ports);
    finding.detail = "the link is up, but no subnet manager has brought the port to ACTIVE";
    return finding;
  }
  if (port.interface != nullptr && !port.interface->bond.empty())
    return missing_in_bond(story, port);
  Finding finding =
      port_finding(story, port, "LB-PORT-STATE", FindingClass::undecided, Aspect::ports);
  finding.detail = fmt::format("port is {}: {}", state_in_words(port), why_down(port));
  finding.missing = "which ports of this node must be up";
  return finding;
}

bool is_unknown(const NetworkPort& port) {
  if (port.rdma != nullptr) return port.rdma->state.empty();
  return !port.interface->carrier && port.interface->operstate.empty() && !port.interface->admin_up;
}

Finding state_not_known(const Story& story, const NetworkPort& port) {
  Finding finding =
      port_finding(story, port, "LB-NO-EVIDENCE", FindingClass::undecided, Aspect::ports);
  finding.detail = "the state of the port is not known";
  finding.missing = story.is_captured() ? "what ibstat, ibv_devinfo or ethtool say of it"
                                        : "its state file, as the host sees it";
  return finding;
}

/// Somebody captured what ethtool says of this interface. Where others of the same capture are up,
/// one that is down without a word on the reason is unused, as in a report on all interfaces.
bool is_asked_about(const Story& story, const NetworkPort& port) {
  if (!port.captured) return false;
  if (port.is_active() || is_unknown(port)) return true;
  const std::string& why = port.interface->link_detail;
  if (!why.empty() && !same_word(why, "No cable")) return true;
  const std::vector<NetworkPort> ports = network_ports(story);
  return std::none_of(ports.begin(), ports.end(),
                      [](const NetworkPort& other) { return other.is_active(); });
}

/// Every machine has a management interface, and many have more than are plugged in: what is not
/// for RDMA is judged where somebody expects something of it.
bool is_spare_interface(const Story& story, const NetworkPort& port) {
  return port.rdma == nullptr && !port.expected_up && !is_asked_about(story, port) &&
         (port.interface->bond.empty() || is_switched_off(port));
}

void note_spare_interface(const NetworkPort& port, RuleOutput& out) {
  if (port.is_active() || is_switched_off(port)) return;
  out.not_judged.push_back({fmt::format("state of {}", port.component.text()),
                            is_unknown(port) ? "its state is not known" : why_down(port),
                            "a site file that says which interfaces must be up",
                            {}});
}

/// Up only where a guest or container uses it. The port of the card itself is judged.
bool is_down_for_want_of_a_user(const NetworkPort& port) {
  return !port.expected_up && (port.representor || port.is_virtual_function()) && !port.is_active();
}

/// The port's files were left unread, because reading them wakes its device.
bool sleeps(const Story& story, const NetworkPort& port) {
  if (story.live_run || port.expected_up || !port.pci || !is_unknown(port)) return false;
  const LinkStory* link = story.link_of(*port.pci);
  return link != nullptr && is_asleep(*link);
}

void judge_port(const Story& story, const NetworkPort& port, RuleOutput& out) {
  if (is_spare_interface(story, port))
    note_spare_interface(port, out);
  else if (is_down_for_want_of_a_user(port))
    out.not_judged.push_back({fmt::format("state of {}", port.component.text()),
                              "it belongs to a virtual function, which may have no user now",
                              "a site file that says which ports must be up",
                              {}});
  else if (port.is_active())
    out.findings.push_back(
        healthy_port(story, port, Aspect::ports,
                     port.expected_up == false ? "active, though the site calls it unused" : ""));
  else if (sleeps(story, port))
    out.not_judged.push_back({fmt::format("state of {}", port.component.text()),
                              "asleep (runtime suspended); an inspect wakes nothing",
                              "look again while it is in use",
                              {}});
  else if (is_unknown(port))
    out.findings.push_back(state_not_known(story, port));
  else if (port.expected_up == false)
    out.findings.push_back(healthy_port(story, port, Aspect::ports, "unused, as the site says"));
  else if (port.expected_up == true && !lacks_subnet_manager(port))
    out.findings.push_back(down_though_expected(story, port));
  else
    out.findings.push_back(judge_down(story, port));
}

/// Why an adapter's ports cannot be told from what is here; empty: they should show.
std::string_view why_not_shown(const Story& story, const Component& adapter) {
  if (story.is_captured()) return "the captured texts do not show them";
  if (adapter.physical_function || adapter.driver.starts_with("vfio"))
    return "the adapter may belong to a guest";
  for (const auto& part : story.parts)
    if (part->name == "rdma_devices" && part->status == "unusable")
      return "the capture has no RDMA devices";
  return {};
}

/// All functions of one card: "0000:17:00".
std::string card_of(const ComponentId& function) {
  return function.text().substr(0, function.text().rfind('.'));
}

bool card_has_port(const Story& story, const Component& adapter) {
  return std::any_of(story.ports.begin(), story.ports.end(), [&](const auto& port) {
    return port->pci && card_of(*port->pci) == card_of(adapter.component);
  });
}

/// Two functions of one card without a port are one fault.
bool is_first_of_card(const Story& story, const Component& adapter) {
  return std::none_of(story.components.begin(), story.components.end(), [&](const auto& entry) {
    return entry.first < adapter.component && entry.second->type == adapter.type &&
           card_of(entry.first) == card_of(adapter.component);
  });
}

/// Another card of the same kind has RDMA ports.
bool equals_have_ports(const Story& story, const Component& adapter) {
  return std::any_of(story.components.begin(), story.components.end(), [&](const auto& entry) {
    const Component& other = *entry.second;
    return other.type == adapter.type && other.vendor_id == adapter.vendor_id &&
           other.device_id == adapter.device_id &&
           other.subsystem_device_id == adapter.subsystem_device_id && !other.physical_function &&
           card_of(other.component) != card_of(adapter.component) && card_has_port(story, other);
  });
}

/// An InfiniBand adapter is there for its ports. An Ethernet adapter may well be without RDMA, but
/// not when its equals have it. A virtual function, and an adapter that was given to a guest, show
/// theirs elsewhere [linux drivers/vfio/pci].
bool should_have_port(const Story& story, const Component& adapter) {
  if (adapter.type == "infiniband")
    return std::none_of(story.ports.begin(), story.ports.end(),
                        [&](const auto& port) { return port->pci == adapter.component; });
  return adapter.type == "nic" && !adapter.device_id.empty() && !adapter.physical_function &&
         is_first_of_card(story, adapter) && !card_has_port(story, adapter) &&
         equals_have_ports(story, adapter);
}

void judge_adapter(const Story& story, const Seen<Component>& adapter, RuleOutput& out) {
  if (!should_have_port(story, *adapter)) return;
  if (const std::string_view why = why_not_shown(story, *adapter); !why.empty()) {
    out.not_judged.push_back({"RDMA ports of " + adapter->component.text(),
                              std::string(why),
                              "/sys/class/infiniband as the host, or its guest, sees it",
                              {}});
    return;
  }
  Finding finding;
  finding.code = "LB-NO-EVIDENCE";
  finding.cls = FindingClass::undecided;
  finding.aspect = Aspect::ports;
  finding.component = adapter->component;
  finding.phase = story.live_run ? Phase::idle : Phase::passive;
  finding.at_ns = adapter.at_ns;
  finding.evidence = {adapter.seq};
  finding.detail =
      fmt::format("{}{}{}, and no RDMA driver shows its ports{}",
                  adapter->type == "infiniband" ? "an InfiniBand adapter" : "an adapter",
                  adapter->driver.empty() ? "" : " with driver ", adapter->driver,
                  adapter->type == "infiniband" ? "" : ", as those of its equals are shown");
  finding.missing = "the adapter's driver, and its ports in /sys/class/infiniband";
  out.findings.push_back(std::move(finding));
}

void apply(const Story& story, RuleOutput& out) {
  for (const NetworkPort& port : network_ports(story)) judge_port(story, port, out);
  for (const auto& entry : story.components) judge_adapter(story, entry.second, out);
}

}  // namespace

const Rule port_state_rule{"port_state", "Is every port up that has to be?", apply};

}  // namespace linkburn
