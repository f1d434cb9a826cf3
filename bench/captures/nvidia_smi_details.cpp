#include <algorithm>
#include <array>

#include "bench/base/ascii.h"
#include "bench/base/text.h"
#include "bench/captures/nvidia_smi.h"

namespace linkburn {
namespace {

constexpr std::size_t kMostGpus = 4096;
constexpr std::size_t kTextBytes = 128;

/// "GPU 00000000:01:00.0", the line above each GPU.
std::optional<PciAddress> address_of_head(std::string_view line) {
  line = trim(line);
  if (!line.starts_with("GPU ")) return std::nullopt;
  return parse_pci_address(trim(line.substr(4)));
}

/// Names of sections whose values mean something to us, and of those that begin a part.
constexpr std::array<std::string_view, 8> kSections{
    "PCIe Generation",         "Link Width", "GPU Link Info", "Clocks Event Reasons", "MIG Mode",
    "Clocks Throttle Reasons", "Fabric",     "Utilization"};

/// Keys that only nvidia-smi -q has, whatever happened to its indentation.
constexpr std::array<std::string_view, 22> kOwnKeys{"Product Architecture",
                                                    "GPU C2C Mode",
                                                    "GPU UUID",
                                                    "Replays Since Reset",
                                                    "Replay Number Rollovers",
                                                    "GPU Current Temp",
                                                    "GPU Slowdown Temp",
                                                    "GPU Shutdown Temp",
                                                    "HW Thermal Slowdown",
                                                    "HW Power Brake Slowdown",
                                                    "SW Thermal Slowdown",
                                                    "HW Slowdown",
                                                    "Device Current",
                                                    "Device Max",
                                                    "Host Max",
                                                    "Attached GPUs",
                                                    "Peer Type",
                                                    "Product Brand",
                                                    "Sub System Id",
                                                    "VBIOS Version",
                                                    "Performance State",
                                                    "MultiGPU Board"};

template <class List>
bool has(const List& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

bool is_log_head(std::string_view line) {
  return line.find("=NVSMI LOG=") != std::string_view::npos;
}

/// "Device Id : 0x1F9110DE", "Bus Id : 00000000:01:00.0": the words are common, the values are not.
bool is_own_value(const KeyValue& pair) {
  if (pair.key == "Device Id") return pair.value.size() == 10 && pair.value.ends_with("10DE");
  if (pair.key == "Bus Id") return pair.value.size() >= 12 && parse_pci_address(pair.value);
  return false;
}

/// "    Key     : Value" as nvidia-smi aligns it. Other tools that align by colons use tabs.
bool is_aligned(std::string_view line) {
  return line.starts_with("    ") && line.find(" : ") != std::string_view::npos;
}

bool is_heading(std::string_view line) {
  if (!line.starts_with("    ")) return false;
  line = trim(line);
  return !line.empty() && line.size() <= 48 && is_upper(line.front()) &&
         std::all_of(line.begin(), line.end(), [](char c) {
           return is_letter_or_digit(c) || c == ' ' || c == '-' || c == '/' || c == '(' ||
                  c == ')' || c == '.';
         });
}

bool knows_link(const Gpu& gpu) { return gpu.speed || gpu.max_speed || gpu.width || gpu.max_width; }

}  // namespace

bool SmiDetails::begins(std::string_view line) {
  if (is_log_head(line) || address_of_head(line)) return true;
  const std::string_view text = trim(line);
  if (text == "GPU Link Info" || text == "PCIe Generation" || text == "Clocks Throttle Reasons" ||
      text == "Clocks Event Reasons")
    return true;
  const auto pair = key_value(line);
  return pair && (has(kOwnKeys, pair->key) || is_own_value(*pair));
}

Take SmiDetails::take(std::string_view line) {
  if (is_log_head(line)) {
    section_.clear();
    return Take::understood;
  }
  if (const auto address = address_of_head(line)) {
    next_gpu().address = address;
    return Take::understood;
  }
  const std::string_view text = trim(line);
  if (has(kSections, text) || is_heading(line)) {
    // Parts of the output of several GPUs, cut out without what names them.
    if (text == "GPU Link Info" && !gpus_.empty() && knows_link(gpus_.back().gpu)) next_gpu();
    section_ = printable(text, kTextBytes);
    return Take::understood;
  }
  const auto pair = key_value(line);
  if (!pair) return Take::elsewhere;
  const bool own = has(kOwnKeys, pair->key) || is_own_value(*pair);
  const bool of_section = has(kSections, section_) &&
                          (pair->key == "Max" || pair->key == "Current" || pair->key == "State" ||
                           pair->key == "Gpu" || pair->key == "GPU" || is_reason(pair->key));
  const bool head = pair->key == "Driver Version" || pair->key == "CUDA Version" ||
                    pair->key == "Timestamp" || pair->key == "Product Name";
  if (!own && !of_section && !is_aligned(line) &&
      !(head && line.find(" : ") != std::string_view::npos))
    return Take::elsewhere;
  take_value(pair->key, pair->value);
  return Take::understood;
}

void SmiDetails::take_value(std::string_view key, std::string_view value) {
  if (key == "Driver Version") {
    driver_ = printable(value, kTextBytes);
    return;
  }
  if (key == "Timestamp" || key == "CUDA Version" || key == "Attached GPUs") return;
  if (key == "Fan Speed") return;  // a broken fan reads as an error of its own
  if (const std::string error = error_in(value); !error.empty()) take_error(gpu().error, error);
  if (!is_told(value)) return;
  if (!take_identity(key, value) && !take_link(key, value)) take_state(key, value);
}

bool SmiDetails::take_identity(std::string_view key, std::string_view value) {
  const auto text = [&] { return printable(value, kTextBytes); };
  if (key == "Product Name") {
    if (!gpu().gpu.name.empty()) next_gpu();
    gpu().gpu.name = text();
  } else if (key == "Serial Number") {
    gpu().gpu.serial = text();
  } else if (key == "GPU UUID") {
    gpu().gpu.uuid = text();
  } else if (key == "Device Id") {
    take_ids(gpu(), value, false);
  } else if (key == "Sub System Id") {
    take_ids(gpu(), value, true);
  } else if (key == "Bus Id") {
    const auto address = parse_pci_address(value);
    // A list of bus ids without the lines between: each is another GPU.
    if (address && gpu().address && *gpu().address != *address) next_gpu();
    if (address) gpu().address = address;
  } else {
    return false;
  }
  return true;
}

bool SmiDetails::take_link(std::string_view key, std::string_view value) {
  Gpu& known = gpu().gpu;
  const bool lanes = section_ == "Link Width" || value.ends_with('x');
  if (key == "Device Max")
    known.own_max_speed = generation_in(value);
  else if (key == "Host Max")
    known.host_max_speed = generation_in(value);
  else if (key == "Max" && lanes)
    known.max_width = lanes_in(value);
  else if (key == "Current" && lanes)
    known.width = lanes_in(value);
  else if (key == "Max" && section_ == "PCIe Generation")
    known.max_speed = generation_in(value);
  else if (key == "Device Current" || (key == "Current" && section_ == "PCIe Generation"))
    known.speed = generation_in(value);
  else if (key == "Replays Since Reset" || key == "Replay Counter")
    known.replays = count_in(value);
  else if (key == "Replay Number Rollovers")
    known.replay_rollovers = count_in(value);
  else
    return false;
  return true;
}

void SmiDetails::take_state(std::string_view key, std::string_view value) {
  Gpu& known = gpu().gpu;
  if (key == "Performance State")
    known.performance_state = performance_state_in(value);
  else if (section_ == "Utilization" && (key == "Gpu" || key == "GPU"))
    known.utilization_percent = number_in(value);
  else if (key == "GPU Current Temp")
    known.temperature_c = number_in(value);
  else if (key == "GPU Slowdown Temp")
    known.temperature_slowdown_c = number_in(value);
  else if (key == "GPU C2C Mode")
    known.c2c_mode = printable(value, kTextBytes);
  else if (section_ == "MIG Mode" && key == "Current")
    known.mig_mode = printable(value, kTextBytes);
  else if (section_ == "Fabric" && key == "State")
    known.fabric_state = printable(value, kTextBytes);
  else if (value == "Active" && is_reason(key))
    known.slowed_by.emplace_back(key);
}

GpuView& SmiDetails::gpu() { return gpus_.empty() ? next_gpu() : gpus_.back(); }

GpuView& SmiDetails::next_gpu() {
  section_.clear();
  if (gpus_.empty() || gpus_.size() < kMostGpus) gpus_.emplace_back();
  gpus_.back().gpu.driver_version = driver_;
  return gpus_.back();
}

void SmiDetails::finish(NodeDraft& node) {
  const bool nameless = std::none_of(gpus_.begin(), gpus_.end(), [](const GpuView& view) {
    return view.address || !view.gpu.uuid.empty();
  });
  for (std::size_t i = 0; nameless && gpus_.size() > 1 && i < gpus_.size(); ++i)
    gpus_[i].gpu.index = static_cast<int>(i);  // they come in the driver's order
  for (GpuView& view : joined(std::move(gpus_))) add_view(node, std::move(view));
  gpus_.clear();
}

}  // namespace linkburn
