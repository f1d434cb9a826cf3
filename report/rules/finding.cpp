#include "report/rules/finding.h"

#include <array>

namespace linkburn {
namespace {

constexpr std::array<std::pair<FindingClass, std::string_view>, 7> kClasses{{
    {FindingClass::healthy, "healthy"},
    {FindingClass::limited, "limited"},
    {FindingClass::marginal, "marginal"},
    {FindingClass::undecided, "undecided"},
    {FindingClass::misconfigured, "misconfigured"},
    {FindingClass::degraded, "degraded"},
    {FindingClass::lost, "lost"},
}};

constexpr std::array<std::pair<Aspect, std::string_view>, 7> kAspects{{
    {Aspect::presence, "presence"},
    {Aspect::width, "width"},
    {Aspect::speed, "speed"},
    {Aspect::ports, "ports"},
    {Aspect::rate, "rate"},
    {Aspect::data, "data"},
    {Aspect::errors, "errors"},
}};

}  // namespace

std::string_view to_string(FindingClass value) {
  for (const auto& [cls, word] : kClasses)
    if (cls == value) return word;
  return "undecided";
}

bool is_failure(FindingClass value) {
  return value == FindingClass::misconfigured || value == FindingClass::degraded ||
         value == FindingClass::lost;
}

std::string_view to_string(Aspect aspect) {
  for (const auto& [value, word] : kAspects)
    if (value == aspect) return word;
  return "presence";
}

std::optional<Aspect> aspect_from(std::string_view word) {
  for (const auto& [value, text] : kAspects)
    if (text == word) return value;
  return std::nullopt;
}

const std::vector<std::string>& aspect_words() {
  static const std::vector<std::string> words = [] {
    std::vector<std::string> all;
    for (const auto& [aspect, word] : kAspects) all.emplace_back(word);
    return all;
  }();
  return words;
}

Quantity quantity(std::optional<LinkSpeed> speed, std::optional<LinkWidth> width) {
  Quantity q;
  if (speed) q.speed_gts = speed->gts();
  if (width) q.width = width->lanes;
  if (speed && width)
    q.text = to_string(*speed, *width);
  else if (speed)
    q.text = to_string(*speed);
  else if (width)
    q.text = to_string(*width);
  return q;
}

}  // namespace linkburn
