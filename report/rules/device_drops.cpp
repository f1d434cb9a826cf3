// Did a device or link go away, by the kernel log, and is it back? What does not answer now is
// lost. What answers again was gone: once is a warning; a run in which it happens again and again,
// or a port that had to stop its link twice, has a link that does not hold.
//
// A hot-plug port that lost its card and found one again is a person at work as often as a bad
// contact, and drivers say of a dead device that it is gone each time that somebody asks, so since
// boot these stay a warning however often they stand in the log.
#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>

#include "report/rules/course.h"
#include "report/rules/log_view.h"
#include "report/rules/table.h"

namespace linkburn {
namespace {

/// One event makes several lines: the port stops the link, the slot loses it, drivers notice and
/// wait for it to come back [linux drivers/pci/pci.c: up to 60 s for a device to be ready].
constexpr std::int64_t kSameEventUs = 60'000'000;

bool is_off_the_bus(const KernelLine& line) {
  return (line.topic == "xid" && line.number == kXidOffTheBus) ||
         (line.topic == "device_lost" && line.text.find("fallen off the bus") != std::string::npos);
}

int events_in(const LogLines& lines, bool (*counts)(const KernelLine& line)) {
  int events = 0;
  std::optional<std::int64_t> last_us;
  for (const auto& line : lines) {
    if (!counts(*line)) continue;
    if (!last_us || line->kernel_us - *last_us > kSameEventUs) ++events;
    last_us = line->kernel_us;
  }
  return events;
}

int events_in(const LogLines& lines) {
  return events_in(lines, [](const KernelLine&) { return true; });
}

bool is_said_by_port(const KernelLine& line) {
  return line.topic == "containment" || line.topic == "slot_down";
}

/// The line that says most: the one about the device itself.
const KernelLine& telling_line(const LogLines& lines) {
  for (const auto& line : lines)
    if (is_off_the_bus(*line)) return *line;
  return *lines.front();
}

Finding lost(const Story& story, const ComponentId& id, const LogLines& lines,
             std::string_view why) {
  Finding finding =
      log_finding(story, id, "LB-DEV-LOST", FindingClass::lost, Aspect::presence, lines);
  finding.negotiated = {};
  finding.detail = fmt::format("{}; {}", why, quote(telling_line(lines)));
  return finding;
}

Finding came_back(const Story& story, const ComponentId& id, const LogLines& lines) {
  // Of the lines since boot only those of ports tell how often: drivers repeat theirs.
  const int events = story.live_run ? events_in(lines) : events_in(lines, is_said_by_port);
  const int stops =
      events_in(lines, [](const KernelLine& line) { return line.topic == "containment"; });
  const bool repeated = story.live_run ? events > 1 : stops > 1;
  Finding finding = log_finding(story, id, "LB-DEV-DROPPED",
                                repeated ? FindingClass::degraded : FindingClass::marginal,
                                Aspect::presence, lines);
  finding.detail =
      fmt::format("was gone{} and answers again; {}",
                  events > 1 ? fmt::format(" {} times", events) : "", quote(telling_line(lines)));
  return finding;
}

Finding unclear(const Story& story, const ComponentId& id, const LogLines& lines) {
  Finding finding =
      log_finding(story, id, "LB-NO-EVIDENCE", FindingClass::undecided, Aspect::presence, lines);
  finding.detail = "did not answer earlier; " + quote(telling_line(lines));
  finding.missing = "a reading of its link now";
  return finding;
}

bool was_off_the_bus(const LogLines& lines) {
  return std::any_of(lines.begin(), lines.end(),
                     [](const auto& line) { return is_off_the_bus(*line); });
}

/// In a run: still there at the end, by the last look at its link.
bool there_at_end(const Story& story, const ComponentId& id) {
  const auto samples = samples_of(*story.link_of(id), End::device, "presence");
  if (samples.empty()) return answers_now(story, id).value_or(false);
  return samples.back().value.value_or(0) > 0;
}

void judge_in_run(const Story& story, const ComponentId& id, const LogLines& lines,
                  RuleOutput& out) {
  // A GPU off the bus needs a reset, even if its link trains again.
  if (was_off_the_bus(lines))
    out.findings.push_back(lost(story, id, lines, "fell off the bus during the run"));
  else if (there_at_end(story, id))
    out.findings.push_back(came_back(story, id, lines));
  else
    out.findings.push_back(lost(story, id, lines, "went away during the run"));
}

/// Somebody took it out, or a cable to it: a slot that lost its card said so at the time.
bool was_taken_out(const Story& story, const LogLines& lines) {
  return std::any_of(story.kernel_lines.begin(), story.kernel_lines.end(), [&](const auto& slot) {
    return slot->topic == "slot_down" &&
           std::any_of(lines.begin(), lines.end(), [&](const auto& line) {
             return line->topic == "device_lost" &&
                    std::abs(line->kernel_us - slot->kernel_us) <= kSameEventUs;
           });
  });
}

/// Nothing but the log tells of it: its last word counts.
bool is_known_by_log_alone(const Story& story, const ComponentId& id) {
  return is_log_alone(story) || (may_lack_devices(story) && !is_listed(story, id));
}

void judge_since_boot(const Story& story, const ComponentId& id, const LogLines& lines,
                      RuleOutput& out) {
  const std::optional<bool> answers = answers_now(story, id);
  const bool listed = is_listed(story, id);
  if (answers == true) return out.findings.push_back(came_back(story, id, lines));
  if (was_off_the_bus(lines))
    return out.findings.push_back(lost(
        story, id, lines,
        listed || is_log_alone(story) ? "does not answer any more" : "is not listed any more"));
  if (answers == false) return out.findings.push_back(lost(story, id, lines, "does not answer"));
  // A slot may be empty on purpose, and a sleeping device wakes when it is used.
  const bool device = std::any_of(lines.begin(), lines.end(),
                                  [](const auto& line) { return line->topic == "device_lost"; });
  const LinkStory* link = story.link_of(id);
  if (device && is_known_by_log_alone(story, id) && !was_taken_out(story, lines))
    return out.findings.push_back(
        lost(story, id, lines, "did not answer when it was last asked, by the log"));
  if (device && link != nullptr && link->link->device_end.runtime_status != "suspended")
    return out.findings.push_back(unclear(story, id, lines));
  out.not_judged.push_back({"whether " + id.text() + " should be there",
                            quote(telling_line(lines)),
                            "a site file that says what belongs in this slot",
                            {}});
}

using Drops = std::map<ComponentId, LogLines>;

bool are_one_event(const LogLines& lines, const LogLines& above) {
  return std::all_of(lines.begin(), lines.end(), [&](const auto& line) {
    return std::any_of(above.begin(), above.end(), [&](const auto& other) {
      return std::abs(line->kernel_us - other->kernel_us) <= kSameEventUs;
    });
  });
}

/// The drop of a hop above took this device with it, and it came back as the hop did.
bool went_with_a_hop(const Story& story, const ComponentId& id, const LogLines& lines,
                     const Drops& drops) {
  const Component* device = story.component(id);
  const LinkStory* own = story.link_of(id);
  if (device == nullptr || own == nullptr) return false;
  const bool is_back = story.live_run ? !was_off_the_bus(lines) && there_at_end(story, id)
                                      : answers_now(story, id) == true;
  if (!is_back) return false;
  for (const ComponentId& hop : device->path) {
    const LinkStory* link = story.link_of(hop);
    if (link == nullptr || link == own) continue;
    const auto above = drops.find(link->link->component);
    if (above != drops.end() && are_one_event(lines, above->second)) return true;
  }
  return false;
}

void apply(const Story& story, RuleOutput& out) {
  const Drops drops = lines_by_subject(story, says_gone);
  for (const auto& [id, lines] : drops) {
    if (went_with_a_hop(story, id, lines, drops)) continue;  // told with the hop above
    if (story.live_run && story.link_of(id) != nullptr)
      judge_in_run(story, id, lines, out);
    else
      judge_since_boot(story, id, lines, out);
  }
}

}  // namespace

const Rule device_drops_rule{"device_drops", "Did a device go away, and is it back?", apply};

}  // namespace linkburn
