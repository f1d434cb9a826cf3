#include "report/render/link_state.h"

#include <algorithm>
#include <cmath>

namespace linkburn {
namespace {

/// The lower of the values that are there.
template <class T>
std::optional<T> lower(std::optional<T> a, std::optional<T> b) {
  if (a && b) return std::min(*a, *b);
  return a ? a : b;
}

std::optional<LinkSpeed> speed_at_discovery(const LinkEnd& end) {
  return end.all_ones ? std::nullopt : end.speed;
}

std::optional<LinkWidth> width_at_discovery(const LinkEnd& end) {
  return !end.all_ones && end.width && is_lane_count(*end.width) ? end.width : std::nullopt;
}

}  // namespace

void LinkStates::take(const Body& body) {
  if (const auto* link = std::get_if<Link>(&body))
    take_link(*link);
  else if (const auto* reading = std::get_if<Reading>(&body))
    take_value(reading->component, reading->quantity, reading->value, reading->phase);
  else if (const auto* change = std::get_if<Transition>(&body))
    take_value(change->component, change->quantity, change->to, change->phase);
}

void LinkStates::take_link(const Link& link) {
  const auto known = ends_.find(link.component);
  const bool again = known != ends_.end() && known->second.is_device;
  const std::size_t at = again ? known->second.link : states_.size();
  if (!again) states_.emplace_back();
  states_[at] = {&link, {}, {}, !link.device_end.all_ones};
  ends_[link.component] = {at, true};
  if (!link.peer.empty()) ends_.emplace(link.peer, EndRef{at, false});
}

void LinkStates::take_value(const ComponentId& id, const std::string& quantity,
                            std::optional<double> value, Phase phase) {
  // A value that could not be read leaves the last known one standing.
  const auto found = ends_.find(id);
  if (found == ends_.end() || !value) return;
  State& state = states_[found->second.link];
  End& end = found->second.is_device ? state.device : state.peer;
  if (quantity == "link_speed" && *value > 0 && *value <= 1024) {
    end.speed = LinkSpeed{static_cast<int>(std::lround(*value * 1000))};
    end.speed_phase = phase;
  } else if (quantity == "link_width" && *value >= 0 && *value <= 255) {
    const LinkWidth width{static_cast<int>(std::lround(*value))};
    const bool real = is_lane_count(width);
    if (real) end.width = width;
    if (found->second.is_device) state.answers = real;
  } else if (quantity == "presence" && found->second.is_device) {
    state.answers = *value != 0;
  }
}

LinkView LinkStates::view_of(const State& state) {
  LinkView view;
  view.link = state.link;
  view.rating = rate(*state.link);
  view.slot = state.link->slot;
  if (!state.answers) return view;
  view.speed = lower(state.device.speed, state.peer.speed);
  view.width = lower(state.device.width, state.peer.width);
  if (view.speed)
    view.speed_phase =
        view.speed == state.device.speed ? state.device.speed_phase : state.peer.speed_phase;
  else
    view.speed =
        lower(speed_at_discovery(state.link->device_end), speed_at_discovery(state.link->peer_end));
  if (!view.width)
    view.width =
        lower(width_at_discovery(state.link->device_end), width_at_discovery(state.link->peer_end));
  return view;
}

std::vector<LinkView> LinkStates::links() const {
  std::vector<LinkView> views;
  for (const State& state : states_) views.push_back(view_of(state));
  return views;
}

}  // namespace linkburn
