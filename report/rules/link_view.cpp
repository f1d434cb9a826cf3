#include "report/rules/link_view.h"

#include <fmt/core.h>

#include <algorithm>

namespace linkburn {
namespace {

constexpr std::string_view kSuspended = "suspended";

template <class T>
Negotiated<T> lower(const Link& link, std::optional<T> device, std::optional<T> peer) {
  if (!device || !peer) return {device ? device : peer, {}};
  if (*device == *peer) return {device, {}};
  return {std::min(*device, *peer),
          fmt::format("the ends disagree: {} at {}, {} at {}", to_string(*device),
                      link.component.text(), to_string(*peer), link.peer.text())};
}

std::optional<LinkWidth> lanes_of(const std::optional<LinkWidth>& width) {
  return width && is_lane_count(*width) ? width : std::nullopt;
}

bool has_reading(const LinkStory& link) {
  const auto has_value = [](const auto& seen) { return seen->value.value_or(0) > 0; };
  const auto went_to = [](const auto& seen) { return seen->to.value_or(0) > 0; };
  return std::any_of(link.readings.begin(), link.readings.end(), has_value) ||
         std::any_of(link.transitions.begin(), link.transitions.end(), went_to);
}

void add_missing(std::string& list, const std::string& what) {
  list += (list.empty() ? "" : ", ") + what;
}

/// Where a text tells of an end, its reader has no files: "LnkCap of 0000:16:00.0".
bool is_from_text(const LinkEnd& end) {
  return end.source == "lspci" || end.source == "nvidia-smi" || end.source == "kernel log";
}

std::string missing_files(const Link& link, std::string_view quantity, bool max_device,
                          bool max_peer, bool current) {
  const bool text = is_from_text(link.device_end) || is_from_text(link.peer_end);
  std::string list;
  const auto add_end = [&](const LinkEnd& end, const ComponentId& id, bool has_max) {
    if (has_max && end.files) return;
    if (text)
      add_missing(list, fmt::format("the link {} in LnkCap of {}", quantity, id.text()));
    else if (!end.files)
      add_missing(list, fmt::format("the link files of {}", id.text()));
    else
      add_missing(list, fmt::format("a number in max_link_{} of {}", quantity, id.text()));
  };
  add_end(link.device_end, link.component, max_device);
  add_end(link.peer_end, link.peer, max_peer);
  if (!current)
    add_missing(list, fmt::format("{} of {} or {}",
                                  text ? fmt::format("the link {} in LnkSta", quantity)
                                       : fmt::format("a number in current_link_{}", quantity),
                                  link.component.text(), link.peer.text()));
  if (text && !list.empty()) list += " (lspci -vvv as root)";
  return list;
}

}  // namespace

Negotiated<LinkSpeed> negotiated_speed(const Link& link) {
  return lower(link, link.device_end.speed, link.peer_end.speed);
}

Negotiated<LinkWidth> negotiated_width(const Link& link) {
  return lower(link, lanes_of(link.device_end.width), lanes_of(link.peer_end.width));
}

bool without_files(const Link& link) {
  return !link.device_end.files && !link.peer_end.files && !is_silent(link);
}

std::string not_a_plain_link(const Story& story, const Link& link) {
  if (link.kind != kLinkPcie)
    return link.kind_reason.empty() ? fmt::format("a link of another kind: {}", link.kind)
                                    : link.kind_reason;
  // Evidence of earlier versions does not say the kind.
  if (link.peer.empty()) return "the port above it is not visible from here";
  const Component* device = story.component(link.component);
  const Component* port = story.component(link.peer);
  // Grace and GB10 show their GPU at 2.5 GT/s x1 below a port of the same vendor, whatever both can
  // do.
  const bool both_nvidia = device != nullptr && port != nullptr && device->vendor_id == "0x10de" &&
                           port->vendor_id == "0x10de";
  if (both_nvidia && link.device_end.speed == LinkSpeed{2500} &&
      link.device_end.width == LinkWidth{1})
    return "a chip-to-chip link may be its data path: NVIDIA GPU below an NVIDIA port";
  return {};
}

bool is_asleep(const LinkStory& link) {
  const bool suspended = link.link->device_end.runtime_status == kSuspended ||
                         link.link->peer_end.runtime_status == kSuspended;
  return suspended && !has_reading(link);
}

bool is_silent(const Link& link) {
  const bool suspended =
      link.device_end.runtime_status == kSuspended || link.peer_end.runtime_status == kSuspended;
  return !suspended && (link.device_end.all_ones || link.peer_end.all_ones);
}

bool is_switched_off(const Link& link) {
  const auto& port = link.peer_end.registers;
  return port && port->link_disabled.value_or(false) && port->card_present.value_or(false);
}

std::string missing_speed_files(const Link& link) {
  return missing_files(link, "speed", link.device_end.max_speed.has_value(),
                       link.peer_end.max_speed.has_value(),
                       negotiated_speed(link).value.has_value());
}

std::string missing_width_files(const Link& link) {
  return missing_files(link, "width", lanes_of(link.device_end.max_width).has_value(),
                       lanes_of(link.peer_end.max_width).has_value(),
                       negotiated_width(link).value.has_value());
}

Finding link_finding(const Story& story, const LinkStory& link, std::string code, FindingClass cls,
                     Aspect aspect) {
  const auto& [speed, width] = link.rating;
  Finding finding;
  finding.code = std::move(code);
  finding.cls = cls;
  finding.aspect = aspect;
  finding.component = link.link->component;
  finding.rated = quantity(speed ? std::optional(speed->value) : std::nullopt,
                           width ? std::optional(width->value) : std::nullopt);
  finding.negotiated =
      quantity(negotiated_speed(*link.link).value, negotiated_width(*link.link).value);
  finding.limit = finding.rated;
  const bool of_speed = speed && (aspect == Aspect::speed || !width);
  if (speed || width) finding.origin = of_speed ? speed->origin : width->origin;
  finding.phase = story.live_run ? Phase::idle : Phase::passive;
  finding.at_ns = link.link.at_ns;
  finding.evidence = {link.link.seq};
  return finding;
}

Finding undecided_link(const Story& story, const LinkStory& link, Aspect aspect, std::string detail,
                       std::string missing) {
  Finding finding = link_finding(story, link, "LB-NO-EVIDENCE", FindingClass::undecided, aspect);
  finding.detail = std::move(detail);
  finding.missing = std::move(missing);
  return finding;
}

Finding asleep_link(const Story& story, const LinkStory& link, Aspect aspect) {
  Finding finding = undecided_link(story, link, aspect, "asleep (runtime suspended), was not woken",
                                   "look again while it is in use");
  finding.code = "LB-DEV-ASLEEP";
  return finding;
}

}  // namespace linkburn
