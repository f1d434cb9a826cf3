// p2pBandwidthLatencyTest of the CUDA samples: rates between GPUs
// [CUDA samples, p2pBandwidthLatencyTest.cu: outputBandwidthMatrix].
#include <fmt/core.h>

#include <map>

#include "bench/base/text.h"
#include "bench/captures/copy_matrix.h"
#include "bench/captures/table.h"

namespace linkburn {
namespace {

/// "Unidirectional P2P=Enabled Bandwidth (P2P Writes) Matrix (GB/s)"; 10^9 bytes [the same,
/// gb = numElems * sizeof(int) * repeat / 1e9].
bool is_title(std::string_view line) {
  return line.find("directional P2P=") != std::string_view::npos && line.ends_with("Matrix (GB/s)");
}

/// Tables of latencies and of who can access whom.
bool is_other_title(std::string_view line) {
  return line.starts_with("P2P Connectivity Matrix") ||
         (line.starts_with("P2P=") && line.ends_with("Matrix (us)"));
}

bool is_remark(std::string_view line) {
  return line.starts_with("[P2P (Peer-to-Peer) GPU Bandwidth") || line.starts_with("Device=") ||
         line.starts_with("***NOTE: In case a device doesn't have P2P") ||
         line.starts_with("So you can see lesser Bandwidth") || line.starts_with("NOTE: The CUDA");
}

/// "Device: 3, NVIDIA H100 80GB HBM3, pciBusID: 5d, pciDeviceID: 0, pciDomainID:0": the bus in
/// hexadecimal, and so the other numbers.
std::optional<Gpu> device_of(std::string_view line) {
  const auto field = [&](std::string_view name) -> std::optional<std::int64_t> {
    const std::size_t at = line.rfind(name);
    if (at == std::string_view::npos) return std::nullopt;
    const std::string_view rest = line.substr(at + name.size());
    return parse_int(rest.substr(0, rest.find(',')), 16);
  };
  if (!line.starts_with("Device: ")) return std::nullopt;
  const std::string_view rest = line.substr(8);
  const std::size_t comma = rest.find(", ");
  const auto index = parse_int(rest.substr(0, comma));
  const auto bus = field("pciBusID:"), device = field("pciDeviceID:"),
             domain = field("pciDomainID:");
  if (!index || !bus || !device || !domain || comma == std::string_view::npos) return std::nullopt;
  const auto address =
      parse_pci_address(fmt::format("{:04x}:{:02x}:{:02x}.0", *domain, *bus, *device));
  if (!address || *index < 0 || *index > 65535) return std::nullopt;
  Gpu gpu;
  gpu.component = ComponentId::pci(*address);
  gpu.index = static_cast<int>(*index);
  gpu.name = printable(trim(rest.substr(comma + 2, rest.rfind(", pciBusID") - comma - 2)), 128);
  gpu.source = "p2pBandwidthLatencyTest";
  return gpu;
}

class Reader : public PartReader {
 public:
  Take take(std::string_view raw) override {
    const std::string_view line = trim(raw);
    if (line.empty() || is_remark(line)) return Take::understood;
    if (auto gpu = device_of(line)) {
      if (gpus_.size() < kMaxDevices) gpus_[*gpu->index] = std::move(*gpu);
      return Take::understood;
    }
    if (is_title(line) || is_other_title(line)) {
      title_ = is_title(line) ? line : std::string_view();
      columns_.clear();
      in_table_ = true;
      return Take::understood;
    }
    if (!in_table_) return Take::elsewhere;
    if (line.starts_with("GPU ") || line.starts_with("CPU ")) return Take::understood;
    if (columns_.empty())
      if (auto columns = matrix_header(line)) {
        columns_ = std::move(*columns);
        return Take::understood;
      }
    return take_row(line);
  }

  void finish(NodeDraft& node) override {
    for (const auto& [index, gpu] : gpus_) node.add(node.gpus, gpu);
    for (Measurement& measurement : measurements_) {
      measurement.component = resolved(measurement.component);
      measurement.peer = resolved(*measurement.peer);
      node.add(node.measurements, std::move(measurement));
    }
  }

 private:
  static constexpr std::size_t kMaxDevices = 1024;

  /// Rates within one GPU are on the diagonal. P2P=Disabled goes through the host, so it tells of
  /// the links to it and not of those between GPUs.
  Take take_row(std::string_view line) {
    const auto row = matrix_row(line);
    if (!row) return Take::elsewhere;
    if (title_.find("P2P=Enabled") == std::string::npos) return Take::understood;
    if (columns_.empty())
      for (std::size_t i = 0; i < row->cells.size(); ++i) columns_.push_back(static_cast<int>(i));
    if (row->cells.size() != columns_.size()) return Take::not_understood;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const auto rate_gbs = rate_of_cell(row->cells[i]);
      if (!rate_gbs || columns_[i] == row->row || measurements_.size() >= NodeDraft::kMaxItems)
        continue;
      Measurement& measurement = measurements_.emplace_back();
      measurement.tool = "p2pBandwidthLatencyTest";
      measurement.test = title_;
      measurement.direction = "p2p";
      measurement.component = ComponentId::gpu(columns_[i]);
      measurement.peer = ComponentId::gpu(row->row);
      measurement.rate_gbs = *rate_gbs;
      measurement.text = fmt::format("{} GB/s", row->cells[i]);
    }
    return Take::understood;
  }

  ComponentId resolved(const ComponentId& numbered) const {
    const auto index = parse_int(std::string_view(numbered.text()).substr(3));
    const auto found = index ? gpus_.find(static_cast<int>(*index)) : gpus_.end();
    return found != gpus_.end() ? found->second.component : numbered;
  }

  std::map<int, Gpu> gpus_;
  std::vector<Measurement> measurements_;
  std::vector<int> columns_;
  std::string title_;
  bool in_table_ = false;
};

bool begins(std::string_view raw, std::string_view) {
  const std::string_view line = trim(raw);
  return line.starts_with("[P2P (Peer-to-Peer) GPU Bandwidth") || is_title(line) ||
         is_other_title(line) || device_of(line).has_value();
}

std::unique_ptr<PartReader> make() { return std::make_unique<Reader>(); }

}  // namespace

const CaptureKind p2p_bandwidth_capture{
    "p2p_bandwidth", "p2pBandwidthLatencyTest of the CUDA samples", begins, make};

}  // namespace linkburn
