// Can what hangs below a switch be reached at the speed of its own link? The narrowest hop of the
// path decides. Rated numbers are compared: a hop below its rating is a fault with a finding of its
// own, which names the devices below.
#include <fmt/core.h>

#include <algorithm>

#include "report/rules/link_view.h"
#include "report/rules/path_view.h"
#include "report/rules/table.h"

namespace linkburn {
namespace {

/// Nearly equal is equal: 8.0 GT/s x8 and 16.0 GT/s x4 differ by nothing, 5.0 and 8.0 GT/s by line
/// coding.
bool gives_less(Rate hop, Rate device) { return hop.bytes_per_s < 0.99 * device.bytes_per_s; }

bool can_be_compared(const Story& story, const LinkStory& link) {
  return !is_silent(*link.link) && !without_files(*link.link) && rated_rate(link) &&
         not_a_plain_link(story, *link.link).empty();
}

bool is_narrowed(const LinkStory& link) {
  const auto width = negotiated_width(*link.link).value;
  return width && *width < link.rating.width->value;
}

/// The slowest link between a device's own and the root, the one nearest to the device of several.
const LinkStory* narrowest_above(const Story& story, const LoadedDevice& loaded) {
  const LinkStory* narrowest = nullptr;
  for (const ComponentId& hop : loaded.device->path) {
    const LinkStory* link = story.link_of(hop);
    // A port is the upper end of the link below it; the link above a switch is that of its lower
    // end.
    if (link == nullptr || link == loaded.link || link->link->component != hop) continue;
    if (!can_be_compared(story, *link)) continue;
    if (narrowest == nullptr || *rated_rate(*link) < *rated_rate(*narrowest)) narrowest = link;
  }
  return narrowest;
}

void judge_hop(const Story& story, const LinkStory& hop, RuleOutput& out) {
  std::vector<LoadedDevice> held;
  Rate wanted{};
  for (const LoadedDevice& loaded : devices_below(story, hop)) {
    if (!can_be_compared(story, *loaded.link) || narrowest_above(story, loaded) != &hop) continue;
    const Rate own = *rated_rate(*loaded.link);
    if (!gives_less(*rated_rate(hop), own)) continue;
    held.push_back(loaded);
    wanted = std::max(wanted, own);
  }
  if (held.empty()) return;
  Finding finding = link_finding(story, hop, "LB-PCIE-PATH", FindingClass::limited, Aspect::rate);
  finding.limiter = hop.link->peer;
  finding.detail = fmt::format("gives {} to what is below; {} could take {}",
                               to_string(*rated_rate(hop)), names_of(held), to_string(wanted));
  out.findings.push_back(std::move(finding));
}

void apply(const Story& story, RuleOutput& out) {
  for (const LinkStory& link : story.links)
    if (can_be_compared(story, link) && !is_narrowed(link)) judge_hop(story, link, out);
}

}  // namespace

const Rule path_limit_rule{
    "path_limit", "Does every hop of a path give what the device's own link could take?", apply};

}  // namespace linkburn
