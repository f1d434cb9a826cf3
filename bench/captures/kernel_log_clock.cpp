#include "bench/captures/kernel_log_clock.h"

#include <algorithm>

#include "bench/captures/kernel_log_time.h"

namespace linkburn {
namespace {

/// Processors may write their lines a little out of order.
constexpr std::int64_t kOutOfOrderUs = 1000000;

/// Without wall times, a time this much further back is that of a boot that has just begun.
constexpr std::int64_t kYoungBootUs = 60000000;

}  // namespace

LogClock::Moment LogClock::of(const LogLine& line) {
  const auto wall_us = line.wall_us ? std::optional(wall_of(line)) : std::nullopt;
  Moment moment;
  if (line.boot_us) {
    moment = {*line.boot_us, true, is_new_boot(*line.boot_us, wall_us)};
    boot_us_ = line.boot_us;
    if (wall_us) boot_at_wall_zero_us_ = *line.boot_us - *wall_us;
  } else if (line.after_us) {
    moment = {last_.us > 0 ? last_.us + *line.after_us : 0, last_.since_boot, false};
  } else if (wall_us && boot_at_wall_zero_us_) {
    moment = {*wall_us + *boot_at_wall_zero_us_, true, false};
  } else if (wall_us) {
    if (!first_wall_us_) first_wall_us_ = wall_us;
    // Logs that are printed backwards, or put together by hand, have earlier lines too.
    moment = {*wall_us - *first_wall_us_ + kYearUs, false, false};
  }
  if (moment.us < 0) moment.us = 0;
  if (wall_us) note_wall(*wall_us, line.wall_has_year);
  if (moment.us > 0) last_ = moment;
  return moment;
}

void LogClock::note_wall(std::int64_t wall_us, bool has_year) {
  wall_us_ = wall_us;
  wall_has_year_ = has_year;
  latest_wall_us_ = std::max(latest_wall_us_.value_or(wall_us), wall_us);
  // A clock that was set after boot says nothing of when that was.
  if (boot_line_wall_us_ && wall_us < *boot_line_wall_us_) boot_line_wall_us_.reset();
}

void LogClock::begin_boot() { boot_line_wall_us_ = wall_us_; }

void LogClock::describe(CapturedLog& log) const {
  log.has_year = wall_has_year_;
  log.has_both_clocks = boot_at_wall_zero_us_.has_value();
  log.first_wall_us = first_wall_us_;
  log.last_wall_us = latest_wall_us_;
  log.booted_at_us =
      boot_at_wall_zero_us_ ? std::optional(-*boot_at_wall_zero_us_) : boot_line_wall_us_;
}

std::int64_t LogClock::wall_of(const LogLine& line) {
  std::int64_t us = *line.wall_us + years_us_;
  if (!line.wall_has_year && wall_us_ && us < *wall_us_ - kYearUs / 2) {
    years_us_ += kYearUs;
    us += kYearUs;
  }
  return us;
}

bool LogClock::is_new_boot(std::int64_t boot_us, std::optional<std::int64_t> wall_us) const {
  if (!boot_us_ || boot_us + kOutOfOrderUs >= *boot_us_) return false;
  if (wall_us && wall_us_ && *wall_us >= *wall_us_) return true;
  return boot_us<kYoungBootUs&& * boot_us_ - boot_us> kYoungBootUs;
}

}  // namespace linkburn
