// Does every link have the lanes that it is rated for? Judged in every phase: links do not narrow
// to save power.
#include <fmt/core.h>

#include <algorithm>

#include "report/rules/course.h"
#include "report/rules/link_view.h"
#include "report/rules/path_view.h"
#include "report/rules/table.h"
#include "report/rules/views.h"

namespace linkburn {
namespace {

std::string width_text(double lanes) { return fmt::format("x{:.0f}", lanes); }

/// 0 and 255 are the kernel's words for "none" and "unknown"; presence judges all ones.
bool is_lane_count(const std::optional<double>& value) {
  return value && *value > 0 && *value < 64 && is_lane_count(LinkWidth{static_cast<int>(*value)});
}

std::vector<Sample> width_samples(const LinkStory& link, End end,
                                  const std::optional<LinkWidth>& at_discovery) {
  std::vector<Sample> samples;
  if (at_discovery && is_lane_count(*at_discovery))
    samples.push_back({at_discovery->lanes, Phase::idle, {}, link.link.at_ns, link.link.seq});
  for (Sample sample : samples_of(link, end, "link_width")) {
    if (!is_lane_count(sample.value)) sample.value.reset();
    samples.push_back(sample);
  }
  return samples;
}

Course width_course(const LinkStory& link, LinkWidth rated) {
  const auto device = width_samples(link, End::device, link.link->device_end.width);
  const auto peer = width_samples(link, End::peer, link.link->peer_end.width);
  return worse(follow(device, rated.lanes), follow(peer, rated.lanes));
}

/// The link left its rated width during the run, or never had it.
Finding dropped(const Story& story, const LinkStory& link, const Course& course) {
  const bool stays = course.low;
  const bool repeated = course.drops > 1;
  Finding finding = link_finding(
      story, link, stays ? "LB-PCIE-WIDTH" : "LB-PCIE-RETRAIN",
      stays || repeated ? FindingClass::degraded : FindingClass::marginal, Aspect::width);
  const LinkWidth lowest{static_cast<int>(*course.lowest)};
  finding.negotiated = quantity(negotiated_speed(*link.link).value, lowest);
  const bool from_discovery = course.dropped->seq == link.link.seq;
  finding.detail = from_discovery && stays && !repeated
                       ? fmt::format("runs at {}, rated {}", width_text(*course.lowest),
                                     to_string(link.rating.width->value))
                       : "link width " + drop_in_words(course, width_text(*course.lowest));
  if (from_discovery) return finding;
  finding.phase = course.dropped->phase;
  finding.at_ns = course.dropped->at_ns;
  finding.evidence.insert(finding.evidence.end(), course.evidence.begin(), course.evidence.end());
  return finding;
}

bool device_could_do_more(const Link& link, LinkWidth rated) {
  return link.device_end.max_width && is_lane_count(*link.device_end.max_width) &&
         *link.device_end.max_width > rated;
}

Finding at_rated(const Story& story, const LinkStory& link) {
  const LinkWidth rated = link.rating.width->value;
  if (const auto width = negotiated_width(*link.link).value; width && *width > rated) {
    Finding finding = link_finding(story, link, "LB-HEALTHY", FindingClass::healthy, Aspect::width);
    finding.detail = fmt::format("runs at {}, more than the site expects", to_string(*width));
    return finding;
  }
  if (!device_could_do_more(*link.link, rated))
    return link_finding(story, link, "LB-HEALTHY", FindingClass::healthy, Aspect::width);
  Finding finding =
      link_finding(story, link, "LB-PCIE-LIMITED", FindingClass::limited, Aspect::width);
  finding.limiter = link.link->peer;
  finding.detail = fmt::format("the device could do {}, {} gives {}",
                               to_string(*link.link->device_end.max_width), link.link->peer.text(),
                               to_string(rated));
  return finding;
}

/// What keeps the width of a link from being judged at all.
std::optional<Finding> obstacle(const Story& story, const LinkStory& link) {
  const Link& seen = *link.link;
  if (is_asleep(link)) return asleep_link(story, link, Aspect::width);
  for (const auto& [end, id] :
       {std::pair(&seen.device_end, &seen.component), std::pair(&seen.peer_end, &seen.peer)})
    if (end->width && end->width->lanes == 0)
      return undecided_link(
          story, link, Aspect::width,
          fmt::format("link width 0 at {}: no link negotiated, or a virtual function", id->text()),
          "the link of the physical function, seen from the host");
  const auto negotiated = negotiated_width(seen);
  const bool by_site = link.rating.width && link.rating.width->from_site;
  if (std::string files = missing_width_files(seen);
      !negotiated.value || (!by_site && !files.empty()))
    return undecided_link(story, link, Aspect::width, "link width is not known at both ends",
                          std::move(files));
  if (*negotiated.value > link.rating.width->value && !by_site)
    return undecided_link(
        story, link, Aspect::width,
        fmt::format("runs at {}, above its rating of {}: the views of this link disagree",
                    to_string(*negotiated.value), to_string(link.rating.width->value)),
        "the capability registers of both ends, read as root on the host");
  if (const auto views = disagreement(story, seen, link.rating.width->value);
      views && views->width_open)
    return undecided_link(story, link, Aspect::width,
                          views->words.empty() ? negotiated.detail : views->words,
                          "both ends of the link, read once more");
  return std::nullopt;
}

Finding judge_link(const Story& story, const LinkStory& link) {
  if (auto finding = obstacle(story, link)) return *finding;
  const Course course = width_course(link, link.rating.width->value);
  if (course.drops > 0) {
    Finding finding = dropped(story, link, course);
    const std::string& ends = negotiated_width(*link.link).detail;
    if (!ends.empty()) finding.detail += "; " + ends;
    finding.detail += shared_by(story, link);
    finding.detail += disagreement_text(story, *link.link, link.rating.width->value);
    return finding;
  }
  if (course.unknown_at_end)
    return undecided_link(story, link, Aspect::width,
                          "the last readings of its width could not be read",
                          "a reading at the end of the run");
  Finding finding = at_rated(story, link);
  const auto views = disagreement(story, *link.link, link.rating.width->value);
  if (views) finding.detail += (finding.detail.empty() ? "" : "; ") + views->words;
  return finding;
}

void apply(const Story& story, RuleOutput& out) {
  for (const LinkStory& link : story.links) {
    // Presence speaks for these.
    if (is_silent(*link.link) || without_files(*link.link)) continue;
    if (is_switched_off(*link.link)) continue;  // target_speed speaks
    if (!not_a_plain_link(story, *link.link).empty()) continue;
    if (is_asleep(link) && !story.live_run) continue;
    out.findings.push_back(judge_link(story, link));
  }
}

}  // namespace

const Rule link_width_rule{"link_width", "Does every link have the lanes that it is rated for?",
                           apply};

}  // namespace linkburn
