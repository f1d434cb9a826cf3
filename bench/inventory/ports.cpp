// RDMA ports from /sys/class/infiniband.
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "bench/base/text.h"
#include "bench/inventory/network.h"
#include "bench/inventory/sources.h"

namespace linkburn {
namespace {

constexpr int kMaxPorts = 256;
constexpr std::array kDeviceFiles{"node_guid", "sys_image_guid", "board_id", "fw_ver"};
constexpr std::array kPortFiles{"state", "phys_state", "link_layer", "rate", "lid", "sm_lid"};

std::vector<PortPlace> places_in(const Sysroot& root) {
  std::vector<PortPlace> places;
  const auto all = root.below("sys/class/infiniband");
  if (!all) return places;
  for (const std::string& device : all->list(".").value_or({})) {
    const auto folder = all->below(device);
    if (!folder) continue;
    for (const std::string& number : folder->list("ports").value_or({})) {
      const auto index = parse_int(number);
      if (index && *index >= 0 && *index <= kMaxPorts && std::to_string(*index) == number)
        places.push_back({device, static_cast<int>(*index), *folder});
    }
  }
  return places;
}

/// "4: ACTIVE" and "5: LinkUp": the word after the number [linux drivers/infiniband/core/sysfs.c].
std::string state_word(const std::string& text) {
  const std::size_t colon = text.find(':');
  return std::string(trim(std::string_view(text).substr(colon == text.npos ? 0 : colon + 1)));
}

std::optional<int> local_id(const DriverFiles& files, const std::string& path) {
  const auto number = file_number(files, path);
  return number && *number >= 0 && *number <= 0xffff ? std::optional(static_cast<int>(*number))
                                                     : std::nullopt;
}

/// The interface that soft-RoCE lives on, named by a file that only this driver has
/// [linux drivers/infiniband/sw/rxe/rxe_verbs.c, parent_show]; empty for all other devices.
std::string soft_roce_parent(const DriverFiles& files, const PortPlace& place) {
  const auto entries = place.device_folder.list(".").value_or({});
  const bool soft = std::binary_search(entries.begin(), entries.end(), "parent");
  return soft ? short_text(files, place.device_path() + "/parent") : std::string();
}

/// Where the port lives. Soft-RoCE is on no slot, though old kernels place it below its interface's
/// device. Without a device and not soft-RoCE, what speaks iWARP ("4: RNIC") is siw.
void read_place(const DriverFiles& files, const PortPlace& place, Port& port) {
  port.netdev = soft_roce_parent(files, place);
  if (!port.netdev.empty()) {
    port.driver = "rxe";
    return;
  }
  port.pci = pci_of(place.device_folder);
  port.driver = driver_of(place.device_folder);
  if (port.driver.empty() && !port.pci &&
      state_word(short_text(files, place.device_path() + "/node_type")) == "RNIC")
    port.driver = "siw";
}

/// The interface of an Ethernet port. A VLAN's or a bond's GIDs are in the same table, so an
/// interface of the device itself comes first.
std::string interface_of(const DriverFiles& files, const PortPlace& place, const Port& port) {
  const auto own = place.device_folder.list("device/net").value_or({});
  std::string first;
  for (const Gid& gid : port.gids) {
    if (gid.netdev.empty()) continue;
    if (std::find(own.begin(), own.end(), gid.netdev) != own.end()) return gid.netdev;
    if (first.empty()) first = gid.netdev;
  }
  if (!first.empty()) return first;
  if (own.size() == 1) return own.front();
  std::vector<std::string> same_port;
  for (const std::string& name : own)
    if (file_number(files, fmt::format("sys/class/net/{}/dev_port", name)) == place.number - 1)
      same_port.push_back(name);
  return same_port.size() == 1 ? same_port.front() : std::string();
}

std::vector<std::string> files_of(const PortPlace& place,
                                  const std::vector<PortCounter>& counters) {
  std::vector<std::string> paths;
  for (const char* file : kDeviceFiles) paths.push_back(place.device_path() + "/" + file);
  for (const char* file : kPortFiles) paths.push_back(place.path() + "/" + file);
  for (const PortCounter& counter : counters) paths.push_back(counter.path);
  return paths;
}

void read_identity(const DriverFiles& files, const PortPlace& place, Port& port) {
  port.node_guid = short_text(files, place.device_path() + "/node_guid");
  port.system_image_guid = short_text(files, place.device_path() + "/sys_image_guid");
  port.board_id = short_text(files, place.device_path() + "/board_id");
  port.firmware = short_text(files, place.device_path() + "/fw_ver");
}

Port read_port(const DriverFiles& files, const PortPlace& place, std::vector<Counter>& counters) {
  Port port;
  port.component = ComponentId::port(place.device, place.number);
  read_place(files, place, port);
  if (is_suspended(place.device_folder)) return port;
  const std::vector<PortCounter> wanted = port_counters(place);
  files.expect(files_of(place, wanted));
  read_identity(files, place, port);
  port.state = state_word(short_text(files, place.path() + "/state"));
  port.phys_state = state_word(short_text(files, place.path() + "/phys_state"));
  port.link_layer = short_text(files, place.path() + "/link_layer", 32);
  if (const std::string rate = short_text(files, place.path() + "/rate"); !rate.empty())
    take_rate(rate, port);
  port.lid = local_id(files, place.path() + "/lid");
  port.sm_lid = local_id(files, place.path() + "/sm_lid");
  for (const PortCounter& counter : wanted)
    add_counter(files, counter.path, port.component, counter.name, counters);
  read_gids(files, place, port);
  if (port.link_layer == "Ethernet" && port.netdev.empty())
    port.netdev = interface_of(files, place, port);
  return port;
}

}  // namespace

void take_rate(const std::string& text, Port& port) {
  port.rate_text = text;
  port.rate_gbps = leading_number(text);
  const std::size_t open = text.find('(');
  const std::size_t close = text.find(')');
  if (open == text.npos || close == text.npos || close < open) return;
  const auto words = words_of(std::string_view(text).substr(open + 1, close - open - 1));
  if (words.empty() || !words[0].ends_with('X')) return;
  const auto lanes = parse_int(words[0].substr(0, words[0].size() - 1));
  if (lanes && *lanes > 0 && *lanes <= 64) port.lanes = static_cast<int>(*lanes);
  if (words.size() > 1) port.speed_name = std::string(words[1]);
}

std::optional<Part> uncaptured_rdma(const Sysroot& root) {
  constexpr const char* kFolder = "sys/class/infiniband";
  if (root.live() || root.exists(kFolder) || root.exists("linkburn")) return std::nullopt;
  return Part{"rdma_devices",
              "unusable",
              std::string("/") + kFolder,
              {},
              "the capture has no RDMA devices",
              "capture sys/class/infiniband and what it leads to, too"};
}

std::vector<Port> read_ports(const Sysroot& root, const DriverFiles& files,
                             std::vector<Counter>& counters) {
  std::vector<Port> ports;
  for (const PortPlace& place : places_in(root)) ports.push_back(read_port(files, place, counters));
  return ports;
}

}  // namespace linkburn
