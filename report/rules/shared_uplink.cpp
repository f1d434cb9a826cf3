// How much could be asked of an uplink that several devices share? Nearly every machine is built so
// that together they could ask for more than it gives, so this is no finding: it is told with the
// uplink that is healthy, for whoever wonders why devices are slower together than alone. An uplink
// that is too small for one device alone is said by path_limit.
#include <fmt/core.h>

#include "report/rules/link_view.h"
#include "report/rules/path_view.h"
#include "report/rules/table.h"

namespace linkburn {
namespace {

void judge_uplink(const Story& story, const LinkStory& uplink, RuleOutput& out) {
  const auto gives = rated_rate(uplink);
  const auto below = devices_below(story, uplink);
  if (!gives || gives->bytes_per_s <= 0 || below.size() < 2) return;
  double asked = 0;
  for (const LoadedDevice& loaded : below) {
    const auto own = rated_rate(*loaded.link);
    if (!own || !not_a_plain_link(story, *loaded.link->link).empty()) return;
    asked += own->bytes_per_s;
  }
  const double times = asked / gives->bytes_per_s;
  if (times <= 1.01) return;  // line coding alone makes a difference of as much
  Finding finding = link_finding(story, uplink, "LB-HEALTHY", FindingClass::healthy, Aspect::width);
  finding.detail = fmt::format("{} devices below could together ask for {:.1f} times what it gives",
                               below.size(), times);
  out.findings.push_back(std::move(finding));
}

void apply(const Story& story, RuleOutput& out) {
  for (const LinkStory& link : story.links) {
    if (is_silent(*link.link) || without_files(*link.link) || is_asleep(link)) continue;
    if (not_a_plain_link(story, *link.link).empty()) judge_uplink(story, link, out);
  }
}

}  // namespace

const Rule shared_uplink_rule{
    "shared_uplink", "How much could be asked of an uplink that several devices share?", apply};

}  // namespace linkburn
