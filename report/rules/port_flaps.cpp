// Do the ports keep their link? From the counters of lost links, and in a run also from the kernel
// log.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "report/rules/counter_gain.h"
#include "report/rules/table.h"

namespace linkburn {
namespace {

// Bringing a node up takes a link down once or twice: firmware, driver, bonding. After that a link
// stays up for months; a second loss within six hours is called flapping elsewhere
// [github.com/Azure/azurehpc-health-checks, customTests/azure_ib_link_flapping.nhc].
constexpr double kBringUp = 2;
constexpr double kMaxPerDay = 1;

// [InfiniBand Architecture Specification, volume 1, PortCounters: LinkDownedCounter has 8 bits and
// stops at its greatest value]
constexpr std::int64_t kMostLinkDowned = 255;

struct Flaps {
  double count = 0;
  bool at_least = false, known = false, stuck = false;
  std::optional<Phase> phase;
  std::int64_t at_ns = 0;
  std::vector<std::int64_t> evidence;
};

/// The sources of one port count the same losses: the one that saw most of them stands for all.
void take(Flaps& flaps, const std::optional<CounterGain>& gain, double per_loss = 1) {
  if (!gain) return;
  if (gain->stuck) {
    flaps.stuck = true;
    return;
  }
  flaps.known = true;
  const double losses = std::ceil(gain->count / per_loss);
  if (losses <= flaps.count) return;
  flaps.count = losses;
  flaps.at_least = gain->at_least;
  flaps.phase = gain->phase;
  flaps.at_ns = gain->at_ns;
  flaps.evidence.insert(flaps.evidence.end(), gain->evidence.begin(), gain->evidence.end());
}

void take_kernel_lines(Flaps& flaps, const Story& story, const NetworkPort& port) {
  double lines = 0;
  for (const auto& line : story.kernel_lines) {
    const bool here = line->component && port.pci && *line->component == *port.pci;
    if (line->topic != "port_down" || !here) continue;
    if (flaps.count == 0 && lines == 0) flaps.phase = line->phase, flaps.at_ns = line.at_ns;
    flaps.evidence.push_back(line.seq);
    lines += 1;
  }
  if (lines > 0) flaps.known = true;
  flaps.count = std::max(flaps.count, lines);
}

Flaps flaps_of(const Story& story, const PortCounters& counters, const NetworkPort& port) {
  Flaps flaps;
  take(flaps, counters.gain(port, "port/link_downed", kMostLinkDowned));
  take(flaps, counters.gain(port, "ethtool/link_down_events_phy"));
  // An interface over InfiniBand loses its carrier with the subnet manager too.
  if (!port.is_infiniband()) {
    if (const auto downs = counters.gain(port, "net/carrier_down_count"))
      take(flaps, downs);
    else
      take(flaps, counters.gain(port, "net/carrier_changes"), 2);  // down and up
  }
  // Since boot the log has every link that came up, and may have lost its beginning.
  if (story.live_run) take_kernel_lines(flaps, story, port);
  return flaps;
}

FindingClass class_of(const Story& story, const NetworkPort& port, const Flaps& flaps,
                      double seconds) {
  constexpr double kDay_s = 86400;
  if (!story.live_run) {
    const double days = std::max(1.0, seconds / kDay_s);
    return flaps.count > kBringUp + kMaxPerDay * days ? FindingClass::marginal
                                                      : FindingClass::healthy;
  }
  if (flaps.count == 0) return FindingClass::healthy;
  return port.matters() ? FindingClass::degraded : FindingClass::marginal;
}

std::string losses_in_words(const Flaps& flaps) {
  return fmt::format("{}{:.0f} time{}", flaps.at_least ? "at least " : "", flaps.count,
                     flaps.count == 1 ? "" : "s");
}

Finding flap_finding(const Story& story, const NetworkPort& port, const Flaps& flaps,
                     FindingClass cls, double seconds) {
  Finding finding = port_finding(story, port, "LB-PORT-FLAP", cls, Aspect::errors);
  finding.detail = fmt::format(
      "the link went down {} {}", losses_in_words(flaps),
      story.live_run ? "in this run" : fmt::format("in {:.0f} h since boot", seconds / 3600));
  finding.limit.text = story.live_run
                           ? "0 in a run"
                           : fmt::format("{:g} at boot and {:g} per day", kBringUp, kMaxPerDay);
  finding.origin = "linkburn's limit for lost links";
  finding.evidence = flaps.evidence;
  if (flaps.phase) finding.phase = flaps.phase, finding.at_ns = flaps.at_ns;
  return finding;
}

/// A counter of an unknown time, as captures have it: what is too much even for a year.
std::optional<Finding> without_time(const Story& story, const PortCounters& counters,
                                    const NetworkPort& port) {
  constexpr double kYear_days = 365;  // few nodes are up for longer
  if (story.live_run || counters.cover_time(port)) return std::nullopt;
  const Seen<Counter>* last = counters.last(port, "ethtool/link_down_events_phy");
  const double losses = last != nullptr ? static_cast<double>(*(*last)->value) : 0;
  if (losses <= kBringUp + kMaxPerDay * kYear_days) return std::nullopt;
  Finding finding =
      port_finding(story, port, "LB-PORT-FLAP", FindingClass::marginal, Aspect::errors);
  finding.detail =
      fmt::format("the link went down {:.0f} times: too often even for a year", losses);
  finding.limit.text = fmt::format("{:g} at boot and {:g} per day", kBringUp, kMaxPerDay);
  finding.origin = "linkburn's limit for lost links";
  finding.at_ns = last->at_ns;
  finding.evidence = {last->seq};
  return finding;
}

void judge_port(const Story& story, const PortCounters& counters, const NetworkPort& port,
                RuleOutput& out) {
  if (auto finding = without_time(story, counters, port))
    return out.findings.push_back(std::move(*finding));
  const Flaps flaps = flaps_of(story, counters, port);
  const std::string what = fmt::format("lost links of {}", port.component.text());
  // That a port has no counters at all is said once, with its errors.
  if (!flaps.known && !counters.any(port)) return;
  if (!flaps.known) {
    flaps.stuck ? note_stuck_counters(what, out) : note_no_counters(what, out);
    return;
  }
  const double seconds = counters.seconds(port);
  const FindingClass cls = class_of(story, port, flaps, seconds);
  out.findings.push_back(cls == FindingClass::healthy
                             ? healthy_port(story, port, Aspect::errors, "")
                             : flap_finding(story, port, flaps, cls, seconds));
}

void apply(const Story& story, RuleOutput& out) {
  const PortCounters counters(story);
  for (const NetworkPort& port : network_ports(story))
    if (port.is_active() && port.is_hardware()) judge_port(story, counters, port, out);
}

}  // namespace

const Rule port_flaps_rule{"port_flaps", "Do the ports keep their link?", apply};

}  // namespace linkburn
