// Network interfaces from /sys/class/net and, through the worker, from ethtool.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "bench/base/text.h"
#include "bench/inventory/ethtool_text.h"
#include "bench/inventory/network.h"
#include "bench/inventory/sources.h"

namespace linkburn {
namespace {

constexpr int kMaxMbps = 10'000'000;  // above: old kernels' -1 without sign
constexpr std::int64_t kFlagUp = 1;   // IFF_UP [linux include/uapi/linux/if.h]

constexpr std::array kStateFiles{"operstate", "carrier", "speed", "duplex", "mtu", "flags"};
// [linux Documentation/ABI/testing/sysfs-class-net and -statistics]
constexpr std::array kCounterFiles{"carrier_changes",
                                   "carrier_up_count",
                                   "carrier_down_count",
                                   "statistics/rx_errors",
                                   "statistics/rx_crc_errors",
                                   "statistics/tx_errors",
                                   "statistics/tx_carrier_errors"};

/// An interface that may be worth a record.
struct Candidate {
  std::string name, type;
  Sysroot folder;  ///< the tree seen from its class folder
  std::optional<ComponentId> pci;
  std::vector<std::string> lower;  ///< interfaces that it stands on

  std::string path() const { return "sys/class/net/" + name; }
};

bool holds(const std::vector<std::string>& names, std::string_view name) {
  return std::binary_search(names.begin(), names.end(), name);
}

/// "vlan" or nothing more than "virtual", from DEVTYPE [linux net/8021q/vlan_dev.c].
std::string stacked_type(const DriverFiles& files, const std::string& folder) {
  const auto uevent = files(folder + "/uevent");
  if (uevent)
    for (const std::string_view line : lines_of(*uevent))
      if (line == "DEVTYPE=vlan") return "vlan";
  return "virtual";
}

std::optional<Candidate> candidate(const Sysroot& all, const DriverFiles& files,
                                   const std::string& name) {
  constexpr std::string_view kLower = "lower_";
  const auto folder = all.below(name);
  if (!folder || name == "lo") return std::nullopt;
  const auto entries = folder->list(".");
  if (!entries) return std::nullopt;
  Candidate found{name, "virtual", *folder, pci_of(*folder), {}};
  for (const std::string& entry : *entries)
    if (entry.starts_with(kLower)) found.lower.push_back(entry.substr(kLower.size()));
  if (holds(*entries, "bonding"))
    found.type = "bond";
  else if (holds(*entries, "bridge"))
    found.type = "bridge";
  else if (holds(*entries, "device") || found.pci)
    found.type = "physical";
  else if (!found.lower.empty())
    found.type = stacked_type(files, found.path());
  return found;
}

/// A switch in a card shows its inner ports as interfaces of the card: "pf0vf3" beside "p0"
/// [linux Documentation/networking/switchdev.rst]. They have no cable.
void set_inner_ports_apart(const DriverFiles& files, std::vector<Candidate>& all) {
  std::map<std::string, int> on_function;
  for (const Candidate& each : all)
    if (each.type == "physical" && each.pci) ++on_function[each.pci->text()];
  for (Candidate& each : all) {
    if (each.type != "physical" || !each.pci || on_function[each.pci->text()] < 2) continue;
    const std::string port = short_text(files, each.path() + "/phys_port_name");
    if (port.starts_with("pf") || port.find("vf") != port.npos || port.find("sf") != port.npos)
      each.type = "virtual";
  }
}

/// Physical ones and what stands on them. Containers' interfaces, which come in hundreds, are left
/// out unless an RDMA port needs them.
std::vector<Candidate> worth_a_record(std::vector<Candidate> all, const std::vector<Port>& ports) {
  std::set<std::string> kept;
  for (const Port& port : ports) {
    kept.insert(port.netdev);
    for (const Gid& gid : port.gids) kept.insert(gid.netdev);
  }
  for (const Candidate& each : all)
    if (each.type != "virtual" && each.type != "bridge") kept.insert(each.name);
  const auto stands_on_kept = [&](const Candidate& each) {
    return std::any_of(each.lower.begin(), each.lower.end(),
                       [&](const std::string& lower) { return kept.contains(lower); });
  };
  for (const Candidate& each : all)
    if (each.type == "bridge" && stands_on_kept(each)) kept.insert(each.name);
  std::erase_if(all, [&](const Candidate& each) { return !kept.contains(each.name); });
  return all;
}

std::vector<std::string> files_of(const Candidate& each) {
  std::vector<std::string> paths;
  for (const char* file : kStateFiles) paths.push_back(each.path() + "/" + file);
  for (const char* file : kCounterFiles) paths.push_back(each.path() + "/" + file);
  if (each.type == "physical") paths.push_back(ethtool_file_of(each.name));
  return paths;
}

/// A file that is not readable while the interface is down fails with EINVAL, and a speed that the
/// driver does not know is -1 [linux net/core/net-sysfs.c].
void read_state(const DriverFiles& files, const std::string& folder, Interface& interface) {
  interface.operstate = short_text(files, folder + "/operstate");
  if (const auto carrier = file_number(files, folder + "/carrier"))
    interface.carrier = *carrier == 1;
  if (const auto flags = file_number(files, folder + "/flags"))
    interface.admin_up = (*flags & kFlagUp) != 0;
  if (const auto mtu = file_number(files, folder + "/mtu"); mtu && *mtu > 0 && *mtu <= 1 << 24)
    interface.mtu = static_cast<int>(*mtu);
  if (!interface.carrier.value_or(false)) return;
  const auto speed = file_number(files, folder + "/speed");
  if (speed && *speed > 0 && *speed <= kMaxMbps)
    interface.speed_gbps = static_cast<double>(*speed) / 1000;
  const std::string duplex = short_text(files, folder + "/duplex");
  if (duplex == "full" || duplex == "half") interface.duplex = duplex;
}

void read_counters(const DriverFiles& files, const std::string& folder, const ComponentId& id,
                   std::vector<Counter>& counters) {
  for (const std::string_view file : kCounterFiles)
    add_counter(files, fmt::format("{}/{}", folder, file), id,
                fmt::format("net/{}", file.substr(file.rfind('/') + 1)), counters);
}

/// The mode is "802.3ad 4" [linux drivers/net/bonding/bond_sysfs.c].
void read_bond(const DriverFiles& files, const std::string& folder, Interface& interface) {
  const std::string mode = short_text(files, folder + "/bonding/mode");
  if (const auto words = words_of(mode); !words.empty()) interface.bond_mode = words.front();
  const std::string members = short_text(files, folder + "/bonding/slaves", 4096);
  for (const std::string_view member : words_of(members)) interface.members.emplace_back(member);
}

/// "eth0.100  VID: 100  REORDER_HDR: 1 ..."; root only [linux net/8021q/vlanproc.c].
std::optional<int> vlan_id(const DriverFiles& files, const std::string& name) {
  const auto text = files("proc/net/vlan/" + name);
  if (!text) return std::nullopt;
  const auto words = words_of(lines_of(*text).empty() ? "" : lines_of(*text).front());
  for (std::size_t i = 0; i + 1 < words.size(); ++i)
    if (words[i] == "VID:")
      if (const auto id = parse_int(words[i + 1]); id && *id >= 0 && *id < 4096)
        return static_cast<int>(*id);
  return std::nullopt;
}

void ask_ethtool(const DriverFiles& files, const std::string& name, Interface& interface,
                 std::vector<Counter>& counters) {
  const auto text = files(ethtool_file_of(name));
  if (text) return take_ethtool_text(*text, interface, counters);
  const bool not_captured = text.error().code == Code::not_found;
  interface.modes_absent = not_captured ? "ethtool was not asked" : text.error().what;
  interface.module_absent = interface.modes_absent;
}

Interface read_interface(const DriverFiles& files, const Candidate& each,
                         std::vector<Counter>& counters) {
  Interface interface;
  interface.component = ComponentId::interface(each.name);
  interface.type = each.type;
  interface.pci = each.pci;
  if (each.type == "physical") interface.driver = driver_of(each.folder);
  if (const auto above = each.folder.resolve("master"))
    interface.bond = printable(above->substr(above->rfind('/') + 1), 64);
  if (each.type == "vlan") interface.vlan_parent = each.lower.front();
  if (is_suspended(each.folder)) {
    interface.modes_absent = "the device sleeps";
    interface.module_absent = interface.modes_absent;
    return interface;
  }
  files.expect(files_of(each));
  read_state(files, each.path(), interface);
  read_counters(files, each.path(), interface.component, counters);
  if (each.type == "bond") read_bond(files, each.path(), interface);
  if (each.type == "vlan") interface.vlan_id = vlan_id(files, each.name);
  if (each.type == "physical") ask_ethtool(files, each.name, interface, counters);
  return interface;
}

}  // namespace

std::vector<Interface> read_interfaces(const Sysroot& root, const DriverFiles& files,
                                       const std::vector<Port>& ports,
                                       std::vector<Counter>& counters) {
  std::vector<Candidate> candidates;
  const auto all = root.below("sys/class/net");
  if (!all) return {};
  for (const std::string& name : all->list(".").value_or({}))
    if (auto found = candidate(*all, files, name)) candidates.push_back(std::move(*found));
  set_inner_ports_apart(files, candidates);
  std::vector<Interface> interfaces;
  for (const Candidate& each : worth_a_record(std::move(candidates), ports))
    interfaces.push_back(read_interface(files, each, counters));
  return interfaces;
}

}  // namespace linkburn
