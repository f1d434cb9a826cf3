#include "report/rules/gpu_view.h"

#include <fmt/format.h>

namespace linkburn {
namespace {

/// Of a sampling period of up to a second [nvml.h, nvmlUtilization_t]: work for most of it.
constexpr double kBusyPercent = 50;

}  // namespace

GpusByLink gpus_by_link(const Story& story) {
  GpusByLink gpus;
  for (const auto& gpu : story.gpus)
    if (const LinkStory* link = story.link_of(gpu->component)) gpus.try_emplace(link, gpu.body);
  return gpus;
}

bool is_at_work(const Gpu& gpu) {
  return gpu.performance_state == "P0" && gpu.utilization_percent.value_or(0) >= kBusyPercent;
}

std::string work_in_words(const Gpu& gpu) {
  return fmt::format("{}, {:.0f} % busy", gpu.performance_state,
                     gpu.utilization_percent.value_or(0));
}

}  // namespace linkburn
