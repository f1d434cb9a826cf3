// One GPU as one text of nvidia-smi tells of it, and the words that all of its outputs share.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/captures/draft.h"
#include "bench/captures/key_value.h"

namespace linkburn {

struct GpuView {
  Gpu gpu;
  std::string error;  ///< what the driver says instead of answers: "GPU is lost"
  std::optional<PciAddress> address;
  std::string vendor_id, device_id, subsystem_vendor_id, subsystem_device_id;  ///< "0x10de"
};

/// Adds a view to the draft: the GPU, its PCI function where the address is told, and a ToolError
/// that ends with the driver's words where it does not answer for it.
void add_view(NodeDraft& node, GpuView view);

/// The words for a GPU that is off the bus [nvml.h, NVML_ERROR_GPU_IS_LOST].
inline constexpr std::string_view kGpuIsLost = "GPU is lost";

/// Keeps the gravest of several errors.
void take_error(std::string& error, const std::string& more);

/// What a text says of one moment, added to what it said of earlier ones of the same GPU. Links
/// slow down while idle, so the best speed counts, with what the GPU did then; they do not narrow,
/// so the lowest width does.
void add_sample(Gpu& gpu, const Gpu& sample);

/// Views of one GPU become one, as add_sample() does; the order is kept.
std::vector<GpuView> joined(std::vector<GpuView> views);

/// False for "N/A", "[Not Supported]", "[Unknown Error]" and the like: nothing is known.
bool is_told(std::string_view value);

/// The driver's words when it cannot reach a GPU: "GPU is lost", "Unknown Error", "ERR!"; empty for
/// any other value. Takes them with and without brackets.
std::string error_in(std::string_view value);

std::optional<LinkSpeed> generation_in(std::string_view value);       // "4"
std::optional<LinkWidth> lanes_in(std::string_view value);            // "16x", "16"
std::optional<std::int64_t> count_in(std::string_view value);         // "0"
std::optional<double> number_in(std::string_view value);              // "98 %", "45 C"
std::string performance_state_in(std::string_view value);             // "P0"; empty: none
std::optional<PciAddress> gpu_address_in(std::string_view text);      // anywhere in a line
void take_ids(GpuView& view, std::string_view value, bool of_board);  // "0x1F9110DE"

/// Names of the reasons in a mask, in the words of nvidia-smi -q.
std::vector<std::string> reasons_in(std::int64_t mask);

/// The same name of a reason, whichever output it is from: "HW Thermal Slowdown".
bool is_reason(std::string_view name);

/// "GPU 3: Tesla V100-SXM2-32GB (UUID: GPU-...)" of nvidia-smi -L and nvlink.
struct ListedGpu {
  int index = 0;
  std::string name, uuid;
  std::string_view rest;  ///< what stands after it: some versions go on in the same line
};
std::optional<ListedGpu> listed_gpu(std::string_view line);

}  // namespace linkburn
