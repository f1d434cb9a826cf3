// Wall times as logs print them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace linkburn {

struct WallTime {
  std::int64_t us = 0;     ///< since 1970, in the time zone of the log
  bool has_year = true;    ///< false: `us` counts from the begin of some year
  std::size_t length = 0;  ///< of its text
};

/// The wall time at the start of `text`:
///   "Sep 19 16:18:02.123456"             system logs; journalctl -o short, short-precise
///   "Tue Sep 19 16:18:02 2023"           dmesg -T
///   "Sep19 16:18"                        dmesg -e, -H
///   "2023-09-19T16:18:02.123456+02:00"   dmesg --time-format iso, journalctl -o short-iso, RFC
///   5424 "Tue 2023-09-19 16:18:02 CEST"       journalctl -o short-full "1695140282.123456"
///   journalctl -o short-unix
std::optional<WallTime> wall_time_at(std::string_view text);

/// The same in forms that only lines which are surely of a log may have: "2023-09-19 16:18:02", and
/// names of months and days in another language: "janv. 29 20:50:17", "Ter Set 19 06:01:41 2017".
/// Which month that is stays unknown: all are taken for one.
std::optional<WallTime> foreign_time_at(std::string_view text);

/// Where clocks without a year begin anew: what lies further back than half a year is of the next.
inline constexpr std::int64_t kYearUs = 366LL * 86400 * 1000000;

}  // namespace linkburn
