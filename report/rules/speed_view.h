// What was seen of a link's speed beyond single readings: its best, and a setting that holds it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/rules/course.h"
#include "report/rules/story.h"

namespace linkburn {

/// Readings of one end. Zero and less is no speed: the kernel's way to say that it knows none.
std::vector<Sample> speed_samples(const LinkStory& link, End end);

/// The best speed that was seen in any phase, in GT/s; the lower of the two ends; 0 when none was.
/// Of several captured sources that which saw it fastest: it could do that much.
double best_seen(const LinkStory& link);

/// The target link speed of the port above is below the rating, and the link runs at just that.
struct SpeedCap {
  LinkSpeed target;
  bool by_kernel = false;                   ///< the kernel log tells that the kernel set it
  bool proven = false;                      ///< a setting, and not the driver of an idle device
  std::vector<std::int64_t> evidence = {};  ///< kernel lines
};
std::optional<SpeedCap> speed_cap(const Story& story, const LinkStory& link);

}  // namespace linkburn
