#include "report/rules/lone_view.h"

#include <algorithm>
#include <cmath>

#include "report/ratings/products.h"
#include "report/rules/equals.h"
#include "report/rules/link_view.h"
#include "report/rules/speed_view.h"

namespace linkburn {
namespace {

/// The GPU at the device end of each link, as its driver tells it.
using GpusByLink = std::map<const LinkStory*, const Gpu*>;

GpusByLink gpus_by_link(const Story& story) {
  GpusByLink gpus;
  for (const auto& gpu : story.gpus)
    if (const LinkStory* link = story.link_of(gpu->component)) gpus.try_emplace(link, gpu.body);
  return gpus;
}

std::optional<LinkWidth> lanes(std::optional<LinkWidth> width) {
  return width && is_lane_count(*width) ? width : std::nullopt;
}

std::optional<LinkSpeed> best_speed(const LinkStory& link) {
  const double gts = best_seen(link);
  if (gts <= 0) return std::nullopt;
  return LinkSpeed{static_cast<int>(std::lround(gts * 1000))};
}

/// A product may be sold for less than its silicon says of itself, or say less of itself while it
/// is idle.
void take_own_maximum(const Story& story, LoneEnd& lone) {
  const LinkEnd& end = lone.link->link->device_end;
  const Product* row = product_of(products(), story.component(lone.link->link->component), {});
  lone.own_width = row != nullptr && row->width ? row->width : lanes(end.max_width);
  lone.own_speed = row != nullptr && row->speed ? row->speed : end.max_speed;
  lone.own_origin = row != nullptr ? row->origin() : "the device's own maximum";
}

bool is_gpu_type(const Component* device) {
  return device != nullptr && (device->type == "gpu" || device->type == "accelerator");
}

/// What makes devices equal: ids, or at least the same name. Empty: nothing is known of it.
/// Ports of one model serve slots of all sizes.
std::string model_of(const Component* device, const Gpu* gpu) {
  if (device != nullptr && device->type == "bridge") return {};
  if (device != nullptr && !device->device_id.empty())
    return device->vendor_id + device->device_id + device->subsystem_vendor_id +
           device->subsystem_device_id;
  if (device != nullptr && !device->name.empty()) return device->name;
  return gpu != nullptr ? gpu->name : "";
}

using Models = std::map<std::string, Equals>;

/// Counts live values: that several are rated alike does not say that they run alike.
Models count_models(const Story& story, const GpusByLink& gpus) {
  Models models;
  std::map<std::pair<std::string, int>, std::size_t> widths, maxima;
  for (const LinkStory& link : story.links) {
    const Link& seen = *link.link;
    const bool judged = seen.kind == kLinkLoneEnd || seen.kind == kLinkPcie;
    if (!judged || is_silent(seen) || is_asleep(link)) continue;
    const auto gpu = gpus.find(&link);
    const std::string model =
        model_of(story.component(seen.component), gpu == gpus.end() ? nullptr : gpu->second);
    if (model.empty()) continue;
    Equals& equals = models[model];
    const auto width = negotiated_width(seen).value, own_width = lanes(seen.device_end.max_width);
    const auto speed = best_speed(link), own_speed = seen.device_end.max_speed;
    ++equals.all;
    if (width) ++widths[{model, width->lanes}];
    if (own_speed) ++maxima[{model, own_speed->mts}];
    if (width && own_width && *width >= *own_width) ++equals.full_width;
    if (speed && own_speed && *speed >= *own_speed) ++equals.full_speed;
  }
  for (const auto& [at, count] : widths)
    if (Equals& equals = models[at.first]; is_majority(count, equals.all))
      equals.usual_width = LinkWidth{at.second};
  for (const auto& [at, count] : maxima)
    if (Equals& equals = models[at.first]; is_majority(count, equals.all))
      equals.usual_maximum = LinkSpeed{at.second};
  return models;
}

}  // namespace

std::vector<LoneEnd> lone_ends(const Story& story,
                               const std::map<ComponentId, Bottlenecks>& lines) {
  std::vector<LoneEnd> ends;
  const GpusByLink gpus = gpus_by_link(story);
  const Models models = count_models(story, gpus);
  for (const LinkStory& link : story.links) {
    if (link.link->kind != kLinkLoneEnd) continue;
    const ComponentId& id = link.link->component;
    const Component* device = story.component(id);
    LoneEnd lone;
    lone.link = &link;
    lone.nameless = id.text().starts_with("unnamed");
    if (const auto gpu = gpus.find(&link); gpu != gpus.end()) lone.gpu = gpu->second;
    lone.is_gpu = lone.gpu != nullptr || is_gpu_type(device);
    if (const auto line = lines.find(id); line != lines.end()) lone.line = &line->second;
    lone.width = negotiated_width(*link.link).value;
    lone.speed = best_speed(link);
    take_own_maximum(story, lone);
    lone.views = disagreement(story, *link.link, lone.own_width);
    if (const auto equals = models.find(model_of(device, lone.gpu)); equals != models.end())
      lone.equals = equals->second;
    ends.push_back(std::move(lone));
  }
  return ends;
}

}  // namespace linkburn
