// One line of a log as people have it: what the kernel said, and what dmesg, journald and system
// logs put before.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace linkburn {

/// Views into the line.
struct LogLine {
  std::string_view text;  ///< what was said
  int level = 6;
  int facility = 0;        ///< 0: the kernel; a program's line is no evidence
  bool is_log = false;     ///< it has a time, a level or a name before, as only logs have
  bool is_record = false;  ///< of /dev/kmsg: lines that belong to it follow
  std::optional<std::int64_t> boot_us;   ///< since boot
  std::optional<std::int64_t> after_us;  ///< since the line before
  std::optional<std::int64_t> wall_us;   ///< wall time, since 1970 or the begin of some year
  bool wall_has_year = true;
  std::string_view when;  ///< the wall time as printed
  std::string_view host;  ///< empty: not told
  int repeats = 0;        ///< the line stands for so many; its text is theirs, or empty: as before
};

LogLine split_log_line(std::string_view raw);

/// The host that a line of a system log or journal names before its text: "Sep 19 16:18:02 node07
/// kernel: ...". Nothing for lines that name none, and for all others.
std::optional<std::string_view> host_of_log_line(std::string_view line);

/// "pcieport 0000:00:1c.5: ...", "NVRM: ...": as drivers begin their lines, whatever they say.
bool is_driver_line(std::string_view text);

}  // namespace linkburn
