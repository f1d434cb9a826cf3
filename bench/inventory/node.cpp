// Who the node is, and its NUMA nodes.
#include <sys/utsname.h>

#include <algorithm>

#include "bench/base/text.h"
#include "bench/inventory/sources.h"

namespace linkburn {
namespace {

/// "MemTotal:  47925628 kB" of a meminfo file, in bytes.
std::optional<std::int64_t> memory_total(const Result<std::string>& meminfo) {
  if (!meminfo) return std::nullopt;
  const std::size_t at = meminfo->find("MemTotal:");
  if (at == std::string::npos) return std::nullopt;
  const auto kib = leading_number(std::string_view(*meminfo).substr(at + 9));
  if (!kib || *kib < 0 || *kib > 1e15) return std::nullopt;
  return static_cast<std::int64_t>(*kib) * 1024;
}

std::string first_line(const Result<std::string>& text) {
  if (!text) return {};
  const auto lines = lines_of(*text);
  return lines.empty() ? "" : printable(trim(lines.front()), 256);
}

/// "Linux version 6.1.0-18-amd64 (...)": the third word.
std::string kernel_release(const Sysroot& root) {
  const std::string version = first_line(root.read("proc/version"));
  const auto words = words_of(version);
  return words.size() > 2 ? std::string(words[2]) : "";
}

}  // namespace

NodeFacts read_node_facts(const Sysroot& root) {
  NodeFacts facts;
  facts.drill = is_drill(root);
  facts.name = first_line(root.read("proc/sys/kernel/hostname"));
  facts.kernel = kernel_release(root);
  facts.boot_id = first_line(root.read("proc/sys/kernel/random/boot_id"));
  facts.machine = first_line(root.read("sys/class/dmi/id/product_name"));
  if (const auto uptime = root.read("proc/uptime")) facts.uptime_s = leading_number(*uptime);
  if (root.live() && facts.name.empty()) {
    utsname names{};
    if (::uname(&names) == 0) facts.name = printable(names.nodename);
  }
  return facts;
}

std::vector<NumaNode> read_numa_nodes(const Sysroot& root) {
  std::vector<NumaNode> nodes;
  for (const std::string& name : root.list("sys/devices/system/node").value_or({})) {
    const auto number = name.starts_with("node") ? parse_int(name.substr(4)) : std::nullopt;
    if (!number || *number < 0 || *number > 65535) continue;
    const std::string folder = "sys/devices/system/node/" + name;
    NumaNode node;
    node.number = static_cast<int>(*number);
    node.cpus =
        parse_list(root.read_line(folder + "/cpulist").value_or("")).value_or(std::vector<int>{});
    node.memory_bytes = memory_total(root.read(folder + "/meminfo"));
    nodes.push_back(std::move(node));
  }
  // Kernels without NUMA support show no node folder: all is node 0.
  if (nodes.empty()) {
    const auto online = root.read_line("sys/devices/system/cpu/online");
    const auto memory = memory_total(root.read("proc/meminfo"));
    if (online || memory)
      nodes.push_back({0, parse_list(online.value_or("")).value_or(std::vector<int>{}), memory});
  }
  std::sort(nodes.begin(), nodes.end(),
            [](const NumaNode& a, const NumaNode& b) { return a.number < b.number; });
  return nodes;
}

}  // namespace linkburn
