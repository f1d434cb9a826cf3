#include "bench/captures/nvbandwidth_table.h"

#include <fmt/core.h>

#include <utility>

#include "bench/base/text.h"

namespace linkburn {
namespace {

constexpr std::size_t kMaxName = 128;

/// "(00000000:19:00)": domain, bus, device; GPUs are function 0
/// [nvbandwidth output.cpp, getDeviceDisplayInfo].
std::optional<PciAddress> bus_id_in(std::string_view text) {
  if (text.size() != 14 || text[8] != ':' || text[11] != ':') return std::nullopt;
  return parse_pci_address(std::string(text) + ".0");
}

/// The direction of a table, from its title: the arrow points to where the data goes.
std::string direction_of(std::string_view title) {
  const bool host = title.find("CPU(row)") != std::string_view::npos;
  const bool peer = title.find("GPU(row)") != std::string_view::npos;
  if (title.find("GPU(column) bandwidth") == std::string_view::npos || host == peer) return {};
  if (peer) return "p2p";
  if (title.find("<->") != std::string_view::npos) return "duplex";
  if (title.find("->") != std::string_view::npos) return "h2d";
  return title.find("<-") != std::string_view::npos ? "d2h" : "";
}

std::string method_of(std::string_view title) {
  if (title.find(" CE ") != std::string_view::npos) return "copy_engine";
  return title.find(" SM ") != std::string_view::npos ? "kernel" : "";
}

ComponentId component_of(int index, const std::map<int, NvbandwidthDevice>& devices) {
  const auto found = devices.find(index);
  return found != devices.end() && !found->second.component.empty() ? found->second.component
                                                                    : ComponentId::gpu(index);
}

}  // namespace

void NvbandwidthTable::add_row(const MatrixRow& row) {
  rows.push_back({row.row, {row.cells.begin(), row.cells.end()}});
}

bool is_nvbandwidth_test(std::string_view name) {
  if (name.empty() || name.find_first_of(" \t") != std::string_view::npos) return false;
  for (const std::string_view part : {"_memcpy_", "_write_ce", "_write_sm", "_read_ce", "_read_sm",
                                      "device_local_copy", "_latency_"})
    if (name.find(part) != std::string_view::npos) return true;
  return false;
}

bool is_nvbandwidth_title(std::string_view line) {
  return (line.starts_with("memcpy ") && line.ends_with("bandwidth (GB/s)")) ||
         (line.find(" SM ") != std::string_view::npos && line.ends_with("GPU(column) (ns)"));
}

std::string title_of_nvbandwidth_test(std::string_view name) {
  const std::string_view method = name.ends_with("_sm") ? "SM" : "CE";
  for (const auto& [start, ends] :
       {std::pair<std::string_view, std::string_view>("host_to_device_memcpy_", "CPU(row) -> GPU"),
        {"device_to_host_memcpy_", "CPU(row) <- GPU"},
        {"device_to_device_memcpy_read_", "GPU(row) -> GPU"},
        {"device_to_device_memcpy_write_", "GPU(row) <- GPU"}})
    if (name.starts_with(start))
      return fmt::format("memcpy {} {}(column) bandwidth (GB/s)", method, ends);
  return {};
}

std::optional<NvbandwidthDevice> parse_nvbandwidth_device(std::string_view line) {
  if (!line.starts_with("Device ")) return std::nullopt;
  line.remove_prefix(7);
  const std::size_t colon = line.find(": ");
  const auto index = parse_int(line.substr(0, colon));
  if (colon == std::string_view::npos || !index || *index < 0 || *index > 65535)
    return std::nullopt;
  std::string_view name = trim(line.substr(colon + 2));
  NvbandwidthDevice device;
  device.index = static_cast<int>(*index);
  const std::size_t open = name.rfind('(');
  if (open != std::string_view::npos && name.ends_with(')'))
    if (const auto address = bus_id_in(name.substr(open + 1, name.size() - open - 2))) {
      device.component = ComponentId::pci(*address);
      name = trim(name.substr(0, open));
    }
  device.name = printable(name, kMaxName);
  return device;
}

Gpu gpu_of(const NvbandwidthDevice& device) {
  Gpu gpu;
  gpu.component = device.component.empty() ? ComponentId::gpu(device.index) : device.component;
  gpu.index = device.index;
  gpu.name = device.name;
  gpu.source = "nvbandwidth";
  return gpu;
}

void add_measurements(const NvbandwidthTable& table,
                      const std::map<int, NvbandwidthDevice>& devices, NodeDraft& node) {
  Measurement measurement;
  measurement.tool = "nvbandwidth";
  measurement.test = table.test;
  measurement.direction = direction_of(table.title);
  measurement.method = method_of(table.title);
  // Its host buffers are allocated by the CUDA driver [nvbandwidth memcpy.cpp, HostBuffer].
  if (measurement.direction != "p2p") measurement.memory = "pinned";
  // Tests of both directions at once report one of them, which is lower than alone.
  if (table.test.find("bidirectional") != std::string::npos && measurement.direction != "p2p")
    measurement.direction = "duplex";
  if (measurement.direction.empty()) return;
  for (const NvbandwidthRow& row : table.rows) {
    for (std::size_t i = 0; i < row.cells.size() && i < table.columns.size(); ++i) {
      const auto rate_gbs = rate_of_cell(row.cells[i]);
      if (!rate_gbs) continue;
      measurement.component = component_of(table.columns[i], devices);
      if (measurement.direction == "p2p") measurement.peer = component_of(row.row, devices);
      measurement.rate_gbs = *rate_gbs;
      measurement.text = fmt::format("{} GB/s", row.cells[i]);
      node.add(node.measurements, measurement);
    }
  }
}

}  // namespace linkburn
