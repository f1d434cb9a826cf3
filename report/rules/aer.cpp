// Do the links carry their packets without errors? From the kernel's AER counters of both ends.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>

#include "bench/base/text.h"
#include "report/rules/counter_gain.h"
#include "report/rules/course.h"
#include "report/rules/link_view.h"
#include "report/rules/table.h"

namespace linkburn {
namespace {

// Limits: any BadTLP, BadDLLP or Timeout is a warning, more than one per minute or any replay
// rollover is a fault, receiver errors alone count only above that rate. A clean link shows none
// over a day; speed changes and power-state exits can cause a few receiver errors. DCGM's PCIe test
// is more lenient with 32 errors per minute.
constexpr double kMaxPerMinute = 1;
constexpr double kMinForRate = 2;  // a single event has no rate

struct Kind {
  std::string_view name;
  std::array<std::string_view, 2> old_names;  ///< of old kernels [linux drivers/pci/pcie/aer.c]
};
constexpr Kind kReceiver{"RxErr", {"Receiver Error", {}}};
constexpr Kind kBadTlp{"BadTLP", {"Bad TLP", {}}};
constexpr Kind kBadDllp{"BadDLLP", {"Bad DLLP", {}}};
constexpr Kind kTimeout{"Timeout", {"Replay Timer Timeout", {}}};
constexpr Kind kRollover{"Rollover", {"REPLAY_NUM Rollover", "RELAY_NUM Rollover"}};
constexpr std::array kKinds{kReceiver, kBadTlp, kBadDllp, kTimeout, kRollover};

/// The short name of a correctable error that concerns the link. Advisory non-fatal errors,
/// internal ones and header log overflows say nothing about it.
std::optional<std::string_view> kind_of_error(std::string_view name) {
  for (const Kind& kind : kKinds)
    if (name == kind.name ||
        (!name.empty() &&
         std::find(kind.old_names.begin(), kind.old_names.end(), name) != kind.old_names.end()))
      return kind.name;
  return std::nullopt;
}

/// Uncorrectable errors that answer a request nobody serves: probing, a driver, access control.
/// They say nothing about the link [linux drivers/pci/pcie/aer.c, aer_uncorrectable_error_string].
bool is_refused_request(std::string_view name) {
  constexpr std::array<std::string_view, 12> kNames{
      "UnsupReq",        "Unsupported Request",     "ACSViol",       "ACS Violation",
      "CmpltAbrt",       "Completer Abort",         "UnxCmplt",      "Unexpected Completion",
      "AtomicOpBlocked", "AtomicOp Egress Blocked", "TLPBlockedErr", "TLP Prefix Blocked Error"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

/// What one counter gained.
struct Gain {
  std::string_view kind = {};  ///< short name, or "non-fatal", "fatal"
  std::string_view part = {};  ///< of the uncorrected kinds: which error
  double count = 0;
  bool at_least = false;  ///< it was reset in between
  Phase phase = Phase::passive;
  std::int64_t at_ns = 0;
  std::vector<std::int64_t> evidence = {};
};

/// The errors of one end of a link over the time that its counters cover.
struct EndErrors {
  ComponentId component = {};
  bool exposed = false;
  bool has_delta = false;
  double minutes = 0;
  std::vector<Gain> gains = {};

  double sum(std::initializer_list<std::string_view> kinds) const {
    double total = 0;
    for (const Gain& gain : gains)
      if (std::find(kinds.begin(), kinds.end(), gain.kind) != kinds.end()) total += gain.count;
    return total;
  }
  bool too_often(double count) const {
    return count >= kMinForRate && count > kMaxPerMinute * minutes;
  }
};

/// What a counter stands for: its kind, and of the uncorrected kinds which error.
struct Meaning {
  std::string_view kind, part;
  auto operator<=>(const Meaning&) const = default;
};

constexpr std::string_view kTotal = "TOTAL_";

/// Nothing for those that are not judged.
std::optional<Meaning> meaning_of(std::string_view name) {
  const std::size_t slash = name.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const std::string_view group = name.substr(0, slash);
  const std::string_view part = trim(name.substr(slash + 1));
  if (group == "aer_correctable") {
    const auto kind = kind_of_error(part);
    return kind ? std::optional(Meaning{*kind, {}}) : std::nullopt;
  }
  if (is_refused_request(part)) return std::nullopt;
  if (group == "aer_nonfatal") return Meaning{"non-fatal", part};
  if (group == "aer_fatal") return Meaning{"fatal", part};
  return std::nullopt;
}

using Series = std::vector<Seen<Counter>>;

/// Per component and meaning, the values that could be read.
using Counters = std::unordered_map<ComponentId, std::map<Meaning, Series>>;

/// A total counts only where its parts are not shown: it has the refused requests in it.
void drop_explained_totals(std::map<Meaning, Series>& series) {
  for (const std::string_view kind : {"non-fatal", "fatal"}) {
    const auto of_kind = [&](const auto& entry, bool total) {
      return entry.first.kind == kind && entry.first.part.starts_with(kTotal) == total;
    };
    if (std::any_of(series.begin(), series.end(), [&](const auto& e) { return of_kind(e, false); }))
      std::erase_if(series, [&](const auto& e) { return of_kind(e, true); });
  }
}

Counters judged_counters(const Story& story) {
  Counters all;
  for (const auto& counter : story.counters)
    if (const auto meaning = meaning_of(counter->name); meaning && counter->value.value_or(-1) >= 0)
      all[counter->component][*meaning].push_back(counter);
  for (auto& [component, series] : all) drop_explained_totals(series);
  return all;
}

EndErrors errors_of_run(const Counters& counters, const ComponentId& end) {
  EndErrors errors{end};
  const auto found = counters.find(end);
  if (found == counters.end()) return errors;
  for (const auto& [meaning, series] : found->second) {
    errors.exposed = true;
    if (series.size() < 2) continue;
    errors.has_delta = true;
    errors.minutes =
        std::max(errors.minutes, seconds_between(series.front().at_ns, series.back().at_ns) / 60);
    const CounterGain gain = gain_over(series);
    errors.gains.push_back({meaning.kind, meaning.part, gain.count, gain.at_least, gain.phase,
                            gain.at_ns, gain.evidence});
  }
  return errors;
}

EndErrors errors_since_boot(const Counters& counters, const ComponentId& end, double uptime_s) {
  EndErrors errors{end};
  errors.minutes = uptime_s / 60;
  const auto found = counters.find(end);
  if (found == counters.end()) return errors;
  for (const auto& [meaning, series] : found->second) {
    errors.exposed = errors.has_delta = true;
    const auto& last = series.back();
    errors.gains.push_back({meaning.kind,
                            meaning.part,
                            static_cast<double>(*last->value),
                            false,
                            Phase::passive,
                            last.at_ns,
                            {last.seq}});
  }
  return errors;
}

struct Judgement {
  FindingClass cls = FindingClass::healthy;
  std::string_view code = "LB-HEALTHY";
};

/// A replay rollover in a run is a fault; one in all the time since boot is a warning.
Judgement judge_end(const EndErrors& errors, bool live_run) {
  const double packets = errors.sum({"BadTLP", "BadDLLP", "Timeout"});
  if (errors.sum({"non-fatal", "fatal"}) > 0) return {FindingClass::degraded, "LB-AER-UNCORRECTED"};
  const double rollovers = errors.sum({"Rollover"});
  const bool rollover_fault = live_run ? rollovers > 0 : errors.too_often(rollovers);
  if (rollover_fault || errors.too_often(packets))
    return {FindingClass::degraded, "LB-AER-CORRECTED"};
  if (rollovers > 0 || packets > 0 || errors.too_often(errors.sum({"RxErr"})))
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
                          gain.part.empty() || gain.part.starts_with(kTotal) ? "" : " ",
                          gain.part.starts_with(kTotal) ? "" : gain.part);
  return list.empty() ? list : fmt::format("{} at {}", list, errors.component.text());
}

std::string span_text(double minutes) {
  if (minutes < 2) return fmt::format("{:.0f} s", minutes * 60);
  if (minutes < 120) return fmt::format("{:.0f} min", minutes);
  return fmt::format("{:.0f} h", minutes / 60);
}

Finding error_finding(const Story& story, const LinkStory& link, const Judgement& judgement,
                      const std::array<EndErrors, 2>& ends) {
  Finding finding =
      link_finding(story, link, std::string(judgement.code), judgement.cls, Aspect::errors);
  finding.limit = {};
  finding.origin.clear();
  const Gain* first = nullptr;
  double minutes = 0;
  for (const EndErrors& end : ends) {
    const std::string list = list_gains(end);
    if (!list.empty()) finding.detail += (finding.detail.empty() ? "" : "; ") + list;
    minutes = std::max(minutes, end.minutes);
    for (const Gain& gain : end.gains) {
      finding.evidence.insert(finding.evidence.end(), gain.evidence.begin(), gain.evidence.end());
      if (gain.count > 0 && (first == nullptr || gain.at_ns < first->at_ns)) first = &gain;
    }
  }
  if (judgement.cls != FindingClass::healthy) {
    finding.detail +=
        fmt::format(" in {}{}", span_text(minutes), story.live_run ? "" : " since boot");
    const bool uncorrected = judgement.code == "LB-AER-UNCORRECTED";
    finding.limit.text = uncorrected      ? "0"
                         : story.live_run ? "0, a fault above 1 per minute or with a rollover"
                                          : "0, a fault above 1 per minute";
    finding.origin = "linkburn's limit for link errors";
  }
  if (first != nullptr) finding.phase = first->phase, finding.at_ns = first->at_ns;
  return finding;
}

void judge_link(const Story& story, const Counters& counters, const LinkStory& link,
                std::optional<double> uptime, RuleOutput& out) {
  const auto errors = [&](const ComponentId& end) {
    return story.live_run ? errors_of_run(counters, end)
                          : errors_since_boot(counters, end, uptime.value_or(0));
  };
  const std::array<EndErrors, 2> ends{errors(link.link->component), errors(link.link->peer)};
  const std::string what = "link errors of " + link.link->component.text();
  if (!ends[0].exposed && !ends[1].exposed) {
    out.not_judged.push_back(
        {what, "AER not exposed", "a kernel that owns AER; else the firmware's error log", {}});
    return;
  }
  if (!story.live_run && !uptime) {
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
  const Judgement a = judge_end(ends[0], story.live_run), b = judge_end(ends[1], story.live_run);
  const bool second = b.cls > a.cls || (b.cls == a.cls && b.code == "LB-AER-UNCORRECTED");
  out.findings.push_back(error_finding(story, link, second ? b : a, ends));
}

void apply(const Story& story, RuleOutput& out) {
  const Counters counters = judged_counters(story);
  const std::optional<double> uptime = uptime_s(story);
  for (const LinkStory& link : story.links) {
    if (is_silent(*link.link) || without_files(*link.link)) continue;
    judge_link(story, counters, link, uptime, out);
  }
}

}  // namespace

const Rule aer_rule{"aer", "Do the links carry their packets without errors?", apply};

}  // namespace linkburn
