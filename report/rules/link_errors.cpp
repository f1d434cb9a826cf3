#include "report/rules/link_errors.h"

#include <algorithm>

#include "bench/base/text.h"
#include "report/rules/counter_gain.h"
#include "report/rules/course.h"

namespace linkburn {
namespace {

struct Kind {
  std::string_view name;
  std::array<std::string_view, 2> old_names;  ///< of old kernels [linux drivers/pci/pcie/aer.c]
};
constexpr std::array kKinds{Kind{"RxErr", {"Receiver Error", {}}}, Kind{"BadTLP", {"Bad TLP", {}}},
                            Kind{"BadDLLP", {"Bad DLLP", {}}},
                            Kind{"Timeout", {"Replay Timer Timeout", {}}},
                            Kind{"Rollover", {"REPLAY_NUM Rollover", "RELAY_NUM Rollover"}}};

constexpr std::string_view kTotal = "TOTAL_";

/// Which error, unless it is a total of all.
std::string specific(std::string_view part) {
  return part.starts_with(kTotal) ? "" : std::string(part);
}

}  // namespace

std::string_view correctable_kind(std::string_view name) {
  for (const Kind& kind : kKinds)
    if (name == kind.name ||
        (!name.empty() &&
         std::find(kind.old_names.begin(), kind.old_names.end(), name) != kind.old_names.end()))
      return kind.name;
  return {};
}

// [linux drivers/pci/pcie/aer.c, aer_uncorrectable_error_string]
bool is_refused_request(std::string_view name) {
  constexpr std::array<std::string_view, 12> kNames{
      "UnsupReq",        "Unsupported Request",     "ACSViol",       "ACS Violation",
      "CmpltAbrt",       "Completer Abort",         "UnxCmplt",      "Unexpected Completion",
      "AtomicOpBlocked", "AtomicOp Egress Blocked", "TLPBlockedErr", "TLP Prefix Blocked Error"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

bool is_packet_error(std::string_view kind) {
  return kind == "BadTLP" || kind == "BadDLLP" || kind == "Timeout";
}

double EndErrors::sum(std::string_view kind) const {
  double total = 0;
  for (const Gain& gain : gains)
    if (gain.kind == kind) total += gain.count;
  return total;
}

double EndErrors::packets() const {
  double total = 0;
  for (const Gain& gain : gains)
    if (is_packet_error(gain.kind)) total += gain.count;
  return total;
}

double EndErrors::weight() const {
  return packets() + sum("Rollover") + sum("non-fatal") + sum("fatal");
}

/// Nothing for those that are not judged.
std::optional<LinkErrors::Meaning> LinkErrors::meaning_of(std::string_view name) {
  const std::size_t slash = name.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const std::string_view group = name.substr(0, slash);
  const std::string_view part = trim(name.substr(slash + 1));
  if (group == "aer_correctable") {
    const std::string_view kind = correctable_kind(part);
    return kind.empty() ? std::nullopt : std::optional(Meaning{kind, {}});
  }
  if (is_refused_request(part)) return std::nullopt;
  if (group == "aer_nonfatal") return Meaning{"non-fatal", part};
  if (group == "aer_fatal") return Meaning{"fatal", part};
  return std::nullopt;
}

/// A total counts only where its parts are not shown: it has the refused requests in it.
void LinkErrors::drop_explained_totals(std::map<Meaning, Series>& series) {
  for (const std::string_view kind : {"non-fatal", "fatal"}) {
    const auto of_kind = [&](const auto& entry, bool total) {
      return entry.first.kind == kind && entry.first.part.starts_with(kTotal) == total;
    };
    if (std::any_of(series.begin(), series.end(), [&](const auto& e) { return of_kind(e, false); }))
      std::erase_if(series, [&](const auto& e) { return of_kind(e, true); });
  }
}

LinkErrors::LinkErrors(const Story& story) : story_(story), uptime_s_(uptime_s(story)) {
  for (const auto& counter : story.counters)
    if (const auto meaning = meaning_of(counter->name); meaning && counter->value.value_or(-1) >= 0)
      counters_[counter->component][*meaning].push_back(counter);
  for (auto& [component, series] : counters_) drop_explained_totals(series);
  logged_ = logged_errors(story, uptime_s_);
}

bool LinkErrors::time_unknown() const { return !story_.live_run && !uptime_s_; }

EndErrors LinkErrors::of_run(const ComponentId& end) const {
  EndErrors errors{end};
  const auto found = counters_.find(end);
  if (found == counters_.end()) return errors;
  for (const auto& [meaning, series] : found->second) {
    errors.exposed = true;
    if (series.size() < 2) continue;
    errors.has_delta = true;
    errors.minutes =
        std::max(errors.minutes, seconds_between(series.front().at_ns, series.back().at_ns) / 60);
    const CounterGain gain = gain_over(series);
    errors.gains.push_back({meaning.kind, specific(meaning.part), gain.count, gain.at_least,
                            gain.phase, gain.at_ns, gain.evidence});
  }
  return errors;
}

EndErrors LinkErrors::since_boot(const ComponentId& end) const {
  EndErrors errors{end};
  errors.minutes = uptime_s_.value_or(0) / 60;
  const auto found = counters_.find(end);
  if (found == counters_.end()) return errors;
  for (const auto& [meaning, series] : found->second) {
    errors.exposed = errors.has_delta = true;
    const auto& last = series.back();
    errors.gains.push_back({meaning.kind,
                            specific(meaning.part),
                            static_cast<double>(*last->value),
                            false,
                            Phase::passive,
                            last.at_ns,
                            {last.seq}});
  }
  return errors;
}

EndErrors LinkErrors::logged_by(const ComponentId& component) const {
  const auto found = logged_.find(component);
  return found == logged_.end() ? EndErrors{component} : found->second;
}

std::vector<ComponentId> LinkErrors::loggers() const {
  std::vector<ComponentId> all;
  for (const auto& [component, errors] : logged_) all.push_back(component);
  return all;
}

bool LinkErrors::are_logged(const LinkStory& link) const {
  return std::any_of(logged_.begin(), logged_.end(),
                     [&](const auto& entry) { return story_.link_of(entry.first) == &link; });
}

/// Each function of a device reports an error of their common link, so the worst one counts.
EndErrors LinkErrors::logged_at(const LinkStory& link, End end) const {
  const ComponentId &device = link.link->component, &peer = link.link->peer;
  if (end == End::peer) return logged_by(peer);
  EndErrors worst{device};
  for (const auto& [component, errors] : logged_)
    if (component != peer && story_.link_of(component) == &link &&
        (worst.gains.empty() || errors.burst > worst.burst))
      worst = errors;
  return worst;
}

std::array<EndErrors, 2> LinkErrors::of(const LinkStory& link) const {
  const ComponentId &device = link.link->component, &peer = link.link->peer;
  std::array<EndErrors, 2> ends{story_.live_run ? of_run(device) : since_boot(device),
                                story_.live_run ? of_run(peer) : since_boot(peer)};
  const bool exposed = ends[0].exposed || ends[1].exposed;
  for (const End end : {End::device, End::peer}) {
    EndErrors& counted = ends[static_cast<std::size_t>(end)];
    EndErrors logged = logged_at(link, end);
    // The kernel counts every error and prints some of them. A log that knows more tells of the
    // time before a device was found anew, at which its counters began again.
    if (!exposed || logged.weight() > counted.weight())
      counted = std::move(logged);
    else
      counted.burst = logged.burst;
  }
  return ends;
}

}  // namespace linkburn
