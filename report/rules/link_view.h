// What the link rules have in common: what a link runs at, what is missing to tell, and the shape
// of a finding about it.
#pragma once

#include <string>
#include <string_view>

#include "report/rules/rule.h"

namespace linkburn {

/// The lower of the two ends that say so; `detail` names both when they disagree.
template <class T>
struct Negotiated {
  std::optional<T> value;
  std::string detail;
};
Negotiated<LinkSpeed> negotiated_speed(const Link& link);
Negotiated<LinkWidth> negotiated_width(const Link& link);

/// A link that no rule can say anything about: neither end has link files, as with conventional
/// PCI.
bool without_files(const Link& link);

/// Why a link's numbers are not those of a link that could be judged; empty when they are. The link
/// is of another kind than pcie, its port is hidden, or the GPU hangs on a chip-to-chip link and
/// its PCIe function is not the data path.
std::string not_a_plain_link(const Story& story, const Link& link);

/// An end was runtime-suspended at discovery, and nothing was read of the link later.
bool is_asleep(const LinkStory& link);

/// The device does not answer at discovery, and is not just asleep.
bool is_silent(const Link& link);

/// The port above has the link switched off although a card is plugged in.
bool is_switched_off(const Link& link);

/// Which files of which end are missing to know speed or width: "max_link_width of 0000:16:00.0".
std::string missing_speed_files(const Link& link);
std::string missing_width_files(const Link& link);

/// A finding about a link with what discovery saw filled in: rated, negotiated, limit, evidence.
Finding link_finding(const Story& story, const LinkStory& link, std::string code, FindingClass cls,
                     Aspect aspect);

/// An undecided finding about a link: what was seen, and what would settle it.
Finding undecided_link(const Story& story, const LinkStory& link, Aspect aspect, std::string detail,
                       std::string missing);

/// The finding about a sleeping link. An inspect wakes nothing: there it is only `not_judged`, once
/// for all aspects, and presence says it.
Finding asleep_link(const Story& story, const LinkStory& link, Aspect aspect);

}  // namespace linkburn
