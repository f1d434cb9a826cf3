#include "bench/drill/scenario_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "bench/base/text.h"

namespace linkburn::drill {
namespace {

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

}  // namespace

bool is_name(std::string_view text, std::size_t longest) {
  return !text.empty() && text.size() <= longest && is_letter_or_digit(text.front()) &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return is_letter_or_digit(c) || c == '.' || c == '_' || c == '-';
         });
}

bool is_label(std::string_view text) {
  return !text.empty() && text.size() <= kLongestLabel && text != "." && text != ".." &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return c >= ' ' && c <= '~' && c != '/'; });
}

void read_name(TableReader& table, const char* key, std::string& out) {
  std::string value = out;
  table.text(key, value);
  if (!table.has(key)) return;
  if (!is_name(value)) return table.fail(fmt::format("'{}' takes {}", key, kNameRule), key);
  out = value;
}

void read_decimal(TableReader& table, const char* key, double& out, double lowest, double highest) {
  std::optional<double> value;
  table.decimal(key, value, lowest, highest);
  if (value) out = *value;
}

void read_byte(TableReader& table, const char* key, std::uint8_t& out, int lowest, int highest) {
  std::optional<int> value;
  table.number(key, value, lowest, highest);
  if (value) out = static_cast<std::uint8_t>(*value);
}

std::optional<int> read_word(TableReader& table, const char* key,
                             const std::vector<std::string>& words, bool needed) {
  std::string value;
  table.text(key, value, needed);
  if (!table.has(key)) return {};
  const auto found = std::find(words.begin(), words.end(), value);
  if (found != words.end()) return static_cast<int>(found - words.begin());
  const auto close = nearest(value, words);
  table.fail(close ? fmt::format("'{}' has no word '{}', did you mean '{}'?", key,
                                 printable(value, 64), *close)
                   : fmt::format("'{}' takes one of the words {}", key, fmt::join(words, ", ")),
             key);
  return {};
}

void read_lanes(TableReader& table, const char* key, std::uint8_t& out) {
  std::optional<int> value;
  table.number(key, value, 1, 16);
  if (!value) return;
  if ((*value & (*value - 1)) != 0)
    return table.fail(fmt::format("'{}' must be 1, 2, 4, 8 or 16 lanes", key), key);
  out = static_cast<std::uint8_t>(*value);
}

std::optional<std::int64_t> read_time_ns(TableReader& table, const std::string& stem,
                                         double lowest_ms) {
  struct Unit {
    const char* name;
    double ms;
  };
  constexpr Unit kUnits[] = {{"ms", 1}, {"s", 1e3}, {"minutes", 60e3}};
  std::optional<std::int64_t> found;
  for (const auto& [name, ms] : kUnits) {
    const std::string key = fmt::format("{}_{}", stem, name);
    std::optional<double> value;
    table.decimal(key.c_str(), value, lowest_ms / ms, kLongestSeconds * 1e3 / ms);
    if (!value) continue;
    if (found) table.fail(fmt::format("'{}' is given in two units", stem), key.c_str());
    found = std::llround(*value * ms * 1e6);
  }
  return found;
}

}  // namespace linkburn::drill
