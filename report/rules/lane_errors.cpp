// Which lanes are weak? One sticky bit per lane, set by errors since it was last cleared, which may
// have been before this boot [PCI Express Base Specification 6.0, section 7.7.3.3: Lane Error
// Status]. Firmware trains links and leaves bits behind, so they prove nothing alone: they are told
// with a healthy link, and name the lanes of one that lost some or damages packets. All lanes at
// once are a link that trained, and point nowhere.
#include <fmt/core.h>

#include "report/rules/link_errors.h"
#include "report/rules/link_view.h"
#include "report/rules/table.h"

namespace linkburn {
namespace {

/// "lanes 3 and 7", "lanes 8 to 15"; empty when none or all of the link's lanes are set.
std::string lanes_in(std::int64_t bits, int width) {
  std::vector<int> lanes;
  for (int lane = 0; lane < std::min(width, 32); ++lane)
    if ((bits >> lane & 1) != 0) lanes.push_back(lane);
  if (lanes.empty() || static_cast<int>(lanes.size()) == width) return {};
  if (lanes.size() == 1) return fmt::format("lane {}", lanes[0]);
  if (lanes.size() > 2 && lanes.back() - lanes.front() + 1 == static_cast<int>(lanes.size()))
    return fmt::format("lanes {} to {}", lanes.front(), lanes.back());
  std::string text = "lanes ";
  for (std::size_t i = 0; i < lanes.size(); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : i + 1 == lanes.size() ? " and " : ", ", lanes[i]);
  return text;
}

std::string lanes_of_end(const LinkEnd& end, const ComponentId& id, int width) {
  if (!end.registers) return {};
  const std::string lanes = lanes_in(end.registers->lane_errors.value_or(0), width);
  return lanes.empty() ? lanes : fmt::format("{} at {}", lanes, id.text());
}

bool has_trouble(const LinkErrors& errors, const LinkStory& link) {
  const auto width = negotiated_width(*link.link).value;
  if (width && *width < link.rating.width->value) return true;
  for (const EndErrors& end : errors.of(link))
    if (end.packets() > 0 || end.sum("Rollover") > 0 || end.sum("fatal") > 0) return true;
  return false;
}

/// `errors` is made for the first link that needs it: most nodes have none.
void judge_link(const Story& story, const LinkStory& link, std::optional<LinkErrors>& errors,
                RuleOutput& out) {
  const Link& seen = *link.link;
  const int width = link.rating.width->value.lanes;
  const std::string device = lanes_of_end(seen.device_end, seen.component, width);
  const std::string peer = lanes_of_end(seen.peer_end, seen.peer, width);
  if (device.empty() && peer.empty()) return;
  if (!errors) errors.emplace(story);
  const bool trouble = has_trouble(*errors, link);
  Finding finding =
      link_finding(story, link, trouble ? "LB-PCIE-LANES" : "LB-HEALTHY",
                   trouble ? FindingClass::marginal : FindingClass::healthy, Aspect::errors);
  finding.detail = fmt::format("errors on {}{}{} since the register was cleared", device,
                               device.empty() || peer.empty() ? "" : ", ", peer);
  out.findings.push_back(std::move(finding));
}

void apply(const Story& story, RuleOutput& out) {
  std::optional<LinkErrors> errors;
  for (const LinkStory& link : story.links) {
    if (is_silent(*link.link) || without_files(*link.link) || !link.rating.width) continue;
    if (not_a_plain_link(story, *link.link).empty()) judge_link(story, link, errors, out);
  }
}

}  // namespace

const Rule lane_errors_rule{"lane_errors", "Which lanes are weak?", apply};

}  // namespace linkburn
