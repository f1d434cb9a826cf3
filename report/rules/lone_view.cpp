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
struct OwnMaximum {
  std::optional<LinkWidth> width;
  std::optional<LinkSpeed> speed;
  std::string origin;
};

OwnMaximum own_maximum(const Story& story, const Link& link) {
  const LinkEnd& end = link.device_end;
  const Product* row = product_of(products(), story.component(link.component), {});
  return {row != nullptr && row->width ? row->width : lanes(end.max_width),
          row != nullptr && row->speed ? row->speed : end.max_speed,
          row != nullptr ? row->origin() : "the device's own maximum"};
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

struct Model {
  std::vector<const LinkStory*> links;
  std::optional<LinkWidth> widest;  ///< that any of them has in use
};
using Models = std::map<std::string, Model>;

Models models_of(const Story& story, const GpusByLink& gpus) {
  Models models;
  for (const LinkStory& link : story.links) {
    const Link& seen = *link.link;
    const bool judged = seen.kind == kLinkLoneEnd || seen.kind == kLinkPcie;
    if (!judged || is_silent(seen) || is_asleep(link)) continue;
    const auto gpu = gpus.find(&link);
    const std::string name =
        model_of(story.component(seen.component), gpu == gpus.end() ? nullptr : gpu->second);
    if (name.empty()) continue;
    Model& model = models[name];
    model.links.push_back(&link);
    model.widest = std::max(model.widest, negotiated_width(seen).value);
  }
  return models;
}

/// The value that at least three of four have.
template <class T>
std::optional<T> usual(const std::map<T, std::size_t>& counts, std::size_t all) {
  for (const auto& [value, count] : counts)
    if (is_majority(count, all)) return value;
  return std::nullopt;
}

/// Counts live values: that several are rated alike does not say that they run alike.
Equals count(const Story& story, const Model& model) {
  Equals equals;
  equals.widest = model.widest;
  std::map<LinkWidth, std::size_t> widths;
  std::map<LinkSpeed, std::size_t> maxima;
  for (const LinkStory* link : model.links) {
    const OwnMaximum own = own_maximum(story, *link->link);
    const auto width = negotiated_width(*link->link).value;
    const auto speed = best_speed(*link);
    const auto full_width = own.width ? own.width : model.widest;
    ++equals.all;
    if (width) ++widths[*width];
    if (const auto& maximum = link->link->device_end.max_speed) ++maxima[*maximum];
    if (width && full_width && *width >= *full_width) ++equals.full_width;
    if (speed && own.speed && *speed >= *own.speed) ++equals.full_speed;
  }
  equals.usual_width = usual(widths, equals.all);
  equals.usual_maximum = usual(maxima, equals.all);
  return equals;
}

std::map<std::string, Equals> count_models(const Story& story, const GpusByLink& gpus) {
  std::map<std::string, Equals> counts;
  for (const auto& [name, model] : models_of(story, gpus))
    counts.emplace(name, count(story, model));
  return counts;
}

/// What its equals have in use it could do too.
void take_maximum(const Story& story, LoneEnd& lone) {
  OwnMaximum own = own_maximum(story, *lone.link->link);
  lone.own_width = own.width;
  lone.own_speed = own.speed;
  lone.own_origin = std::move(own.origin);
  if (lone.own_width || !lone.width || !lone.equals.widest) return;
  if (*lone.width < *lone.equals.widest) lone.own_width = lone.equals.widest;
}

}  // namespace

std::vector<LoneEnd> lone_ends(const Story& story,
                               const std::map<ComponentId, Bottlenecks>& lines) {
  std::vector<LoneEnd> ends;
  const GpusByLink gpus = gpus_by_link(story);
  const auto models = count_models(story, gpus);
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
    if (const auto equals = models.find(model_of(device, lone.gpu)); equals != models.end())
      lone.equals = equals->second;
    take_maximum(story, lone);
    lone.views = disagreement(story, *link.link, lone.own_width);
    ends.push_back(std::move(lone));
  }
  return ends;
}

}  // namespace linkburn
