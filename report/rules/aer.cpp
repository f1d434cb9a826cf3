// Do the links carry their packets without errors? From the kernel's AER counters of both ends, and
// from its log: how dense the errors came, and all of it where the counters are not exposed.
#include <fmt/core.h>

#include <algorithm>

#include "report/rules/link_errors.h"
#include "report/rules/link_view.h"
#include "report/rules/log_view.h"
#include "report/rules/table.h"

namespace linkburn {
namespace {

// Limits: any BadTLP, BadDLLP or Timeout is a warning, more than one per minute or any replay
// rollover is a fault, receiver errors alone count only above that rate. A clean link shows none
// over a day; speed changes and power-state exits can cause a few receiver errors.
constexpr double kMaxPerMinute = 1;
constexpr double kMinForRate = 2;  // a single event has no rate

/// Since boot a handful is noise of the platform, however young the boot: links that train and
/// firmware that probes leave some behind.
constexpr double kHandful = 5;

/// A burst in a log is a fault above the rate at which DCGM's PCIe test fails, 32 errors per minute
/// [NVIDIA DCGM, pcie plugin, correctable AER threshold].
constexpr double kMaxInBurst = 32 * kBurstSeconds / 60;

bool too_often(const EndErrors& errors, double count, double least) {
  return errors.minutes > 0 && count >= least && count > kMaxPerMinute * errors.minutes;
}

struct Judgement {
  FindingClass cls = FindingClass::healthy;
  std::string_view code = "LB-HEALTHY";
};

/// A drop since boot that is over, and of which device_drops tells: a port reported the end of its
/// link as an error when somebody took the card out or a GPU fell off the bus, or it stopped its
/// link on this very error and trained it again [PCI Express Base Specification 6.0, sections
/// 3.2.1: Surprise Down, 6.2.11: DPC].
bool is_told_as_drop(const Story& story, const LinkStory& link, const Gain& gain) {
  const bool surprise = gain.part == "SDES" || gain.part == "Surprise Down Error";
  const bool uncorrected = gain.kind == "fatal" || gain.kind == "non-fatal";
  const auto lost_it = [&](const auto& line) {
    const bool off_the_bus = line->topic == "xid" && line->number == kXidOffTheBus;
    const bool down = (surprise && (line->topic == "slot_down" || off_the_bus)) ||
                      (uncorrected && line->topic == "containment");
    return down && line->component && story.link_of(*line->component) == &link;
  };
  const auto times = std::count_if(story.kernel_lines.begin(), story.kernel_lines.end(), lost_it);
  return !story.live_run && gain.count <= static_cast<double>(times) &&
         answers_now(story, link.link->component) == true;
}

/// Somebody took the card out: the slot senses no card any more, and its port reported the end of
/// its link as an error. Of a log alone that is all that will ever be known of it.
bool is_told_as_removal(const Story& story, const ComponentId& port, const Gain& gain) {
  if (gain.part != "SDES" && gain.part != "Surprise Down Error") return false;
  const auto times =
      std::count_if(story.kernel_lines.begin(), story.kernel_lines.end(), [&](const auto& line) {
        return line->topic == "slot_down" && line->component == port &&
               line->text.find("Card not present") != std::string::npos;
      });
  return !story.live_run && gain.count <= static_cast<double>(times);
}

/// A log may tell of an uncorrected error without saying which; a request that nobody serves is the
/// usual one that is not fatal.
FindingClass class_of_uncorrected(const EndErrors& errors) {
  FindingClass cls = FindingClass::healthy;
  for (const Gain& gain : errors.gains) {
    if (gain.count <= 0 || (gain.kind != "fatal" && gain.kind != "non-fatal")) continue;
    const bool unsure = errors.logged && gain.part.empty() && gain.kind == "non-fatal";
    cls = std::max(cls, unsure ? FindingClass::marginal : FindingClass::degraded);
  }
  return cls;
}

/// A replay rollover in a run is a fault; one in all the time since boot is a warning.
Judgement judge_end(const EndErrors& errors, bool live_run) {
  const double packets = errors.packets();
  const FindingClass uncorrected = class_of_uncorrected(errors);
  if (uncorrected == FindingClass::degraded) return {uncorrected, "LB-AER-UNCORRECTED"};
  const double rollovers = errors.sum("Rollover");
  const bool rollover_fault = live_run ? rollovers > 0 : too_often(errors, rollovers, kMinForRate);
  const double least = live_run && !errors.logged ? kMinForRate : kHandful + 1;
  if (rollover_fault || too_often(errors, packets, least) || errors.burst > kMaxInBurst)
    return {FindingClass::degraded, "LB-AER-CORRECTED"};
  if (uncorrected == FindingClass::marginal) return {uncorrected, "LB-AER-UNCORRECTED"};
  if (rollovers > 0 || packets > 0 || too_often(errors, errors.sum("RxErr"), least))
    return {FindingClass::marginal, "LB-AER-CORRECTED"};
  return {};
}

/// "2 BadTLP, at least 3 Timeout at 0000:17:00.0"; empty when there is nothing to list.
std::string list_gains(const EndErrors& errors) {
  std::string list;
  for (const Gain& gain : errors.gains)
    if (gain.count > 0)
      list += fmt::format("{}{}{:.0f} {}{}{}", list.empty() ? "" : ", ",
                          gain.at_least ? "at least " : "", gain.count, gain.kind,
                          gain.part.empty() ? "" : " ", gain.part);
  if (list.empty()) return list;
  if (errors.burst > kMaxInBurst)
    list += fmt::format(" (up to {:.0f} within {:.0f} s)", errors.burst, kBurstSeconds);
  return fmt::format("{} at {}", list, errors.component.text());
}

std::string span_text(double minutes) {
  if (minutes < 2) return fmt::format("{:.0f} s", minutes * 60);
  if (minutes < 120) return fmt::format("{:.0f} min", minutes);
  return fmt::format("{:.0f} h", minutes / 60);
}

std::string over_which_time(const Story& story, const EndErrors& a, const EndErrors& b) {
  const double minutes = std::max(a.minutes, b.minutes);
  const std::string log = a.logged || b.logged ? ", by the kernel log" : "";
  if (minutes <= 0) return log.empty() ? "" : log + ", which has no times";
  return fmt::format(" in {}{}{}", span_text(minutes), story.live_run ? "" : " since boot", log);
}

void describe(const Story& story, const Judgement& judgement, const std::array<EndErrors, 2>& ends,
              Finding& finding) {
  finding.limit = {};
  finding.origin.clear();
  const Gain* first = nullptr;
  for (const EndErrors& end : ends) {
    const std::string list = list_gains(end);
    if (!list.empty()) finding.detail += (finding.detail.empty() ? "" : "; ") + list;
    for (const Gain& gain : end.gains) {
      finding.evidence.insert(finding.evidence.end(), gain.evidence.begin(), gain.evidence.end());
      if (gain.count > 0 && (first == nullptr || gain.at_ns < first->at_ns)) first = &gain;
    }
  }
  std::sort(finding.evidence.begin(), finding.evidence.end());
  finding.evidence.erase(std::unique(finding.evidence.begin(), finding.evidence.end()),
                         finding.evidence.end());
  if (first != nullptr) finding.phase = first->phase, finding.at_ns = first->at_ns;
  if (judgement.cls == FindingClass::healthy) return;
  finding.detail += over_which_time(story, ends[0], ends[1]);
  const bool uncorrected = judgement.code == "LB-AER-UNCORRECTED";
  const bool burst = std::max(ends[0].burst, ends[1].burst) > kMaxInBurst;
  finding.limit.text =
      uncorrected ? "0"
      : burst ? fmt::format("0, a fault above {:.0f} within {:.0f} s", kMaxInBurst, kBurstSeconds)
      : story.live_run ? "0, a fault above 1 per minute or with a rollover"
                       : "0, a fault above 1 per minute";
  finding.origin = "linkburn's limit for link errors";
}

// Receiver Error, Bad TLP, Bad DLLP, REPLAY_NUM Rollover, Replay Timer Timeout
// [PCI Express Base Specification 6.0, section 7.8.4.5].
constexpr std::int64_t kLinkErrors = 0x11c1;

/// Firmware or driver keeps this end from reporting any of them: its counters stay where they are.
bool is_masked(const LinkEnd& end) {
  return end.registers && end.registers->aer_correctable_mask &&
         (*end.registers->aer_correctable_mask & kLinkErrors) == kLinkErrors;
}

/// What an end's own status register says: it happened since the register was cleared, which may
/// have been before this boot.
std::string status_note(const LinkEnd& end, const ComponentId& id) {
  if (!end.registers || (end.registers->aer_correctable_status.value_or(0) & kLinkErrors) == 0)
    return {};
  return fmt::format("; the status register of {} has seen some since it was cleared", id.text());
}

NotJudged not_judged(const Link& link, std::string_view why, std::string needs) {
  return {"link errors of " + link.component.text(),
          std::string(why) + status_note(link.device_end, link.component) +
              status_note(link.peer_end, link.peer),
          std::move(needs),
          {}};
}

constexpr auto kNeedsAer = "a kernel that owns AER; else the firmware's error log";

NotJudged not_exposed(const Story& story, const Link& link) {
  if (story.is_captured())
    return not_judged(link, "no text has counters of them",
                      "the kernel log, and grep . /sys/bus/pci/devices/*/aer_dev_*");
  return not_judged(link, "AER not exposed", kNeedsAer);
}

Judgement worse_of(const std::array<EndErrors, 2>& ends, bool live_run) {
  const Judgement a = judge_end(ends[0], live_run), b = judge_end(ends[1], live_run);
  const bool second = b.cls > a.cls || (b.cls == a.cls && b.code == "LB-AER-UNCORRECTED");
  return second ? b : a;
}

void judge_link(const Story& story, const LinkErrors& errors, const LinkStory& link,
                RuleOutput& out) {
  std::array<EndErrors, 2> ends = errors.of(link);
  for (EndErrors& end : ends)
    std::erase_if(end.gains, [&](const Gain& gain) { return is_told_as_drop(story, link, gain); });
  const std::string what = "link errors of " + link.link->component.text();
  const bool logged = ends[0].logged || ends[1].logged;
  if (!ends[0].exposed && !ends[1].exposed) {
    out.not_judged.push_back(not_exposed(story, *link.link));
    return;
  }
  if (errors.time_unknown() && !logged) {
    out.not_judged.push_back({what,
                              "counts since boot, and the time since boot is not known",
                              "/proc/uptime, or a run",
                              {}});
    return;
  }
  if (!ends[0].has_delta && !ends[1].has_delta) {
    out.not_judged.push_back({what, "its counters were read only once", "a run to its end", {}});
    return;
  }
  const Judgement worse = worse_of(ends, story.live_run);
  // A log names what went wrong. That it names nothing proves little.
  if (logged && worse.cls == FindingClass::healthy) return;
  if (worse.cls == FindingClass::healthy && is_masked(link.link->device_end) &&
      is_masked(link.link->peer_end)) {
    out.not_judged.push_back(
        not_judged(*link.link, "corrected errors are masked at both ends", kNeedsAer));
    return;
  }
  Finding finding = link_finding(story, link, std::string(worse.code), worse.cls, Aspect::errors);
  describe(story, worse, ends, finding);
  out.findings.push_back(std::move(finding));
}

/// All functions of a device report an error of their link; the first of them speaks for it.
bool is_spoken_for(const LinkErrors& errors, const ComponentId& device) {
  auto address = device.pci_address();
  if (!address || address->function == 0) return false;
  address->function = 0;
  return !errors.logged_by(ComponentId::pci(*address)).gains.empty();
}

/// Devices that the log names and the inventory does not. Where there is no inventory at all, as
/// with a log alone, they are judged by themselves; else they are worth a word.
void judge_unknown_devices(const Story& story, const LinkErrors& errors, RuleOutput& out) {
  std::map<ComponentId, std::array<EndErrors, 2>> by_device;
  for (const ComponentId& logger : errors.loggers()) {
    if (story.link_of(logger) != nullptr || is_spoken_for(errors, logger)) continue;
    const ComponentId device = subject_of(story, logger);
    EndErrors& end = by_device[device][device == logger ? 0 : 1];
    end = errors.logged_by(logger);
    std::erase_if(end.gains,
                  [&](const Gain& gain) { return is_told_as_removal(story, logger, gain); });
  }
  std::string names, few;
  for (const auto& [device, ends] : by_device) {
    const Judgement judgement = worse_of(ends, story.live_run);
    const bool stranger = !story.links.empty() && !may_lack_devices(story);
    if (stranger || judgement.cls == FindingClass::healthy) {
      std::string& list = stranger ? names : few;
      list += (list.empty() ? "" : ", ") + device.text();
      continue;
    }
    Finding finding;
    finding.code = judgement.code;
    finding.cls = judgement.cls;
    finding.aspect = Aspect::errors;
    finding.component = device;
    describe(story, judgement, ends, finding);
    out.findings.push_back(std::move(finding));
  }
  if (!names.empty())
    out.not_judged.push_back({"link errors that the kernel log tells of " + names,
                              "no link of this inventory has such a device",
                              "",
                              {}});
  if (!few.empty())
    out.not_judged.push_back({"link errors that the kernel log tells of " + few,
                              "fewer than would say anything, and a log need not have them all",
                              "",
                              {}});
}

void apply(const Story& story, RuleOutput& out) {
  const LinkErrors errors(story);
  for (const LinkStory& link : story.links) {
    if (is_silent(*link.link)) continue;
    if (without_files(*link.link) && !errors.are_logged(link)) continue;
    judge_link(story, errors, link, out);
  }
  judge_unknown_devices(story, errors, out);
}

}  // namespace

const Rule aer_rule{"aer", "Do the links carry their packets without errors?", apply};

}  // namespace linkburn
