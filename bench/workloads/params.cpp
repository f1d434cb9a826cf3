#include "bench/workloads/params.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "bench/base/text.h"

namespace linkburn {
namespace {

std::string source_of(const LaneSpec& lane) { return fmt::format("step {}", lane.step); }

}  // namespace

Result<std::int64_t> int_param(const LaneSpec& lane, std::string_view name, std::int64_t otherwise,
                               IntRange range) {
  const auto found = lane.params.find(std::string(name));
  if (found == lane.params.end()) return otherwise;
  const auto value = parse_int(found->second);
  if (value && *value >= range.min && *value <= range.max) return *value;
  return Error{Code::invalid, fmt::format("{} is \"{}\"", name, printable(found->second, 64)),
               source_of(lane),
               fmt::format("give a whole number from {} to {}", range.min, range.max)};
}

Status only_params(const LaneSpec& lane, std::initializer_list<std::string_view> known) {
  for (const auto& [name, value] : lane.params)
    if (std::find(known.begin(), known.end(), name) == known.end())
      return Error{Code::invalid, fmt::format("no param \"{}\"", printable(name, 64)),
                   source_of(lane), fmt::format("it takes {}", fmt::join(known, ", "))};
  return {};
}

}  // namespace linkburn
