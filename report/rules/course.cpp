#include "report/rules/course.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace linkburn {
namespace {

void note(std::vector<std::int64_t>& evidence, std::int64_t seq) {
  if (evidence.empty() || evidence.back() != seq) evidence.push_back(seq);
}

}  // namespace

std::vector<Sample> samples_of(const LinkStory& link, End end, std::string_view quantity) {
  std::vector<Sample> samples;
  const auto wanted = [&](const auto& seen) {
    const End at = seen->component == link.link->peer ? End::peer : End::device;
    return at == end && seen->quantity == quantity;
  };
  for (const auto& seen : link.readings)
    if (wanted(seen))
      samples.push_back({seen->value, seen->phase, seen->step, seen.at_ns, seen.seq});
  for (const auto& seen : link.transitions) {
    if (!wanted(seen)) continue;
    samples.push_back({seen->from, seen->phase, seen->step, seen.at_ns, seen.seq});
    samples.push_back({seen->to, seen->phase, seen->step, seen.at_ns, seen.seq});
  }
  std::stable_sort(samples.begin(), samples.end(),
                   [](const Sample& a, const Sample& b) { return a.seq < b.seq; });
  return samples;
}

Course follow(std::span<const Sample> samples, double rated, Course goes_on_from) {
  Course course = std::move(goes_on_from);
  bool low = false;
  for (const Sample& sample : samples) {
    course.unknown_at_end = !sample.value;
    if (!sample.value) continue;
    const bool was_low = std::exchange(low, *sample.value < rated);
    course.last = sample.value;
    course.low = low;
    if (low) course.lowest = std::min(course.lowest.value_or(*sample.value), *sample.value);
    if (low == was_low) continue;
    note(course.evidence, sample.seq);
    if (low && ++course.drops == 1) course.dropped = sample;
    if (!low && course.drops == 1) course.returned = sample;
  }
  return course;
}

const Course& worse(const Course& a, const Course& b) {
  if (a.low != b.low) return a.low ? a : b;
  return b.drops > a.drops || (b.drops == a.drops && b.last && !a.last) ? b : a;
}

double seconds_between(std::int64_t from_ns, std::int64_t to_ns) {
  return (static_cast<double>(to_ns) - static_cast<double>(from_ns)) / 1e9;
}

std::string drop_in_words(const Course& course, std::string_view lowest) {
  if (!course.dropped) return {};
  std::string text =
      fmt::format("fell to {} after {:.1f} s", lowest, seconds_between(0, course.dropped->at_ns));
  if (course.drops > 1)
    text += fmt::format(", {} times in all{}", course.drops,
                        course.low ? ", and is low at the end" : "");
  else if (course.returned)
    text += fmt::format(" and returned after {:.1f} s",
                        seconds_between(course.dropped->at_ns, course.returned->at_ns));
  else if (course.low)
    text += " and did not return";
  else
    text += " and was back under the next load";
  return text;
}

}  // namespace linkburn
