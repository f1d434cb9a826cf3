#include "bench/captures/gpu_view.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>

#include "bench/base/text.h"

namespace linkburn {
namespace {

constexpr std::size_t kNameBytes = 128;

struct Reason {
  std::int64_t bit;
  std::string_view name;
};
// [nvml.h, nvmlClocksEventReason*; names as in nvidia-smi -q]
constexpr std::array kReasons = std::to_array<Reason>({
    {0x1, "Idle"},
    {0x2, "Applications Clocks Setting"},
    {0x4, "SW Power Cap"},
    {0x8, "HW Slowdown"},
    {0x10, "Sync Boost"},
    {0x20, "SW Thermal Slowdown"},
    {0x40, "HW Thermal Slowdown"},
    {0x80, "HW Power Brake Slowdown"},
    {0x100, "Display Clock Setting"},
});

std::string_view without_brackets(std::string_view value) {
  value = trim(value);
  if (value.size() >= 2 && value.front() == '[' && value.back() == ']')
    value = value.substr(1, value.size() - 2);
  return value;
}

template <class T>
void take_known(T& to, const T& from) {
  if (to == T{}) to = from;
}

/// The higher of two limits, of which one can be unknown.
template <class T>
void take_higher(std::optional<T>& to, const std::optional<T>& from) {
  if (from && (!to || *to < *from)) to = from;
}

void take_activity(Gpu& gpu, const Gpu& sample) {
  // How busy it was counts at the moment at which the speed was read, not at another one.
  const bool newer = !gpu.speed && sample.speed;
  const bool older = gpu.speed && !sample.speed;
  if (older) return;
  if (newer || sample.utilization_percent.value_or(-1) > gpu.utilization_percent.value_or(-1)) {
    gpu.utilization_percent = sample.utilization_percent;
    gpu.performance_state = sample.performance_state;
  } else if (!gpu.utilization_percent && !sample.utilization_percent) {
    take_known(gpu.performance_state, sample.performance_state);
  }
}

void take_links(Gpu& gpu, const Gpu& sample) {
  if (sample.links_read && !gpu.links_read) {
    gpu.links = sample.links;
    gpu.links_read = true;
  }
}

}  // namespace

void add_view(NodeDraft& node, GpuView view) {
  Gpu& gpu = view.gpu;
  gpu.source = kFromNvidiaSmi;
  gpu.component = view.address ? ComponentId::pci(*view.address)
                  : gpu.index  ? ComponentId::gpu(*gpu.index)
                               : ComponentId::from_evidence("gpu");
  if (view.address) {
    FunctionView known;
    PciFunction& function = known.function;
    function.address = *view.address;
    function.type = "gpu";
    function.name = gpu.name;
    function.vendor_id = view.vendor_id.empty() ? "0x10de" : view.vendor_id;
    function.device_id = view.device_id;
    function.subsystem_vendor_id = view.subsystem_vendor_id;
    function.subsystem_device_id = view.subsystem_device_id;
    LinkEnd& end = function.link_end;
    end.source = kFromNvidiaSmi;
    end.speed = gpu.speed;
    end.max_speed = gpu.own_max_speed ? gpu.own_max_speed : gpu.max_speed;
    end.width = gpu.width;
    end.max_width = gpu.max_width;
    end.files = end.speed || end.width || end.max_speed || end.max_width;
    node.add(node.functions, std::move(known));
  }
  if (!view.error.empty()) {
    ToolError error;
    error.code = to_string(Code::io);
    error.what = "its driver says of it: " + view.error;
    error.source = kFromNvidiaSmi;
    error.fix = "the kernel log (dmesg | grep NVRM), and lspci -vvv of this GPU";
    error.component = gpu.component;
    node.add(node.records, Body(std::move(error)));
  }
  node.add(node.gpus, std::move(gpu));
}

void take_error(std::string& error, const std::string& more) {
  if (!more.empty() && (error.empty() || more == kGpuIsLost)) error = more;
}

void add_sample(Gpu& gpu, const Gpu& sample) {
  take_activity(gpu, sample);
  take_links(gpu, sample);
  take_known(gpu.index, sample.index);
  if (sample.name.size() > gpu.name.size()) gpu.name = sample.name;  // tables cut names
  take_known(gpu.uuid, sample.uuid);
  take_known(gpu.serial, sample.serial);
  take_known(gpu.driver_version, sample.driver_version);
  take_higher(gpu.speed, sample.speed);
  take_higher(gpu.max_speed, sample.max_speed);
  take_higher(gpu.own_max_speed, sample.own_max_speed);
  take_higher(gpu.host_max_speed, sample.host_max_speed);
  take_higher(gpu.max_width, sample.max_width);
  if (sample.width && (!gpu.width || *sample.width < *gpu.width)) gpu.width = sample.width;
  take_higher(gpu.replays, sample.replays);
  take_higher(gpu.replay_rollovers, sample.replay_rollovers);
  take_higher(gpu.temperature_c, sample.temperature_c);
  take_known(gpu.temperature_slowdown_c, sample.temperature_slowdown_c);
  take_known(gpu.c2c_mode, sample.c2c_mode);
  take_known(gpu.mig_mode, sample.mig_mode);
  take_known(gpu.fabric_state, sample.fabric_state);
  for (const std::string& reason : sample.slowed_by)
    if (std::find(gpu.slowed_by.begin(), gpu.slowed_by.end(), reason) == gpu.slowed_by.end())
      gpu.slowed_by.push_back(reason);
}

std::vector<GpuView> joined(std::vector<GpuView> views) {
  std::vector<GpuView> result;
  std::map<PciAddress, std::size_t> places;
  for (GpuView& view : views) {
    if (view.address) {
      const auto [known, is_new] = places.emplace(*view.address, result.size());
      if (!is_new) {
        GpuView& same = result[known->second];
        add_sample(same.gpu, view.gpu);
        take_error(same.error, view.error);
        continue;
      }
    }
    result.push_back(std::move(view));
  }
  return result;
}

bool is_told(std::string_view value) {
  value = without_brackets(value);
  constexpr std::array<std::string_view, 8> kUnknown{"",
                                                     "N/A",
                                                     "Not Supported",
                                                     "Unknown",
                                                     "Not Available",
                                                     "Insufficient Permissions",
                                                     "No data",
                                                     "Requested functionality has been deprecated"};
  return error_in(value).empty() &&
         std::find(kUnknown.begin(), kUnknown.end(), value) == kUnknown.end();
}

std::string error_in(std::string_view value) {
  value = without_brackets(value);
  constexpr std::array<std::string_view, 5> kErrors{kGpuIsLost, "GPU requires reset",
                                                    "GPU access blocked", "Unknown Error", "ERR!"};
  for (const std::string_view words : kErrors)
    if (value.starts_with(words)) return std::string(words);
  return {};
}

std::optional<LinkSpeed> generation_in(std::string_view value) {
  const auto number = parse_int(value);
  if (!number || *number < 1 || *number > kPcieGenerations) return std::nullopt;
  return speed_of_generation(static_cast<int>(*number));
}

std::optional<LinkWidth> lanes_in(std::string_view value) {
  value = trim(value);
  if (!value.empty() && value.back() == 'x') value.remove_suffix(1);
  const auto lanes = parse_int(value);
  if (!lanes || *lanes < 1 || *lanes > 32) return std::nullopt;
  return LinkWidth{static_cast<int>(*lanes)};
}

std::optional<std::int64_t> count_in(std::string_view value) {
  const auto count = parse_int(value);
  return count && *count >= 0 ? count : std::nullopt;
}

std::optional<double> number_in(std::string_view value) {
  return is_told(value) ? leading_number(value) : std::nullopt;
}

std::string performance_state_in(std::string_view value) {
  value = trim(value);
  if (value.size() < 2 || value.size() > 3 || value.front() != 'P') return {};
  const auto number = parse_int(value.substr(1));
  return number && *number >= 0 && *number <= 15 ? std::string(value) : std::string();
}

std::optional<PciAddress> gpu_address_in(std::string_view text) {
  for (std::string_view word : words_of(text)) {
    while (!word.empty() && (word.back() == ':' || word.back() == ',' || word.back() == '.'))
      word.remove_suffix(1);
    for (const std::string_view prefix : {"GPU", "gpu"})  // "GPU0000:25:00.0: Unknown Error"
      if (word.starts_with(prefix)) word.remove_prefix(prefix.size());
    if (word.find(':') == std::string_view::npos) continue;
    if (const auto address = parse_pci_address(word)) return address;
  }
  return std::nullopt;
}

void take_ids(GpuView& view, std::string_view value, bool of_board) {
  // The upper half is the device, the lower one its vendor.
  const auto ids = parse_int(value, 16);
  if (!ids || *ids <= 0 || *ids > 0xffffffffLL) return;
  const std::string vendor = fmt::format("0x{:04x}", *ids & 0xffff);
  const std::string device = fmt::format("0x{:04x}", *ids >> 16);
  (of_board ? view.subsystem_vendor_id : view.vendor_id) = vendor;
  (of_board ? view.subsystem_device_id : view.device_id) = device;
}

std::vector<std::string> reasons_in(std::int64_t mask) {
  std::vector<std::string> names;
  for (const Reason& reason : kReasons)
    if ((mask & reason.bit) != 0) names.emplace_back(reason.name);
  return names;
}

bool is_reason(std::string_view name) {
  return std::any_of(kReasons.begin(), kReasons.end(),
                     [&](const Reason& reason) { return reason.name == name; });
}

std::optional<ListedGpu> listed_gpu(std::string_view line) {
  line = trim(line);
  if (!line.starts_with("GPU ")) return std::nullopt;
  const std::size_t colon = line.find(':');
  const auto index = parse_int(line.substr(4, colon == std::string_view::npos ? 0 : colon - 4));
  if (!index || *index < 0 || *index > 65535) return std::nullopt;
  const std::string_view after = trim(line.substr(colon + 1));
  if (after.empty() || error_in(after) == after) return std::nullopt;
  ListedGpu gpu;
  gpu.index = static_cast<int>(*index);
  constexpr std::string_view kUuid = "(UUID:";
  const std::size_t uuid = after.find(kUuid);
  gpu.name = printable(trim(after.substr(0, uuid)), kNameBytes);
  if (uuid == std::string_view::npos) return gpu;
  const std::string_view id = after.substr(uuid + kUuid.size());
  const std::size_t end = id.find(')');
  gpu.uuid = printable(trim(id.substr(0, end)), kNameBytes);
  if (end != std::string_view::npos) gpu.rest = trim(id.substr(end + 1));
  return gpu;
}

}  // namespace linkburn
