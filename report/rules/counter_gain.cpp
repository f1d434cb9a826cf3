#include "report/rules/counter_gain.h"

#include <algorithm>

#include "bench/base/text.h"
#include "report/rules/course.h"

namespace linkburn {
namespace {

CounterGain since_boot(const Seen<Counter>& last, std::int64_t most) {
  const std::int64_t value = *last->value;
  return {static_cast<double>(value),
          most > 0 && value >= most,
          false,
          Phase::passive,
          last.at_ns,
          {last.seq}};
}

}  // namespace

CounterGain gain_over(const std::vector<Seen<Counter>>& series, std::int64_t most) {
  CounterGain gain;
  const auto full = [&](const Seen<Counter>& seen) { return most > 0 && *seen->value >= most; };
  gain.stuck = std::all_of(series.begin(), series.end(), full);
  for (std::size_t i = 1; i < series.size(); ++i) {
    const std::int64_t before = *series[i - 1]->value, now = *series[i]->value;
    const bool reset = now < before;
    const std::int64_t added = reset ? now : now - before;
    gain.at_least = gain.at_least || reset || full(series[i]);
    if (added <= 0) continue;
    if (gain.count == 0) gain.phase = series[i]->phase, gain.at_ns = series[i].at_ns;
    gain.evidence.push_back(series[i].seq);
    gain.count += static_cast<double>(added);
  }
  return gain;
}

void note_no_counters(std::string what, RuleOutput& out) {
  out.not_judged.push_back({std::move(what),
                            "its counters are not exposed, or cover no time",
                            "the port's counters, and the time since boot or a run to its end",
                            {}});
}

void note_stuck_counters(std::string what, RuleOutput& out) {
  out.not_judged.push_back({std::move(what),
                            "the counter stood at its greatest value and cannot count",
                            "the counters cleared (perfquery -R), and another run",
                            {}});
}

std::optional<double> uptime_s(const Story& story) {
  for (const auto& part : story.parts)
    if (part->name == "uptime") return leading_number(part->version);
  return std::nullopt;
}

PortCounters::PortCounters(const Story& story)
    : live_run_(story.live_run), uptime_s_(uptime_s(story)) {
  for (const auto& counter : story.counters)
    if (counter->value.value_or(-1) >= 0)
      series_[counter->component][counter->name].push_back(counter);
}

std::vector<const PortCounters::ByName*> PortCounters::of(const NetworkPort& port) const {
  std::vector<const ByName*> found;
  for (const ComponentId& id : port.names())
    if (const auto at = series_.find(id); at != series_.end()) found.push_back(&at->second);
  return found;
}

bool PortCounters::any(const NetworkPort& port) const { return !of(port).empty(); }

bool PortCounters::cover_time(const NetworkPort& port) const {
  return live_run_ ? seconds(port) > 0 : uptime_s_.value_or(0) > 0;
}

double PortCounters::seconds(const NetworkPort& port) const {
  if (!live_run_) return uptime_s_.value_or(0);
  double longest = 0;
  for (const ByName* counters : of(port))
    for (const auto& [name, series] : *counters)
      longest = std::max(longest, seconds_between(series.front().at_ns, series.back().at_ns));
  return longest;
}

std::optional<CounterGain> PortCounters::gain(const NetworkPort& port, std::string_view name,
                                              std::int64_t most) const {
  if (!cover_time(port)) return std::nullopt;
  for (const ByName* counters : of(port)) {
    const auto found = counters->find(name);
    if (found == counters->end()) continue;
    if (!live_run_) return since_boot(found->second.back(), most);
    if (found->second.size() > 1) return gain_over(found->second, most);
  }
  return std::nullopt;
}

const Seen<Counter>* PortCounters::last(const NetworkPort& port, std::string_view name) const {
  for (const ByName* counters : of(port))
    if (const auto found = counters->find(name); found != counters->end())
      return &found->second.back();
  return nullptr;
}

std::vector<std::string> PortCounters::names(const NetworkPort& port,
                                             std::string_view prefix) const {
  std::vector<std::string> names;
  for (const ByName* counters : of(port))
    for (const auto& [name, series] : *counters)
      if (std::string_view(name).starts_with(prefix)) names.push_back(name);
  return names;
}

}  // namespace linkburn
