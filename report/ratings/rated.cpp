#include "report/ratings/rated.h"

#include <algorithm>

namespace linkburn {
namespace {

/// The lower of two capabilities. One end alone says at most what that end could do, so the rating
/// stays unknown: the other end may be the smaller one.
template <class T>
std::optional<Rated<T>> lower_of_ends(std::optional<T> device, std::optional<T> peer) {
  if (!device || !peer) return std::nullopt;
  return Rated<T>{std::min(*device, *peer), "lower capability of the two ends"};
}

std::optional<LinkWidth> known(std::optional<LinkWidth> width) {
  return width && is_lane_count(*width) ? width : std::nullopt;
}

}  // namespace

bool is_lane_count(LinkWidth width) {
  constexpr int kLaneCounts[] = {1, 2, 4, 8, 12, 16, 32};
  return std::find(std::begin(kLaneCounts), std::end(kLaneCounts), width.lanes) !=
         std::end(kLaneCounts);
}

LinkRating rate(const Link& link, const RatingContext& /*context*/) {
  return {lower_of_ends(link.device_end.max_speed, link.peer_end.max_speed),
          lower_of_ends(known(link.device_end.max_width), known(link.peer_end.max_width))};
}

std::optional<Rated<double>> rate_port(const Port& /*port*/, const Interface* /*interface*/,
                                       const RatingContext& /*context*/) {
  return std::nullopt;
}

}  // namespace linkburn
