// nvidia-smi topo -m: how many NVLinks join which GPUs, and which NIC is near which GPU.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>

#include "bench/base/text.h"
#include "bench/captures/table.h"

namespace linkburn {
namespace {

constexpr std::size_t kMostColumns = 256;
constexpr std::size_t kNameBytes = 64;

/// From near to far [legend of nvidia-smi topo -m].
constexpr std::array<std::string_view, 6> kDistances{"PIX", "PXB", "PHB", "NODE", "SYS", "SOC"};

std::optional<int> gpu_number(std::string_view word) {
  if (!word.starts_with("GPU")) return std::nullopt;
  const auto number = parse_int(word.substr(3));
  return number && *number >= 0 && *number <= 65535 ? std::optional<int>(static_cast<int>(*number))
                                                    : std::nullopt;
}

bool is_nic(std::string_view word) {
  constexpr std::array<std::string_view, 7> kStarts{"NIC",  "mlx5_", "mlx4_", "ibp",
                                                    "bnxt", "rdma",  "irdma"};
  return std::any_of(kStarts.begin(), kStarts.end(),
                     [&](std::string_view start) { return word.starts_with(start); });
}

/// "NV18": this many NVLinks.
std::optional<int> nvlinks_in(std::string_view cell) {
  if (!cell.starts_with("NV")) return std::nullopt;
  const auto count = parse_int(cell.substr(2));
  return count && *count >= 1 && *count <= 64 ? std::optional<int>(static_cast<int>(*count))
                                              : std::nullopt;
}

bool is_cell(std::string_view cell) {
  return cell == "X" || nvlinks_in(cell) ||
         std::find(kDistances.begin(), kDistances.end(), cell) != kDistances.end();
}

/// The devices that head the columns; empty: no heading.
std::vector<std::string> devices_in(std::string_view line) {
  std::vector<std::string> devices;
  for (const std::string_view word : words_of(line)) {
    if (!gpu_number(word) && !is_nic(word)) break;
    if (devices.size() < kMostColumns) devices.push_back(printable(word, kNameBytes));
  }
  return devices;
}

bool is_heading(std::string_view line) {
  const auto words = words_of(line);
  if (words.empty() || words[0] != "GPU0") return false;
  return line.find("Affinity") != std::string_view::npos || devices_in(line).size() == words.size();
}

bool is_row(std::string_view line) {
  const auto words = words_of(line);
  return words.size() >= 2 && (gpu_number(words[0]) || is_nic(words[0])) && is_cell(words[1]);
}

bool is_legend(std::string_view line) {
  line = trim(line);
  if (line == "Legend:" || line == "NIC Legend:") return true;
  const std::size_t equals = line.find(" = ");
  const std::string_view word = trim(line.substr(0, equals));
  return equals != std::string_view::npos && (is_cell(word) || word == "NV#");
}

class Reader : public PartReader {
 public:
  Take take(std::string_view line) override {
    if (is_heading(line)) {
      devices_ = devices_in(line);
      return Take::understood;
    }
    if (is_legend(line)) return Take::understood;
    if (take_nic_name(line)) return Take::understood;
    if (!is_row(line)) return Take::elsewhere;
    return take_row(words_of(line));
  }

  void finish(NodeDraft& node) override {
    add_headless_rows();
    for (auto& [gpu, nic] : nearest_) {
      const auto name = nic_names_.find(nic.text);
      if (name != nic_names_.end()) nic.text = name->second;
      nic.text += fmt::format(" ({})", kDistances[static_cast<std::size_t>(*nic.value)]);
      nic.value.reset();
      readings_.push_back(std::move(nic));
    }
    for (Reading& reading : readings_) node.add(node.records, Body(std::move(reading)));
  }

 private:
  /// "  NIC0: mlx5_0"
  bool take_nic_name(std::string_view line) {
    line = trim(line);
    const std::size_t colon = line.find(": ");
    if (!line.starts_with("NIC") || colon == std::string_view::npos) return false;
    if (!parse_int(line.substr(3, colon - 3))) return false;
    if (nic_names_.size() < kMostColumns)
      nic_names_[printable(line.substr(0, colon), kNameBytes)] =
          printable(trim(line.substr(colon + 2)), kNameBytes);
    return true;
  }

  Take take_row(const std::vector<std::string_view>& words) {
    const auto row = gpu_number(words[0]);
    if (!row || rows_++ >= kMostColumns) return Take::understood;
    if (devices_.empty()) return take_headless_row(*row, words);
    for (std::size_t i = 1; i < words.size() && i <= devices_.size(); ++i) {
      if (!is_cell(words[i])) return Take::not_understood;
      const auto column = gpu_number(devices_[i - 1]);
      if (column && *column != *row)
        add(*row, *column, words[i]);
      else if (!column)
        add_nic(*row, devices_[i - 1], words[i]);
    }
    return Take::understood;
  }

  /// The heading was cut. GPUs stand first in it, in the order of their numbers, so each meets
  /// itself in the column of its number.
  Take take_headless_row(int row, const std::vector<std::string_view>& words) {
    const auto at = static_cast<std::size_t>(row) + 1;
    if (row != static_cast<int>(headless_.size()) || at >= words.size() || words[at] != "X")
      return Take::understood;
    std::vector<std::string> cells;
    for (std::size_t i = 1; i < words.size() && i <= kMostColumns && is_cell(words[i]); ++i)
      cells.emplace_back(words[i]);
    headless_.push_back(std::move(cells));
    return Take::understood;
  }

  void add_headless_rows() {
    for (std::size_t row = 0; row < headless_.size(); ++row)
      for (std::size_t column = 0; column < headless_.size(); ++column)
        if (column != row && column < headless_[row].size())
          add(static_cast<int>(row), static_cast<int>(column), headless_[row][column]);
  }

  /// No NVLink is what the matrix says where it names another way.
  void add(int gpu, int peer, std::string_view cell) {
    Reading reading;
    reading.component = ComponentId::gpu(gpu);
    reading.quantity = fmt::format("nvlinks_to_gpu{}", peer);
    reading.unit = "links";
    reading.value = nvlinks_in(cell).value_or(0);
    reading.text = cell;
    readings_.push_back(std::move(reading));
  }

  void add_nic(int gpu, const std::string& nic, std::string_view distance) {
    const auto found = std::find(kDistances.begin(), kDistances.end(), distance);
    if (found == kDistances.end()) return;
    const auto far = static_cast<double>(found - kDistances.begin());
    Reading& nearest = nearest_[gpu];
    if (nearest.value && *nearest.value <= far) return;
    nearest.component = ComponentId::gpu(gpu);
    nearest.quantity = "nearest_nic";
    nearest.value = far;
    nearest.text = nic;
  }

  std::vector<std::string> devices_;
  std::size_t rows_ = 0;
  std::vector<std::vector<std::string>> headless_;
  std::vector<Reading> readings_;
  std::map<int, Reading> nearest_;
  std::map<std::string, std::string> nic_names_;
};

bool begins(std::string_view line, std::string_view next) {
  if (is_heading(line)) return is_row(next) || trim(next).empty();
  // A matrix whose heading was cut: at least one more line of it.
  return is_row(line) && gpu_number(words_of(line)[0]).has_value() && words_of(line).size() >= 3;
}

std::unique_ptr<PartReader> make() { return std::make_unique<Reader>(); }

}  // namespace

const CaptureKind gpu_topology_capture{"gpu_topology", "nvidia-smi topo -m", begins, make};

}  // namespace linkburn
