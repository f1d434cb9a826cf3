// Does every device answer, at discovery and throughout the run?
#include <fmt/core.h>

#include <algorithm>

#include "report/rules/course.h"
#include "report/rules/link_view.h"
#include "report/rules/table.h"

namespace linkburn {
namespace {

/// A link width register that reads as all ones [linux drivers/pci/pci-sysfs.c,
/// current_link_width_show: six bits].
constexpr double kAllOnesWidth = 63;

/// The first sign in the run that an end does not answer.
std::optional<Sample> first_loss(const LinkStory& link) {
  std::optional<Sample> first;
  const auto consider = [&](const Sample& sample) {
    if (!first || sample.seq < first->seq) first = sample;
  };
  for (const End end : {End::device, End::peer}) {
    for (const Sample& sample : samples_of(link, end, "presence"))
      if (sample.value && *sample.value == 0) consider(sample);
    for (const Sample& sample : samples_of(link, end, "link_width"))
      if (sample.value && *sample.value == kAllOnesWidth) consider(sample);
  }
  return first;
}

bool ever_suspended(const Link& link) {
  return link.device_end.runtime_status == "suspended" ||
         link.peer_end.runtime_status == "suspended";
}

Finding lost_in_run(const Story& story, const LinkStory& link, const Sample& loss) {
  Finding finding = link_finding(story, link, "LB-DEV-LOST", FindingClass::lost, Aspect::presence);
  finding.phase = loss.phase;
  finding.at_ns = loss.at_ns;
  finding.evidence.push_back(loss.seq);
  finding.detail =
      fmt::format("does not answer since {:.1f} s after the start", seconds_between(0, loss.at_ns));
  const auto later = samples_of(link, End::device, "presence");
  const auto back = std::find_if(later.begin(), later.end(), [&](const Sample& sample) {
    return sample.seq > loss.seq && sample.value.value_or(0) > 0;
  });
  if (back != later.end()) {
    finding.detail = fmt::format("was gone from {:.1f} s to {:.1f} s after the start",
                                 seconds_between(0, loss.at_ns), seconds_between(0, back->at_ns));
    finding.evidence.push_back(back->seq);
  }
  return finding;
}

Finding lost_at_discovery(const Story& story, const LinkStory& link) {
  Finding finding = link_finding(story, link, "LB-DEV-LOST", FindingClass::lost, Aspect::presence);
  finding.negotiated = {};
  finding.detail = link.link->device_end.all_ones
                       ? "does not answer: its registers read as all ones"
                       : fmt::format(
                             "the port above it, {}, does not answer: its registers read "
                             "as all ones",
                             link.link->peer.text());
  return finding;
}

/// Of several captured sources one saw the device answer: asleep at one moment, or gone since.
bool answered_another(const Link& link) {
  return std::any_of(
      link.device_end.views.begin(), link.device_end.views.end(),
      [](const EndView& view) { return view.speed && view.width && is_lane_count(*view.width); });
}

Finding silent_at_times(const Story& story, const LinkStory& link) {
  Finding finding = undecided_link(
      story, link, Aspect::presence,
      fmt::format("reads as all ones for {}, and answered {}", link.link->device_end.source,
                  link.link->device_end.views.back().source),
      "look again while it is in use");
  finding.negotiated = {};
  return finding;
}

void judge_link(const Story& story, const LinkStory& link, RuleOutput& out) {
  const std::string& name = link.link->component.text();
  const bool lone = link.link->kind == kLinkLoneEnd;
  if (is_switched_off(*link.link)) return;                  // target_speed speaks
  if (lone && !link.link->component.pci_address()) return;  // lone_end speaks
  if (is_silent(*link.link) && answered_another(*link.link))
    return out.findings.push_back(silent_at_times(story, link));
  if (is_silent(*link.link)) return out.findings.push_back(lost_at_discovery(story, link));
  if (is_asleep(link) && !story.live_run) {
    out.not_judged.push_back({"presence, width and speed of " + name,
                              "asleep (runtime suspended); an inspect wakes nothing",
                              "look again while it is in use",
                              {}});
    return;
  }
  if (is_asleep(link)) return out.findings.push_back(asleep_link(story, link, Aspect::presence));
  const std::optional<Sample> loss = first_loss(link);
  if (loss && ever_suspended(*link.link))
    return out.findings.push_back(undecided_link(story, link, Aspect::presence,
                                                 "was asleep before, and stopped answering",
                                                 "look again while it is in use"));
  if (loss) return out.findings.push_back(lost_in_run(story, link, *loss));
  if (without_files(*link.link)) {
    out.not_judged.push_back({"link of " + name,
                              "no link files: conventional PCI, or hidden from this view",
                              "run on the host, with all of /sys visible",
                              {}});
    return;
  }
  if (lone) return;  // lone_end speaks
  if (const std::string why = not_a_plain_link(story, *link.link); !why.empty()) {
    out.not_judged.push_back(
        {"link of " + name, why, "a look at it from the host, and the vendor's tool", {}});
    return;
  }
  out.findings.push_back(
      link_finding(story, link, "LB-HEALTHY", FindingClass::healthy, Aspect::presence));
}

bool says(const Component& port, const std::string& fact, std::string_view value) {
  const auto found = port.facts.find(fact);
  return found != port.facts.end() && found->second == value;
}

/// A port whose slot has a card, and below which no device is listed. Some boards tie the line that
/// tells of a card, and some slots are switched off on purpose: a site file that says what belongs
/// here settles it.
void judge_empty_port(const Story& story, const Component& port, RuleOutput& out) {
  if (says(port, "empty", "unknown") && says(port, "data_link_active", "yes") &&
      story.is_captured())
    return out.not_judged.push_back({"the link below " + port.component.text(),
                                     "its upper end alone was captured; it is up",
                                     "lspci -vv of the device below it",
                                     {}});
  if (!says(port, "empty", "yes") || !says(port, "card_present", "yes")) return;
  const std::string detail =
      fmt::format("the port senses a card in its slot, {}, and no device is listed below it",
                  says(port, "link_disabled", "yes")      ? "its link is switched off"
                  : says(port, "data_link_active", "yes") ? "its link is up"
                                                          : "its link is not up");
  if (!story.site.counts.empty() || story.site.slot(port.component, port.slot) != nullptr) {
    out.not_judged.push_back({"the slot of " + port.component.text(), detail, {}, {}});
    return;
  }
  Finding finding;
  finding.code = "LB-NO-EVIDENCE";
  finding.cls = FindingClass::undecided;
  finding.component = port.component;
  finding.detail = detail;
  finding.missing = "a site file that says what belongs in this slot";
  finding.phase = story.live_run ? Phase::idle : Phase::passive;
  out.findings.push_back(std::move(finding));
}

void apply(const Story& story, RuleOutput& out) {
  for (const LinkStory& link : story.links) judge_link(story, link, out);
  for (const auto& [id, port] : story.components) judge_empty_port(story, *port, out);
}

}  // namespace

const Rule presence_rule{"presence", "Does every device answer, at discovery and during the run?",
                         apply};

}  // namespace linkburn
