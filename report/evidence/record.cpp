#include "report/evidence/record.h"

#include <array>

namespace linkburn {
namespace {

constexpr std::array<std::pair<Phase, std::string_view>, 5> kPhases{
    {{Phase::passive, "passive"},
     {Phase::idle, "idle"},
     {Phase::warm_up, "warm_up"},
     {Phase::measure, "measure"},
     {Phase::cool_down, "cool_down"}}};

}  // namespace

std::string_view to_string(Phase phase) {
  for (const auto& [value, word] : kPhases)
    if (value == phase) return word;
  return "passive";
}

std::optional<Phase> phase_from(std::string_view word) {
  for (const auto& [value, text] : kPhases)
    if (text == word) return value;
  return std::nullopt;
}

std::string_view kind_of(const Record& record) {
  return std::visit(
      [](const auto& body) -> std::string_view {
        if constexpr (std::is_same_v<std::decay_t<decltype(body)>, UnknownRecord>)
          return body.kind;
        else
          return std::decay_t<decltype(body)>::kKind;
      },
      record.body);
}

}  // namespace linkburn
