// RDMA ports from /sys/class/infiniband.
#include <fmt/format.h>

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

/// One port and where its files are.
struct Place {
  std::string device, device_folder, folder;
  int number = 0;
};

std::vector<Place> places_in(const Sysroot& root) {
  std::vector<Place> places;
  const std::string all = "sys/class/infiniband";
  for (const std::string& device : root.list(all).value_or({})) {
    const std::string folder = fmt::format("{}/{}", all, device);
    for (const std::string& number : root.list(folder + "/ports").value_or({})) {
      const auto index = parse_int(number);
      if (!index || *index < 0 || *index > kMaxPorts) continue;
      places.push_back(
          {device, folder, fmt::format("{}/ports/{}", folder, number), static_cast<int>(*index)});
    }
  }
  return places;
}

/// "4: ACTIVE" and "5: LinkUp": the word after the number [linux drivers/infiniband/core/sysfs.c].
std::string state_word(const std::string& text) {
  const std::size_t colon = text.find(':');
  return std::string(trim(std::string_view(text).substr(colon == text.npos ? 0 : colon + 1)));
}

/// "400 Gb/sec (4X NDR)"; old kernels leave out SDR: "10 Gb/sec (4X)"
/// [linux drivers/infiniband/core/sysfs.c, rate_show].
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

std::optional<int> local_id(const DriverFiles& files, const std::string& path) {
  const auto number = file_number(files, path);
  return number && *number >= 0 && *number <= 0xffff ? std::optional(static_cast<int>(*number))
                                                     : std::nullopt;
}

/// Of a device without a driver's link: soft-RoCE names its interface in `parent`, and siw, the
/// other one that lives on any interface, speaks iWARP ("4: RNIC").
std::string software_driver(const DriverFiles& files, const std::string& device_folder) {
  if (!short_text(files, device_folder + "/parent").empty()) return "rxe";
  return state_word(short_text(files, device_folder + "/node_type")) == "RNIC" ? "siw" : "";
}

/// The interface of an Ethernet port. A VLAN's or a bond's GIDs are in the same table, so an
/// interface of the device itself comes first.
std::string interface_of(const Sysroot& root, const DriverFiles& files, const Place& place,
                         const Port& port) {
  const auto own = root.list(place.device_folder + "/device/net").value_or({});
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
  if (same_port.size() == 1) return same_port.front();
  return own.empty() ? short_text(files, place.device_folder + "/parent") : std::string();
}

std::vector<std::string> files_of(const Place& place, const std::vector<PortCounter>& counters) {
  std::vector<std::string> paths;
  for (const char* file : kDeviceFiles) paths.push_back(place.device_folder + "/" + file);
  for (const char* file : kPortFiles) paths.push_back(place.folder + "/" + file);
  for (const PortCounter& counter : counters) paths.push_back(counter.path);
  return paths;
}

void read_identity(const DriverFiles& files, const Place& place, Port& port) {
  port.node_guid = short_text(files, place.device_folder + "/node_guid");
  port.system_image_guid = short_text(files, place.device_folder + "/sys_image_guid");
  port.board_id = short_text(files, place.device_folder + "/board_id");
  port.firmware = short_text(files, place.device_folder + "/fw_ver");
}

Port read_port(const Sysroot& root, const DriverFiles& files, const Place& place,
               std::vector<Counter>& counters) {
  Port port;
  port.component = ComponentId::port(place.device, place.number);
  port.pci = pci_of(root, place.device_folder);
  port.driver = driver_of(root, place.device_folder);
  if (is_suspended(root, place.device_folder)) return port;
  const std::vector<PortCounter> wanted = port_counters(root, place.device_folder, place.folder);
  files.expect(files_of(place, wanted));
  read_identity(files, place, port);
  port.state = state_word(short_text(files, place.folder + "/state"));
  port.phys_state = state_word(short_text(files, place.folder + "/phys_state"));
  port.link_layer = short_text(files, place.folder + "/link_layer", 32);
  if (const std::string rate = short_text(files, place.folder + "/rate"); !rate.empty())
    take_rate(rate, port);
  port.lid = local_id(files, place.folder + "/lid");
  port.sm_lid = local_id(files, place.folder + "/sm_lid");
  for (const PortCounter& counter : wanted)
    add_counter(files, counter.path, port.component, counter.name, counters);
  read_gids(root, files, place.folder, port);
  if (port.driver.empty()) port.driver = software_driver(files, place.device_folder);
  if (port.link_layer != "InfiniBand") port.netdev = interface_of(root, files, place, port);
  return port;
}

}  // namespace

std::vector<Port> read_ports(const Sysroot& root, const DriverFiles& files,
                             std::vector<Counter>& counters) {
  std::vector<Port> ports;
  for (const Place& place : places_in(root))
    ports.push_back(read_port(root, files, place, counters));
  return ports;
}

}  // namespace linkburn
