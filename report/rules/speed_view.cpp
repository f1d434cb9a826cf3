#include "report/rules/speed_view.h"

#include <algorithm>
#include <cmath>

#include "report/rules/link_view.h"
#include "report/rules/path_view.h"
#include "report/rules/views.h"

namespace linkburn {
namespace {

/// Some drivers of GPUs write the target link speed of the port above to run slow while idle. No
/// driver of network adapters or disks does, and a link without a known device may have either.
/// What leads to nothing that people load, such as the link to a board's management controller, is
/// as fast as the maker of the board wants it.
bool speed_is_managed(const Story& story, const LinkStory& link) {
  const Component* device = story.component(link.link->component);
  if (device == nullptr) return true;
  if (device->type == "bridge")
    return has_gpu_below(story, link) || devices_below(story, link).empty();
  return device->type != "nic" && device->type != "infiniband" && device->type != "nvme";
}

/// The kernel caps a port whose link looks dead at 2.5 GT/s, and known defects leave the cap on
/// ports that are well; where it says that it removed the cap, a later one is not its own
/// [linux drivers/pci/quirks.c, pcie_failed_link_retrain].
std::vector<std::int64_t> quirk_lines(const Story& story, const LinkStory& link) {
  std::vector<std::int64_t> lines;
  for (const auto& line : story.kernel_lines) {
    if (!line->component || story.link_of(*line->component) != &link) continue;
    if (line->topic == "retrain_tried") lines.push_back(line.seq);
    if (line->topic == "restriction_removed") lines.clear();
  }
  return lines;
}

}  // namespace

std::vector<Sample> speed_samples(const LinkStory& link, End end) {
  std::vector<Sample> samples = samples_of(link, end, "link_speed");
  for (Sample& sample : samples)
    if (sample.value && *sample.value <= 0) sample.value.reset();
  return samples;
}

/// What an end said at discovery is old news when the other end was watched since.
double best_seen(const LinkStory& link) {
  std::optional<double> best;
  for (const End end : {End::device, End::peer}) {
    std::optional<double> value;
    for (const Sample& sample : speed_samples(link, end))
      if (sample.value) value = std::max(value.value_or(0), *sample.value);
    if (value) best = std::min(best.value_or(*value), *value);
  }
  const std::optional<LinkSpeed> at_discovery = negotiated_speed(*link.link).value;
  const std::optional<LinkSpeed> viewed = fastest_view(*link.link);
  return std::max(
      {best.value_or(0), at_discovery ? at_discovery->gts() : 0, viewed ? viewed->gts() : 0});
}

std::optional<SpeedCap> speed_cap(const Story& story, const LinkStory& link) {
  const auto& port = link.link->peer_end.registers;
  if (!port || !port->target_speed || !link.rating.speed) return std::nullopt;
  const LinkSpeed target = *port->target_speed;
  // Some firmware leaves the field at 0 or at a reserved value, which caps nothing.
  if (!generation_of(target) || target >= link.rating.speed->value) return std::nullopt;
  const double best = best_seen(link);
  // Above it: the register was written and the link not trained since. Below: something else is
  // slower still.
  if (std::lround(best * 1000) != target.mts) return std::nullopt;
  SpeedCap cap{target};
  if (target == LinkSpeed{2500}) cap.evidence = quirk_lines(story, link);
  cap.by_kernel = !cap.evidence.empty();
  cap.proven = cap.by_kernel || link.loaded || !speed_is_managed(story, link);
  return cap;
}

}  // namespace linkburn
