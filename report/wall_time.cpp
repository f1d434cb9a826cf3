#include "report/wall_time.h"

#include <chrono>

#include "bench/base/clock.h"

namespace linkburn {
namespace {

/// Takes digits and fixed characters from the front of a text.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : rest_(text) {}

  int number(std::size_t digits) {
    int value = 0;
    for (std::size_t i = 0; i < digits; ++i) {
      const char c = i < rest_.size() ? rest_[i] : 'x';
      if (c < '0' || c > '9') ok_ = false;
      value = value * 10 + (c - '0');
    }
    rest_.remove_prefix(std::min(digits, rest_.size()));
    return value;
  }
  bool take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char c) { ok_ = take(c) && ok_; }
  bool done() const { return ok_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace

std::optional<std::int64_t> parse_iso_time(std::string_view text) {
  Cursor cursor(text);
  const int year = cursor.number(4);
  cursor.expect('-');
  const int month = cursor.number(2);
  cursor.expect('-');
  const int day = cursor.number(2);
  cursor.expect('T');
  const int hour = cursor.number(2);
  cursor.expect(':');
  const int minute = cursor.number(2);
  cursor.expect(':');
  const int second = cursor.number(2);
  const int ms = cursor.take('.') ? cursor.number(3) : 0;
  cursor.expect('Z');
  // Nanoseconds since 1970 in 64 bits end in the year 2262.
  if (!cursor.done() || year < 1970 || year > 2261 || hour > 23 || minute > 59 || second > 60)
    return std::nullopt;
  namespace chrono = std::chrono;
  const chrono::year_month_day date{std::chrono::year(year),
                                    std::chrono::month(static_cast<unsigned>(month)),
                                    std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  const chrono::nanoseconds since = chrono::sys_days(date).time_since_epoch() +
                                    chrono::hours(hour) + chrono::minutes(minute) +
                                    chrono::seconds(second) + chrono::milliseconds(ms);
  return since.count();
}

std::string wall_time(std::string_view started, std::int64_t at_ns) {
  const std::optional<std::int64_t> start_ns = parse_iso_time(started);
  std::int64_t wall_ns = 0;
  if (!start_ns || at_ns < 0 || __builtin_add_overflow(*start_ns, at_ns, &wall_ns)) return {};
  return iso_time(wall_ns);
}

}  // namespace linkburn
