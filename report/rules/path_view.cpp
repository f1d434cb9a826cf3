#include "report/rules/path_view.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

namespace linkburn {
namespace {

bool people_load(const Component& component) {
  constexpr std::array<std::string_view, 5> kTypes{"gpu", "accelerator", "nic", "infiniband",
                                                   "nvme"};
  return !component.physical_function &&
         std::find(kTypes.begin(), kTypes.end(), component.type) != kTypes.end();
}

bool is_gpu(const Component& component) {
  return component.type == "gpu" || component.type == "accelerator";
}

}  // namespace

std::vector<LoadedDevice> devices_below(const Story& story, const LinkStory& hop) {
  std::vector<LoadedDevice> below;
  const Component* end = story.component(hop.link->component);
  if (end != nullptr && end->type != "bridge") return below;
  for (const auto& [id, component] : story.components) {
    const LinkStory* link = story.link_of(id);
    if (link == nullptr || link == &hop || !people_load(*component)) continue;
    const auto& path = component->path;
    if (std::find(path.begin(), path.end(), hop.link->component) == path.end()) continue;
    const bool known = std::any_of(below.begin(), below.end(),
                                   [&](const LoadedDevice& other) { return other.link == link; });
    if (!known) below.push_back({component.body, link});
  }
  return below;
}

bool has_gpu_below(const Story& story, const LinkStory& hop) {
  const auto below = devices_below(story, hop);
  return std::any_of(below.begin(), below.end(),
                     [](const LoadedDevice& loaded) { return is_gpu(*loaded.device); });
}

std::optional<Rate> rated_rate(const LinkStory& link) {
  const auto& [speed, width] = link.rating;
  if (!speed || !width) return std::nullopt;
  return link_rate(speed->value, width->value);
}

std::string names_of(const std::vector<LoadedDevice>& devices) {
  if (devices.empty()) return {};
  const std::string first = devices.front().device->component.text();
  return devices.size() == 1 ? first : fmt::format("{} and {} more", first, devices.size() - 1);
}

std::string shared_by(const Story& story, const LinkStory& hop) {
  const auto below = devices_below(story, hop);
  if (below.empty()) return {};
  if (below.size() == 1) return fmt::format("; {} is reached through it", names_of(below));
  return fmt::format("; {} devices below share it: {}", below.size(), names_of(below));
}

}  // namespace linkburn
