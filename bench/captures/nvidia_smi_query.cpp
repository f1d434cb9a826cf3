// nvidia-smi --query-gpu=... --format=csv with any choice of fields, once or again and again.
// Without its heading only the command tells what the numbers are; without both such a list begins
// nothing.
#include <algorithm>
#include <array>
#include <map>

#include "bench/base/text.h"
#include "bench/captures/gpu_view.h"
#include "bench/captures/table.h"

namespace linkburn {
namespace {

constexpr std::size_t kMostGpus = 4096;
constexpr std::size_t kMostColumns = 512;
constexpr std::size_t kTextBytes = 128;

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  while (cells.size() < kMostColumns) {
    const std::size_t comma = line.find(',');
    cells.push_back(trim(line.substr(0, comma)));
    if (comma == std::string_view::npos) break;
    line.remove_prefix(comma + 1);
  }
  return cells;
}

/// "utilization.gpu [%]" without its unit.
std::string_view field_of(std::string_view cell) { return trim(cell.substr(0, cell.find('['))); }

bool is_field(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_';
  });
}

/// Names that nothing else is called by [nvidia-smi --help-query-gpu].
bool is_known_field(std::string_view name) {
  constexpr std::array<std::string_view, 22> kStarts{
      "pcie.link.",     "pci.",           "utilization.",   "temperature.", "clocks.",
      "clocks_",        "memory.used",    "memory.total",   "memory.free",  "power.draw",
      "power.limit",    "ecc.errors",     "ecc.mode",       "mig.mode",     "fabric.",
      "retired_pages.", "remapped_rows.", "driver_version", "gpu_bus_id",   "gpu_uuid",
      "gpu_name",       "enforced.power"};
  return std::any_of(kStarts.begin(), kStarts.end(),
                     [&](std::string_view start) { return name.starts_with(start); });
}

bool is_heading(const std::vector<std::string_view>& cells) {
  bool known = false;
  for (const std::string_view cell : cells) {
    const std::string_view field = field_of(cell);
    if (!is_field(field)) return false;
    known = known || is_known_field(field);
  }
  return known;
}

/// The fields of "nvidia-smi --query-gpu=index,pci.bus_id --format=csv,noheader", with any prompt
/// before it; empty for other lines.
std::vector<std::string_view> fields_of_command(std::string_view line) {
  constexpr std::string_view kOption = "--query-gpu";
  const std::size_t at = line.find(kOption);
  if (at == std::string_view::npos ||
      line.substr(0, at).find("nvidia-smi") == std::string_view::npos)
    return {};
  std::string_view list = line.substr(at + kOption.size());
  list.remove_prefix(std::min(list.find_first_not_of("= \"'"), list.size()));
  const auto fields = cells_of(list.substr(0, list.find_first_of(" \"'")));
  return is_heading(fields) ? fields : std::vector<std::string_view>();
}

void take_pcie(Gpu& gpu, std::string_view field, std::string_view value) {
  if (field == "pcie.link.gen.current" || field == "pcie.link.gen.gpucurrent")
    gpu.speed = generation_in(value);
  else if (field == "pcie.link.gen.max")
    gpu.max_speed = generation_in(value);
  else if (field == "pcie.link.gen.gpumax")
    gpu.own_max_speed = generation_in(value);
  else if (field == "pcie.link.gen.hostmax")
    gpu.host_max_speed = generation_in(value);
  else if (field == "pcie.link.width.current")
    gpu.width = lanes_in(value);
  else if (field == "pcie.link.width.max")
    gpu.max_width = lanes_in(value);
}

void take_identity(GpuView& view, std::string_view field, std::string_view value) {
  Gpu& gpu = view.gpu;
  const auto text = [&] { return printable(value, kTextBytes); };
  if (field == "index") {
    const auto index = count_in(value);
    if (index && *index <= 65535) gpu.index = static_cast<int>(*index);
  } else if (field == "pci.bus_id" || field == "gpu_bus_id") {
    view.address = parse_pci_address(value);
  } else if (field == "pci.device_id" || field == "pci.sub_device_id") {
    take_ids(view, value, field == "pci.sub_device_id");
  } else if (field == "name" || field == "gpu_name") {
    gpu.name = text();
  } else if (field == "uuid" || field == "gpu_uuid") {
    gpu.uuid = text();
  } else if (field == "serial" || field == "gpu_serial") {
    gpu.serial = text();
  } else if (field == "driver_version") {
    gpu.driver_version = text();
  }
}

