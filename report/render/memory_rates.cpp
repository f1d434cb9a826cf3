#include "report/render/memory_rates.h"

#include <algorithm>

namespace linkburn {
namespace {

bool inside(const LapWindow& window, const Step& step) {
  return step.interval_start_ns && step.interval_end_ns &&
         window.start_ns >= *step.interval_start_ns && window.end_ns <= *step.interval_end_ns;
}

double rate_gbs(const LapWindow& window) {
  return static_cast<double>(window.bytes) / static_cast<double>(window.end_ns - window.start_ns);
}

/// Of at least one value.
double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

/// A step of several lanes names the lane before each fact.
std::map<std::string, std::string> facts_of(const Step& step, const ComponentId& lane) {
  if (step.lanes.size() <= 1) return step.facts;
  std::map<std::string, std::string> facts;
  const std::string prefix = lane.text() + " ";
  for (const auto& [name, text] : step.facts)
    if (name.starts_with(prefix)) facts[name.substr(prefix.size())] = text;
  return facts;
}

}  // namespace

void MemoryRates::take(const Body& body) {
  if (const auto* step = std::get_if<Step>(&body); step && step->event == "end")
    ends_[step->step] = step;
  const auto* window = std::get_if<LapWindow>(&body);
  if (window && window->phase == Phase::measure && window->end_ns > window->start_ns &&
      window->component.text().starts_with("numa"))
    windows_[{window->step, window->component}].push_back(window);
}

std::vector<MemoryView> MemoryRates::paths() const {
  std::vector<MemoryView> views;
  for (const auto& [key, windows] : windows_) {
    const auto end = ends_.find(key.first);
    if (end == ends_.end()) continue;
    std::vector<double> rates;
    std::int64_t laps = 0;
    for (const LapWindow* window : windows) {
      if (!inside(*window, *end->second)) continue;
      rates.push_back(rate_gbs(*window));
      laps += window->laps;
    }
    if (rates.empty()) continue;
    const double lowest = *std::min_element(rates.begin(), rates.end());
    views.push_back({key.second, key.first, median(std::move(rates)), lowest, laps,
                     facts_of(*end->second, key.second)});
  }
  return views;
}

}  // namespace linkburn
