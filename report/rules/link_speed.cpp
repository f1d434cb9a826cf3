// Does every link run at its rated speed while it is loaded? Idle links run slow by design, so a
// low speed counts only in the measure phase of a step that loaded the link.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "report/rules/course.h"
#include "report/rules/link_view.h"
#include "report/rules/path_view.h"
#include "report/rules/speed_view.h"
#include "report/rules/steps.h"
#include "report/rules/table.h"
#include "report/rules/views.h"

namespace linkburn {
namespace {

/// A link that ran slow while idle may take this long under continuous load to come back. Power
/// management of GPUs needs up to about a second (observed; no specification bounds it).
constexpr double kSettleSeconds = 1;

bool counts(const Sample& sample, const StepLife& step) {
  if (sample.phase != Phase::measure) return false;
  const auto& [start_ns, end_ns] =
      std::pair(step.end->interval_start_ns, step.end->interval_end_ns);
  if (end_ns && sample.at_ns > *end_ns) return false;
  if (!sample.step.empty()) return sample.step == step.id;
  return start_ns && end_ns && sample.at_ns >= *start_ns;
}

std::string speed_text(double gts) { return fmt::format("{:.1f} GT/s", gts); }

/// The samples of one end that count for one step, without those of a link that still wakes up.
std::vector<Sample> under_load(const std::vector<Sample>& all, const StepLife& step, double rated) {
  std::vector<Sample> samples;
  std::copy_if(all.begin(), all.end(), std::back_inserter(samples),
               [&](const Sample& sample) { return counts(sample, step); });
  if (samples.empty()) return samples;
  const std::int64_t start_ns = step.end->interval_start_ns.value_or(samples.front().at_ns);
  const auto at_speed = std::find_if(samples.begin(), samples.end(), [&](const Sample& sample) {
    return sample.value.value_or(0) >= rated;
  });
  if (at_speed != samples.end() && seconds_between(start_ns, at_speed->at_ns) <= kSettleSeconds)
    samples.erase(samples.begin(), at_speed);
  return samples;
}

Course loaded_course(const Story& story, const std::vector<StepLife>& steps, const LinkStory& link,
                     double rated) {
  Course ends[2];
  for (const End end : {End::device, End::peer}) {
    const std::vector<Sample> all = speed_samples(link, end);
    Course& course = ends[static_cast<int>(end)];
    for (const StepLife& step : steps)
      if (step.loads(link, story)) course = follow(under_load(all, step, rated), rated, course);
  }
  return worse(ends[0], ends[1]);
}

/// ", while its twin 0000:65:00.0 runs at 16.0 GT/s": worth knowing, and proves nothing.
std::string twin_at_speed(const Story& story, const LinkStory& link) {
  const Component* self = story.component(link.link->component);
  if (self == nullptr || self->device_id.empty()) return {};
  for (const LinkStory& other : story.links) {
    const Component* twin = story.component(other.link->component);
    if (&other == &link || twin == nullptr || !other.rating.speed) continue;
    const bool same = twin->vendor_id == self->vendor_id && twin->device_id == self->device_id;
    const double speed = best_seen(other);
    if (same && speed >= other.rating.speed->value.gts())
      return fmt::format(", while its twin {} runs at {}", other.link->component.text(),
                         speed_text(speed));
  }
  return {};
}

Finding dropped(const Story& story, const LinkStory& link, const Course& course) {
  const bool repeated = course.drops > 1;
  Finding finding = link_finding(
      story, link, course.low ? "LB-PCIE-SPEED" : "LB-PCIE-RETRAIN",
      course.low || repeated ? FindingClass::degraded : FindingClass::marginal, Aspect::speed);
  const LinkSpeed lowest{static_cast<int>(std::lround(*course.lowest * 1000))};
  finding.negotiated = quantity(lowest, negotiated_width(*link.link).value);
  finding.detail = "under load the link speed " + drop_in_words(course, to_string(lowest)) +
                   shared_by(story, link);
  finding.phase = course.dropped->phase;
  finding.at_ns = course.dropped->at_ns;
  finding.evidence.insert(finding.evidence.end(), course.evidence.begin(), course.evidence.end());
  return finding;
}

Finding at_rated(const Story& story, const LinkStory& link) {
  const LinkSpeed rated = link.rating.speed->value;
  const std::optional<LinkSpeed>& own = link.link->device_end.max_speed;
  const double best = best_seen(link);
  const bool faster = best > rated.gts();  // than a site expects
  const bool limited = own && *own > rated && !faster;
  Finding finding =
      link_finding(story, link, limited ? "LB-PCIE-LIMITED" : "LB-HEALTHY",
                   limited ? FindingClass::limited : FindingClass::healthy, Aspect::speed);
  finding.negotiated = quantity(rated, negotiated_width(*link.link).value);
  if (faster)
    finding.detail = fmt::format("runs at {}, more than the site expects", speed_text(best));
  if (!limited) return finding;
  finding.limiter = link.link->peer;
  finding.detail = fmt::format("the device could do {}, {} gives {}", to_string(*own),
                               link.link->peer.text(), to_string(rated));
  return finding;
}

Finding needs_load(const Story& story, const LinkStory& link, double best) {
  Finding finding =
      undecided_link(story, link, Aspect::speed,
                     fmt::format("runs at {}, rated {}{}", speed_text(best),
                                 to_string(link.rating.speed->value), twin_at_speed(story, link)),
                     "a reading under load: idle links run slow by design");
  finding.code = "LB-NEEDS-LOAD";
  if (const auto cap = speed_cap(story, link))
    finding.detail +=
        fmt::format("; the target link speed of {} is set to that", link.link->peer.text());
  return finding;
}

/// The sources do not agree on what the link could do.
std::optional<Finding> open_views(const Story& story, const LinkStory& link) {
  const auto views = disagreement(story, *link.link, std::nullopt);
  if (!views || !views->speed_open) return std::nullopt;
  return undecided_link(story, link, Aspect::speed, views->words,
                        "both ends of the link, read once more");
}

/// Nothing when a setting explains a low speed: then target_speed says so.
std::optional<Finding> judge_link(const Story& story, const std::vector<StepLife>& steps,
                                  const LinkStory& link) {
  if (is_asleep(link)) return asleep_link(story, link, Aspect::speed);
  const bool by_site = link.rating.speed && link.rating.speed->from_site;
  if (std::string files = missing_speed_files(*link.link);
      !negotiated_speed(*link.link).value || (!by_site && !files.empty()))
    return undecided_link(story, link, Aspect::speed, "link speed is not known at both ends",
                          std::move(files));
  const double rated = link.rating.speed->value.gts();
  const double best = best_seen(link);
  if (best > rated && !by_site)
    return undecided_link(
        story, link, Aspect::speed,
        fmt::format("runs at {}, above its rating of {}: the views of this link disagree",
                    speed_text(best), speed_text(rated)),
        "the capability registers of both ends, read as root on the host");
  const Course course = loaded_course(story, steps, link, rated);
  if (course.drops > 0) return dropped(story, link, course);
  if (course.unknown_at_end)
    return undecided_link(story, link, Aspect::speed,
                          "the last readings of its speed under load could not be read",
                          "a reading under load");
  if (course.last || best >= rated) {
    if (auto open = open_views(story, link)) return open;
    return at_rated(story, link);
  }
  if (const auto cap = speed_cap(story, link); cap && cap->proven) return std::nullopt;
  return needs_load(story, link, best);
}

void apply(const Story& story, RuleOutput& out) {
  const std::vector<StepLife> steps = lives_of_steps(story);
  for (const LinkStory& link : story.links) {
    // Presence speaks for these.
    if (is_silent(*link.link) || without_files(*link.link)) continue;
    if (is_switched_off(*link.link)) continue;  // target_speed speaks
    if (!not_a_plain_link(story, *link.link).empty()) continue;
    if (is_asleep(link) && !story.live_run) continue;
    if (auto finding = judge_link(story, steps, link)) out.findings.push_back(std::move(*finding));
  }
}

}  // namespace

const Rule link_speed_rule{"link_speed",
                           "Does every link run at its rated speed while it is loaded?", apply};

}  // namespace linkburn
