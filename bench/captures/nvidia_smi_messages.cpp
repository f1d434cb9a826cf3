#include <array>

#include "bench/base/text.h"
#include "bench/captures/nvidia_smi.h"

namespace linkburn {
namespace {

constexpr std::size_t kMostMessages = 256;

constexpr std::string_view kNoHandle = "nable to determine the device handle for ";
constexpr std::string_view kInforom = "nfoROM is corrupted at gpu";

struct Failure {
  std::string_view start, fix;
};
// [what nvidia-smi prints when NVML cannot be initialised, or finds nothing]
constexpr std::array kFailures = std::to_array<Failure>({
    {"NVIDIA-SMI has failed because",
     "load the NVIDIA driver (dmesg | grep NVRM says why it is not), then run nvidia-smi again"},
    {"NVIDIA-SMI couldn't find",
     "install the libraries that belong to the NVIDIA driver, then run nvidia-smi again"},
    {"Failed to initialize NVML",
     "reload the NVIDIA driver or reboot, so that driver and library agree, then run nvidia-smi "
     "again"},
    {"No devices were found",
     "see in dmesg | grep NVRM why the driver took no GPU, and in lspci -d 10de: what is there"},
});

const Failure* failure_in(std::string_view line) {
  line = trim(line);
  for (const Failure& failure : kFailures)
    if (line.starts_with(failure.start)) return &failure;
  return nullptr;
}

/// "GPU3: 0000:5F:00.0: Unknown Error", "GPU2: Unknown Error".
std::optional<int> index_in(std::string_view text) {
  text = trim(text);
  if (!text.starts_with("GPU")) return std::nullopt;
  const auto index = parse_int(text.substr(3, text.find(':') - 3));
  // A bus id whose space is missing is no number of a GPU.
  const bool is_domain = gpu_address_in(text.substr(0, text.find(": "))).has_value();
  return index && !is_domain && *index >= 0 && *index <= 65535
             ? std::optional<int>(static_cast<int>(*index))
             : std::nullopt;
}

/// The last clause says why.
std::string reason_in(std::string_view text) {
  const std::size_t colon = text.rfind(": ");
  const std::string_view reason = colon == std::string_view::npos ? text : text.substr(colon + 2);
  const std::string known = error_in(reason);
  return known.empty() ? printable(trim(reason), 128) : known;
}

}  // namespace

bool is_smi_message(std::string_view line) {
  return failure_in(line) != nullptr || line.find(kNoHandle) != std::string_view::npos ||
         line.find(kInforom) != std::string_view::npos;
}

Take SmiMessages::take(std::string_view line) {
  if (gpus_.size() + errors_.size() >= kMostMessages) return Take::understood;
  if (const Failure* failure = failure_in(line)) {
    // The driver was asked and did not answer: of this node's GPUs nothing is known.
    ToolError error{"unsupported",       printable(trim(line), 160),
                    "nvidia-smi",        std::string(failure->fix),
                    ComponentId::node(), {}};
    errors_.push_back(std::move(error));
    return Take::understood;
  }
  if (line.find(kInforom) != std::string_view::npos) {
    errors_.push_back({"io",
                       printable(trim(line), 160),
                       "nvidia-smi",
                       "update the firmware of this GPU, or send it to RMA",
                       std::nullopt,
                       {}});
    return Take::understood;
  }
  const std::string_view about = line.substr(line.find(kNoHandle) + kNoHandle.size());
  GpuView view;
  view.address = gpu_address_in(about);
  view.gpu.index = index_in(about);
  view.error = reason_in(about);
  if (!view.address && !view.gpu.index) return Take::not_understood;
  gpus_.push_back(std::move(view));
  return Take::understood;
}

void SmiMessages::finish(NodeDraft& node) {
  for (GpuView& view : gpus_) add_view(node, std::move(view));
  for (ToolError& error : errors_) node.add(node.records, Body(std::move(error)));
  gpus_.clear();
  errors_.clear();
}

}  // namespace linkburn
