// What is known of a link of which only the lower end was captured: its numbers, what its driver
// and the kernel say besides, and how its equals do.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "report/rules/bottlenecks.h"
#include "report/rules/views.h"

namespace linkburn {

/// Devices of one model, at their own full width and speed.
struct Equals {
  std::size_t all = 0, full_width = 0, full_speed = 0;
  std::optional<LinkWidth> widest;         ///< that any of them has in use
  std::optional<LinkWidth> usual_width;    ///< at which at least three of four run
  std::optional<LinkSpeed> usual_maximum;  ///< that at least three of four have
};

struct LoneEnd {
  const LinkStory* link = nullptr;
  bool nameless = false;  ///< nobody knows which device it is
  bool is_gpu = false;
  const Gpu* gpu = nullptr;  ///< null: its driver was not asked
  const Bottlenecks* line = nullptr;
  std::optional<LinkWidth> width, own_width;  ///< lane counts
  std::optional<LinkSpeed> speed, own_speed;  ///< the best that was seen
  std::string own_origin;                     ///< of its own maxima
  std::optional<Disagreement> views;
  Equals equals;  ///< itself included
};

/// All of a node; `lines` outlive them.
std::vector<LoneEnd> lone_ends(const Story& story, const std::map<ComponentId, Bottlenecks>& lines);

}  // namespace linkburn
