#include "report/ratings/host_pattern.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "bench/base/ascii.h"
#include "bench/base/text.h"

namespace linkburn {
namespace {

constexpr std::size_t kMostBytes = 512;      ///< of a pattern
constexpr std::size_t kMostDigits = 9;       ///< of a number in a range
constexpr std::size_t kMostHostBytes = 255;  ///< HOST_NAME_MAX and more [gethostname(2)]

/// A number as written, "001", and the last one of its range.
struct Range {
  std::int64_t first = 0, last = 0;
  std::size_t digits = 0;  ///< written with; more of them follow from the number itself
};

std::optional<std::int64_t> number(std::string_view text) {
  const bool plain = !text.empty() && text.size() <= kMostDigits &&
                     std::all_of(text.begin(), text.end(), is_digit);
  return plain ? parse_int(text) : std::nullopt;
}

std::optional<Range> range_of(std::string_view text) {
  const std::size_t dash = text.find('-');
  const std::string_view first = text.substr(0, dash);
  const auto from = number(first);
  const auto to = dash == std::string_view::npos ? from : number(text.substr(dash + 1));
  if (!from || !to || *from > *to) return std::nullopt;
  return Range{*from, *to, first.size()};
}

/// The ranges between brackets; nothing when one of them cannot be one.
std::optional<std::vector<Range>> ranges_of(std::string_view list) {
  std::vector<Range> ranges;
  std::size_t at = 0;
  while (at <= list.size()) {
    const std::size_t comma = std::min(list.find(',', at), list.size());
    const auto range = range_of(list.substr(at, comma - at));
    if (!range) return std::nullopt;
    ranges.push_back(*range);
    at = comma + 1;
  }
  return ranges;
}

bool in_range(std::string_view digits, const Range& range) {
  const auto value = number(digits);
  if (!value || *value < range.first || *value > range.last) return false;
  // Leading zeros only as far as the range was written with them.
  return digits.size() == std::max(range.digits, std::to_string(*value).size());
}

/// Which places of the host name a pattern read so far can have come to. A set instead of a search
/// with ways back: no pattern makes it slow.
using Places = std::vector<bool>;

Places after_ranges(const Places& before, std::string_view host, const std::vector<Range>& ranges) {
  Places after(before.size(), false);
  for (std::size_t from = 0; from < before.size(); ++from) {
    if (!before[from]) continue;
    for (std::size_t to = from; to < host.size() && is_digit(host[to]); ++to)
      for (const Range& range : ranges)
        if (in_range(host.substr(from, to + 1 - from), range)) after[to + 1] = true;
  }
  return after;
}

Places after_letter(const Places& before, std::string_view host, char letter) {
  Places after(before.size(), false);
  for (std::size_t at = 0; at < host.size(); ++at)
    // Host names are told apart without regard to case [RFC 4343].
    if (before[at] && (letter == '?' || lower(letter) == lower(host[at]))) after[at + 1] = true;
  return after;
}

Places after_star(Places places) {
  const auto first = std::find(places.begin(), places.end(), true);
  std::fill(first, places.end(), true);
  return places;
}

bool matches_whole(std::string_view pattern, std::string_view host) {
  Places places(host.size() + 1, false);
  places[0] = true;
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    if (pattern[at] == '*') {
      places = after_star(std::move(places));
    } else if (pattern[at] == '[') {
      const std::size_t end = pattern.find(']', at);
      if (end == std::string_view::npos) return false;
      const auto ranges = ranges_of(pattern.substr(at + 1, end - at - 1));
      if (!ranges) return false;
      places = after_ranges(places, host, *ranges);
      at = end;
    } else {
      places = after_letter(places, host, pattern[at]);
    }
  }
  return places.back();
}

}  // namespace

Status check_host_pattern(std::string_view pattern) {
  const auto wrong = [&](std::string_view why) {
    return Error{Code::invalid,
                 fmt::format("'{}' is no pattern of host names: {}", printable(pattern, 64), why),
                 {},
                 {}};
  };
  if (pattern.empty()) return wrong("it is empty");
  if (pattern.size() > kMostBytes) return wrong("it is too long");
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    if (pattern[at] == ']') return wrong("']' without '['");
    if (pattern[at] != '[') continue;
    const std::size_t end = pattern.find(']', at);
    if (end == std::string_view::npos) return wrong("'[' without ']'");
    if (!ranges_of(pattern.substr(at + 1, end - at - 1)))
      return wrong("brackets hold numbers and ranges, the smaller number first: [001-064,070]");
    at = end;
  }
  return {};
}

bool matches_host(std::string_view pattern, std::string_view host) {
  if (host.size() > kMostHostBytes || pattern.size() > kMostBytes) return false;
  if (matches_whole(pattern, host)) return true;
  return pattern.find('.') == std::string_view::npos &&
         matches_whole(pattern, host.substr(0, host.find('.')));
}

}  // namespace linkburn