/// "clocks_event_reasons.hw_thermal_slowdown" in the words of the others.
std::string_view reason_of(std::string_view field) {
  field = field.substr(field.find('.') + 1);
  if (field == "hw_slowdown") return "HW Slowdown";
  if (field == "hw_thermal_slowdown") return "HW Thermal Slowdown";
  if (field == "hw_power_brake_slowdown") return "HW Power Brake Slowdown";
  if (field == "sw_thermal_slowdown") return "SW Thermal Slowdown";
  if (field == "sw_power_cap") return "SW Power Cap";
  return {};
}

void take_state(Gpu& gpu, std::string_view field, std::string_view value) {
  if (field == "pstate") {
    gpu.performance_state = performance_state_in(value);
  } else if (field == "utilization.gpu") {
    gpu.utilization_percent = number_in(value);
  } else if (field == "temperature.gpu") {
    gpu.temperature_c = number_in(value);
  } else if (field == "mig.mode.current") {
    gpu.mig_mode = printable(value, kTextBytes);
  } else if (field == "fabric.state") {
    gpu.fabric_state = printable(value, kTextBytes);
  } else if (field.starts_with("clocks_") && field.ends_with("_reasons.active")) {
    if (const auto mask = parse_int(value, 16)) gpu.slowed_by = reasons_in(*mask);
  } else if (field.starts_with("clocks_") && value == "Active") {
    if (const auto reason = reason_of(field); !reason.empty()) gpu.slowed_by.emplace_back(reason);
  }
}

class Reader : public PartReader {
 public:
  Take take(std::string_view line) override {
    if (const auto fields = fields_of_command(line); !fields.empty()) return take_heading(fields);
    const auto cells = cells_of(line);
    if (is_heading(cells)) return take_heading(cells);
    if (fields_.empty() || cells.size() != fields_.size()) return Take::elsewhere;
    if (trim(line).empty()) return Take::elsewhere;
    return take_row(cells);
  }

  void finish(NodeDraft& node) override {
    for (GpuView& view : gpus_) add_view(node, std::move(view));
  }

 private:
  Take take_heading(const std::vector<std::string_view>& cells) {
    fields_.clear();
    for (const std::string_view cell : cells) fields_.emplace_back(field_of(cell));
    rows_ = 0;
    return Take::understood;
  }

  Take take_row(const std::vector<std::string_view>& cells) {
    GpuView view;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string_view value = cells[i];
      if (fields_[i] != "fan.speed") take_error(view.error, error_in(value));
      if (!is_told(value)) continue;
      take_identity(view, fields_[i], value);
      take_pcie(view.gpu, fields_[i], value);
      take_state(view.gpu, fields_[i], value);
    }
    if (says_nothing(view) || contradicts(view, cells)) return Take::elsewhere;
    // Rows without a name of any kind come in the driver's order.
    if (key_of(view).empty()) view.gpu.index = rows_;
    ++rows_;
    add(std::move(view));
    return Take::understood;
  }

  /// A line of one column could be anything; one of several cells that has nothing of ours, too.
  bool says_nothing(const GpuView& view) const {
    const Gpu& gpu = view.gpu;
    const bool pcie = gpu.speed || gpu.width || gpu.max_speed || gpu.max_width ||
                      gpu.own_max_speed || gpu.host_max_speed;
    const bool known = !key_of(view).empty() || pcie || !view.error.empty();
    return !known && (fields_.size() == 1 || gpu.name.empty());
  }

  /// A field that has a shape, and a value of another one: no row of this list.
  bool contradicts(const GpuView& view, const std::vector<std::string_view>& cells) const {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (!is_told(cells[i])) continue;
      if (fields_[i] == "pci.bus_id" && !view.address) return true;
      if (fields_[i] == "index" && !view.gpu.index) return true;
    }
    return false;
  }

  static std::string key_of(const GpuView& view) {
    if (view.address) return to_string(*view.address);
    if (!view.gpu.uuid.empty()) return view.gpu.uuid;
    return view.gpu.index ? std::to_string(*view.gpu.index) : std::string();
  }

  void add(GpuView view) {
    const auto [known, is_new] = places_.emplace(key_of(view), gpus_.size());
    if (!is_new) {
      take_error(gpus_[known->second].error, view.error);
      return add_sample(gpus_[known->second].gpu, view.gpu);
    }
    if (gpus_.size() < kMostGpus)
      gpus_.push_back(std::move(view));
    else
      places_.erase(known);
  }

  std::vector<std::string> fields_;
  int rows_ = 0;
  std::vector<GpuView> gpus_;
  std::map<std::string, std::size_t> places_;
};

bool begins(std::string_view line, std::string_view) {
  return is_heading(cells_of(line)) || !fields_of_command(line).empty();
}

std::unique_ptr<PartReader> make() { return std::make_unique<Reader>(); }

}  // namespace

const CaptureKind nvidia_smi_query_capture{"nvidia_smi_query",
                                           "nvidia-smi --query-gpu=... --format=csv", begins, make};

}  // namespace linkburn
