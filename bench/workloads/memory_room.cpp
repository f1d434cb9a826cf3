#include "bench/workloads/memory_room.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>

#include "bench/base/component.h"
#include "bench/base/text.h"

namespace linkburn {
namespace {

constexpr std::int64_t kShare = 4;
constexpr std::int64_t kMiB = 1 << 20;
constexpr std::int64_t kMinMib = 64, kMaxMib = 1024;  // of a size that we choose ourselves
constexpr std::int64_t kCacheFactor = 4;  // smaller buffers partly measure the last-level cache

/// The number that follows `label` in a text of "label: number unit" lines.
std::optional<std::int64_t> number_after(std::string_view text, std::string_view label) {
  for (const std::string_view line : lines_of(text)) {
    const std::vector<std::string_view> words = words_of(line);
    for (std::size_t i = 0; i + 1 < words.size(); ++i)
      if (words[i] == label) return parse_int(words[i + 1]);
  }
  return std::nullopt;
}

/// Free pages and those that only cache files [linux drivers/base/node.c, node_read_meminfo].
std::optional<std::int64_t> available_on(const Sysroot& root, int node) {
  const auto text = root.read(fmt::format("sys/devices/system/node/node{}/meminfo", node));
  if (!text) return std::nullopt;
  const auto free_kib = number_after(*text, "MemFree:");
  if (!free_kib) return std::nullopt;
  return 1024 * (*free_kib + number_after(*text, "Active(file):").value_or(0) +
                 number_after(*text, "Inactive(file):").value_or(0));
}

struct CgroupFiles {
  std::string mount, limit, usage;
};

/// Versions 2 and 1 [linux Documentation/admin-guide/cgroup-v2.rst, cgroup-v1/memory.rst].
std::optional<CgroupFiles> files_of(std::string_view controllers) {
  if (controllers.empty()) return CgroupFiles{"sys/fs/cgroup", "memory.max", "memory.current"};
  if (controllers == "memory")
    return CgroupFiles{"sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes"};
  return std::nullopt;
}

/// What the limit of one cgroup leaves; nothing when there is no limit ("max").
std::optional<std::int64_t> left_in(const Sysroot& root, const CgroupFiles& files,
                                    const std::string& group) {
  const std::string folder = files.mount + group + "/";
  const auto limit = root.read_line(folder + files.limit);
  const auto usage = root.read_line(folder + files.usage);
  if (!limit || !usage) return std::nullopt;
  const auto limit_bytes = parse_int(*limit);
  const auto used_bytes = parse_int(*usage);
  if (!limit_bytes || !used_bytes) return std::nullopt;
  const auto stat = root.read(folder + "memory.stat");
  const std::int64_t cache_bytes = stat ? number_after(*stat, "inactive_file").value_or(0) : 0;
  return std::max<std::int64_t>(0, *limit_bytes - *used_bytes + cache_bytes);
}

void tighten(MemoryRoom& room, std::optional<std::int64_t> bytes, std::string_view by) {
  if (bytes && *bytes / kShare < room.bytes) room = {*bytes / kShare, std::string(by)};
}

void tighten_by_cgroups(MemoryRoom& room, const Sysroot& root) {
  const auto text = root.read("proc/self/cgroup");
  if (!text) return;
  // "hierarchy:controllers:path"
  for (const std::string_view line : lines_of(*text)) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string_view::npos || second == std::string_view::npos) continue;
    const auto files = files_of(line.substr(first + 1, second - first - 1));
    if (!files) continue;
    std::string group(line.substr(second + 1));
    if (group == "/") group.clear();
    while (true) {
      tighten(room, left_in(root, *files, group),
              fmt::format("memory limit of the cgroup {}", group.empty() ? "/" : group));
      if (group.empty()) break;
      group.erase(std::min(group.rfind('/'), group.size()));
    }
  }
}

}  // namespace

Result<MemoryRoom> memory_room(const Sysroot& root, const std::vector<int>& nodes) {
  const auto text = root.read("proc/meminfo");
  if (!text) return text.error();
  const auto available_kib = number_after(*text, "MemAvailable:");
  if (!available_kib)
    return Error{Code::invalid, "no MemAvailable", "/proc/meminfo", "it needs Linux 3.14"};
  MemoryRoom room{*available_kib * 1024 / kShare, "free memory of the machine"};
  for (const int node : nodes)
    tighten(room, available_on(root, node),
            fmt::format("free memory of {}", ComponentId::numa(node).text()));
  tighten_by_cgroups(room, root);
  return room;
}

Result<BufferSize> buffer_size(std::int64_t wanted_mib, std::int64_t cache_bytes,
                               const MemoryRoom& room) {
  if (wanted_mib == 0)
    wanted_mib = std::clamp(kCacheFactor * (cache_bytes / kMiB), kMinMib, kMaxMib);
  const std::int64_t room_mib = room.bytes / kMiB / 2;
  if (room_mib == 0)
    return Error{Code::busy, fmt::format("too little {}", room.bounded_by), "/proc/meminfo",
                 "free some, or raise the limit"};
  if (room_mib >= wanted_mib)
    return BufferSize{static_cast<std::size_t>(wanted_mib * kMiB),
                      fmt::format("{} MiB", wanted_mib)};
  return BufferSize{
      static_cast<std::size_t>(room_mib * kMiB),
      fmt::format("{} MiB ({} wanted, bounded by the {})", room_mib, wanted_mib, room.bounded_by)};
}

std::optional<std::int64_t> huge_page_bytes(const Sysroot& root) {
  const auto text = root.read("proc/self/smaps_rollup");
  if (!text) return std::nullopt;
  const auto kib = number_after(*text, "AnonHugePages:");
  if (!kib) return std::nullopt;
  return *kib * 1024;
}

}  // namespace linkburn
