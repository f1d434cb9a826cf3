// Reads the params of a LaneSpec, strictly: an unknown key or a number out of range is an Error.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "bench/workloads/workload.h"

namespace linkburn {

struct IntRange {
  std::int64_t min = 0, max = 0;
};

/// `otherwise` when the lane does not give the param.
Result<std::int64_t> int_param(const LaneSpec& lane, std::string_view name, std::int64_t otherwise,
                               IntRange range);

/// An Error that names the first param that is not in `known`.
Status only_params(const LaneSpec& lane, std::initializer_list<std::string_view> known);

}  // namespace linkburn
