// nvidia-smi nvlink of any kind (-s, -c, -e, -R), and nvidia-smi -L, whose lines head them all.
#include <algorithm>

#include "bench/base/text.h"
#include "bench/captures/gpu_view.h"
#include "bench/captures/table.h"

namespace linkburn {
namespace {

constexpr std::size_t kMostGpus = 4096;
constexpr int kMostLinks = 64;  ///< NVML_NVLINK_MAX_LINKS is 18 [nvml.h]

/// "Link 3: 25.781 GB/s", "Link 3, P2P is supported: true".
struct LinkLine {
  int number = 0;
  std::string_view value;
};

std::optional<LinkLine> link_line(std::string_view line) {
  line = trim(line);
  if (!line.starts_with("Link ")) return std::nullopt;
  const std::size_t end = line.find_first_of(":,");
  if (end == std::string_view::npos) return std::nullopt;
  const auto number = parse_int(line.substr(5, end - 5));
  if (!number || *number < 0 || *number >= kMostLinks) return std::nullopt;
  return LinkLine{static_cast<int>(*number), trim(line.substr(end + 1))};
}

bool is_inactive(std::string_view value) {
  return value == "<inactive>" || value == "inactive" || value == "Inactive";
}

bool is_rate(std::string_view value) {
  return value.ends_with("GB/s") && leading_number(value).has_value();
}

bool is_active(std::string_view value) {
  return is_rate(value) || value == "Active" || value == "active" || value == "<active>";
}

/// What the driver says where it lists no link [nvidia-smi of several drivers]: "NVML: Unable to
/// retrieve NVLink information as all links are inActive", "Device does not have or support
/// Nvlink".
bool says_none(std::string_view line) {
  return line.find("all links are inActive") != std::string_view::npos ||
         line.find("does not have or support N") != std::string_view::npos;
}

class Reader : public PartReader {
 public:
  Take take(std::string_view line) override {
    if (const auto listed = listed_gpu(line)) return head(*listed);
    if (says_none(line)) return take_none();
    if (const auto link = link_line(line)) return take_link(*link);
    return trim(line).starts_with("MIG ") && line.find("(UUID: MIG-") != std::string_view::npos
               ? Take::understood
               : Take::elsewhere;
  }

  void finish(NodeDraft& node) override {
    // A list of links without the lines that name their GPUs: they come in the driver's order.
    const bool nameless = std::none_of(gpus_.begin(), gpus_.end(),
                                       [](const GpuView& view) { return view.gpu.index; });
    const bool lists_links = std::any_of(gpus_.begin(), gpus_.end(),
                                         [](const GpuView& view) { return view.gpu.links_read; });
    for (std::size_t i = 0; i < gpus_.size(); ++i) {
      if (lists_links && !gpus_[i].gpu.links_read)
        gpus_[i].error = "nothing of its NVLinks, although of those of others";
      if (nameless && gpus_.size() > 1) gpus_[i].gpu.index = static_cast<int>(i);
      add_view(node, std::move(gpus_[i]));
    }
  }

 private:
  Take head(const ListedGpu& listed) {
    if (listed.name.empty()) return Take::not_understood;
    Gpu& gpu = begin();
    gpu.index = listed.index;
    gpu.name = listed.name;
    gpu.uuid = listed.uuid;
    if (says_none(listed.rest)) take_none();
    return Take::understood;
  }

  Take take_none() {
    Gpu& gpu = gpus_.empty() ? begin() : gpus_.back().gpu;
    gpu.links_read = true;
    return Take::understood;
  }

  Take take_link(const LinkLine& line) {
    const bool inactive = is_inactive(line.value);
    if (!inactive && !is_active(line.value)) return other(line);
    const bool again = !gpus_.empty() && has_link(gpus_.back().gpu, line.number);
    Gpu& gpu = gpus_.empty() || again ? begin() : gpus_.back().gpu;
    GpuLink link;
    link.number = line.number;
    link.state = inactive ? "inactive" : "active";
    if (is_rate(line.value)) link.rate_gbs = leading_number(line.value);
    gpu.links.push_back(std::move(link));
    gpu.links_read = true;
    return Take::understood;
  }

  /// Capabilities, counters of errors and data, and the far ends of links.
  static Take other(const LinkLine& line) {
    return line.value.find(':') != std::string_view::npos || line.value.ends_with("supported") ||
                   !error_in(line.value).empty() || !is_told(line.value)
               ? Take::understood
               : Take::not_understood;
  }

  static bool has_link(const Gpu& gpu, int number) {
    return std::any_of(gpu.links.begin(), gpu.links.end(),
                       [&](const GpuLink& link) { return link.number == number; });
  }

  Gpu& begin() {
    if (gpus_.size() < kMostGpus) gpus_.emplace_back();
    gpus_.back() = {};
    return gpus_.back().gpu;
  }

  std::vector<GpuView> gpus_;
};

bool begins(std::string_view line, std::string_view next) {
  if (says_none(line)) return true;
  if (const auto link = link_line(line)) return is_rate(link->value) || link->value == "<inactive>";
  const auto listed = listed_gpu(line);
  return listed && (listed->uuid.starts_with("GPU-") || link_line(next) || says_none(next));
}

std::unique_ptr<PartReader> make() { return std::make_unique<Reader>(); }

}  // namespace

const CaptureKind nvlink_status_capture{"nvlink_status", "nvidia-smi nvlink of any kind, and -L",
                                        begins, make};

}  // namespace linkburn
