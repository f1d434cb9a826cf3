// What several captured sources say of one link, where they do not agree: which of them is believed
// and why, and whether that settles anything.
#pragma once

#include <optional>
#include <string>

#include "report/rules/story.h"

namespace linkburn {

/// Current speeds of different moments are no disagreement: an idle link may run slow.
struct Disagreement {
  std::string words;        ///< which source is believed, and why
  bool width_open = false;  ///< equally good sources have it at its rating and below
  bool speed_open = false;  ///< equally good sources have it able to do different speeds
};

/// Nothing where all sources agree, or there is only one. `rated`: the width that the link should
/// have, where it is known.
std::optional<Disagreement> disagreement(const Story& story, const Link& link,
                                         std::optional<LinkWidth> rated);

/// ", and says so" for the detail of a finding: "; " and the words; empty where all agree.
std::string disagreement_text(const Story& story, const Link& link, std::optional<LinkWidth> rated);

/// The best speed that any source saw of either end, at whatever moment.
std::optional<LinkSpeed> fastest_view(const Link& link);

}  // namespace linkburn
