// Wall time of a moment in a run, from the evidence alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace linkburn {

/// "2026-11-30T21:09:52Z", with or without milliseconds, to nanoseconds since 1970-01-01 UTC.
/// Nothing for any other text.
std::optional<std::int64_t> parse_iso_time(std::string_view text);

/// The wall time `at_ns` after `started`; empty when `started` is no such text.
std::string wall_time(std::string_view started, std::int64_t at_ns);

}  // namespace linkburn
