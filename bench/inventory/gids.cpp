// The GID table of an RDMA port.
#include <fmt/core.h>

#include <algorithm>

#include "bench/base/text.h"
#include "bench/inventory/network.h"

namespace linkburn {
namespace {

constexpr int kMaxGids = 4096;  // tables have 256 entries today

bool is_zero(std::string_view gid) { return gid.find_first_not_of("0:") == std::string_view::npos; }

std::vector<int> slots_of(const PortPlace& place) {
  std::vector<int> slots;
  for (const std::string& name : place.device_folder.list(place.inside() + "/gids").value_or({}))
    if (const auto slot = parse_int(name); slot && *slot >= 0 && *slot < kMaxGids)
      slots.push_back(static_cast<int>(*slot));
  std::sort(slots.begin(), slots.end());
  return slots;
}

/// Types and interfaces of empty entries fail with EINVAL, so only those in use are asked for
/// [linux drivers/infiniband/core/sysfs.c, _show_port_gid_attr].
void read_attributes(const DriverFiles& files, const std::string& folder, std::vector<Gid>& gids) {
  std::vector<std::string> paths;
  for (const Gid& gid : gids)
    for (const char* kind : {"types", "ndevs"})
      paths.push_back(fmt::format("{}/gid_attrs/{}/{}", folder, kind, gid.index));
  files.expect(paths);
  for (Gid& gid : gids) {
    gid.type = short_text(files, fmt::format("{}/gid_attrs/types/{}", folder, gid.index));
    gid.netdev = short_text(files, fmt::format("{}/gid_attrs/ndevs/{}", folder, gid.index));
  }
}

}  // namespace

void read_gids(const DriverFiles& files, const PortPlace& place, Port& port) {
  const std::string folder = place.path();
  const std::vector<int> slots = slots_of(place);
  std::vector<std::string> paths;
  for (const int slot : slots) paths.push_back(fmt::format("{}/gids/{}", folder, slot));
  files.expect(paths);
  std::size_t read = 0;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const auto text = files(paths[i]);
    if (!text) continue;  // an entry of another namespace is none of ours
    ++read;
    std::string gid = printable(trim(*text), 64);
    if (!is_zero(gid)) port.gids.push_back({slots[i], std::move(gid), {}, {}});
  }
  port.gids_read = read > 0;
  read_attributes(files, folder, port.gids);
}

}  // namespace linkburn
