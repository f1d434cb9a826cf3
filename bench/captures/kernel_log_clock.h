// Times of a log's lines on one clock, and where a new boot begins.
#pragma once

#include <cstdint>
#include <optional>

#include "bench/captures/draft.h"
#include "bench/captures/kernel_log_line.h"

namespace linkburn {

class LogClock {
 public:
  struct Moment {
    std::int64_t us = 0;      ///< 0: the line has no time
    bool since_boot = false;  ///< else since some time before the log: only differences count
    bool new_boot = false;    ///< the time since boot began anew
  };
  Moment of(const LogLine& line);

  /// A boot begins with the line that was given last.
  void begin_boot();

  /// Tells the clock of what was read.
  void describe(CapturedLog& log) const;

 private:
  std::int64_t wall_of(const LogLine& line);
  void note_wall(std::int64_t wall_us, bool has_year);
  bool is_new_boot(std::int64_t boot_us, std::optional<std::int64_t> wall_us) const;

  std::optional<std::int64_t> boot_us_, wall_us_, first_wall_us_;
  std::optional<std::int64_t> boot_at_wall_zero_us_;  ///< from lines with both times
  std::int64_t years_us_ = 0;                         ///< that passed in a log without years
  std::optional<std::int64_t> latest_wall_us_;
  std::optional<std::int64_t> boot_line_wall_us_;  ///< of the line that a boot begins with
  bool wall_has_year_ = true;
  Moment last_;
};

}  // namespace linkburn
