#include "bench/captures/kernel_log_time.h"

#include <array>

namespace linkburn {
namespace {

constexpr std::int64_t kSecondUs = 1000000;

/// Takes a text apart from its start; nothing is taken of what does not fit.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  /// A number of `least` to `most` digits.
  std::optional<int> number(std::size_t least, std::size_t most) {
    std::size_t digits = 0;
    int value = 0;
    while (digits < most && digits < left().size() && left()[digits] >= '0' &&
           left()[digits] <= '9')
      value = value * 10 + (left()[digits++] - '0');
    if (digits < least) return std::nullopt;
    at_ += digits;
    return value;
  }

  bool one_of(std::string_view characters) {
    if (left().empty() || characters.find(left()[0]) == std::string_view::npos) return false;
    ++at_;
    return true;
  }

  void blanks() {
    while (one_of(" ")) {
    }
  }

  /// Which of these words of three letters stands here.
  template <std::size_t N>
  std::optional<int> word(const std::array<std::string_view, N>& words) {
    const std::string_view here = left();
    if (here.size() < 3) return std::nullopt;
    for (std::size_t i = 0; i < N; ++i) {
      const std::string_view word = words[i];
      if (here[0] == word[0] && here[1] == word[1] && here[2] == word[2])
        return at_ += 3, static_cast<int>(i);
    }
    return std::nullopt;
  }

  /// Anything that is neither blank nor a number, as names of months and days in any language are.
  bool name() {
    constexpr std::size_t kMost = 16;
    const std::string_view word = left().substr(0, left().find_first_of(" 0123456789[]:<>="));
    if (word.empty() || word.size() > kMost) return false;
    at_ += word.size();
    return true;
  }

  std::string_view left() const { return text_.substr(at_); }
  std::size_t at() const { return at_; }
  void go_to(std::size_t at) { at_ = at; }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

constexpr std::array<std::string_view, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                   "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
constexpr std::array<std::string_view, 7> kDays{"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};

/// Days since 1970 of the Gregorian calendar, counted in years that begin in March.
std::int64_t days_since_1970(int year, int month, int day) {
  const std::int64_t y = month > 2 ? year : year - 1;
  const std::int64_t of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
  return 365 * y + y / 4 - y / 100 + y / 400 + of_year - 719468;
}

/// "16:18:02", "16:18:02.123456", "16:18:02,123456"; without seconds where `short_form` may be.
std::optional<std::int64_t> clock_us(Cursor& cursor, bool short_form = false) {
  const auto hour = cursor.number(2, 2);
  if (!hour || !cursor.one_of(":")) return std::nullopt;
  const auto minute = cursor.number(2, 2);
  if (!minute || *hour > 23 || *minute > 59) return std::nullopt;
  std::int64_t us = (*hour * 60LL + *minute) * 60 * kSecondUs;
  if (!cursor.one_of(":")) return short_form ? std::optional(us) : std::nullopt;
  const auto second = cursor.number(2, 2);
  if (!second || *second > 60) return std::nullopt;
  us += *second * kSecondUs;
  const std::size_t before = cursor.at();
  if (!cursor.one_of(".,")) return us;
  std::int64_t unit = kSecondUs / 10;
  std::optional<int> digit = cursor.number(1, 1);
  if (!digit) cursor.go_to(before);
  for (; digit; digit = cursor.number(1, 1), unit /= 10) us += *digit * unit;
  return us;
}

/// "Z", "+02:00", "+0200"; nothing when there is none.
std::int64_t offset_us(Cursor& cursor) {
  if (cursor.one_of("Z")) return 0;
  const std::size_t before = cursor.at();
  const bool west = cursor.left().starts_with("-");
  if (!cursor.one_of("+-")) return 0;
  const auto hours = cursor.number(2, 2);
  (void)cursor.one_of(":");
  const auto minutes = cursor.number(2, 2);
  if (!hours || !minutes) return cursor.go_to(before), 0;
  return (*hours * 60LL + *minutes) * 60 * kSecondUs * (west ? -1 : 1);
}

/// `between`: what stands between day and clock.
std::optional<WallTime> iso_time(Cursor& cursor, std::string_view between) {
  const auto year = cursor.number(4, 4);
  if (!year || !cursor.one_of("-")) return std::nullopt;
  const auto month = cursor.number(2, 2);
  if (!month || !cursor.one_of("-")) return std::nullopt;
  const auto day = cursor.number(2, 2);
  if (!day || *month < 1 || *month > 12 || *day > 31 || !cursor.one_of(between))
    return std::nullopt;
  const auto clock = clock_us(cursor);
  if (!clock) return std::nullopt;
  const std::int64_t us = days_since_1970(*year, *month, *day) * 86400 * kSecondUs + *clock;
  return WallTime{us - offset_us(cursor), true, cursor.at()};
}

std::optional<WallTime> unix_time(Cursor& cursor) {
  const auto high = cursor.number(5, 5), low = cursor.number(5, 5);
  if (!high || !low || !cursor.one_of(".")) return std::nullopt;
  const auto fraction = cursor.number(6, 6);
  if (!fraction) return std::nullopt;
  return WallTime{(*high * 100000LL + *low) * kSecondUs + *fraction, true, cursor.at()};
}

/// "16:18", as dmesg -H prints it in "[Sep19 16:18]".
constexpr std::size_t kShortClock = 5;

/// Month, day, clock; behind that a year where there is one. A leap year has all the days.
std::optional<WallTime> calendar_time(Cursor& cursor) {
  constexpr int kSomeLeapYear = 2024;
  const auto month = cursor.word(kMonths);
  if (!month) return std::nullopt;
  cursor.blanks();
  const auto day = cursor.number(1, 2);
  if (!day || *day < 1 || *day > 31 || !cursor.one_of(" ")) return std::nullopt;
  const auto clock = clock_us(cursor, cursor.left().size() == kShortClock);
  if (!clock) return std::nullopt;
  const std::size_t end = cursor.at();
  std::optional<int> year;
  if (cursor.one_of(" ")) year = cursor.number(4, 4);
  const bool ends = cursor.left().empty() || cursor.left()[0] == ']' || cursor.left()[0] == ' ';
  if (!year || !ends || *year < 1970 || *year > 2200) {
    cursor.go_to(end);
    year.reset();
  }
  const std::int64_t days = days_since_1970(year.value_or(kSomeLeapYear), *month + 1, *day);
  return WallTime{days * 86400 * kSecondUs + *clock, year.has_value(), cursor.at()};
}

}  // namespace

std::optional<WallTime> foreign_time_at(std::string_view text) {
  constexpr int kSomeYear = 2024, kSomeMonth = 1;
  Cursor cursor(text);
  if (!text.empty() && text[0] >= '0' && text[0] <= '9') return iso_time(cursor, " ");
  for (int names = 0; names < 2 && cursor.name(); ++names) cursor.blanks();
  const auto day = cursor.at() > 0 ? cursor.number(1, 2) : std::nullopt;
  if (!day || *day < 1 || *day > 31 || !cursor.one_of(" ")) return std::nullopt;
  const auto clock = clock_us(cursor);
  if (!clock) return std::nullopt;
  const std::size_t end = cursor.at();
  if (!cursor.one_of(" ") || !cursor.number(4, 4)) cursor.go_to(end);
  const std::int64_t days = days_since_1970(kSomeYear, kSomeMonth, *day);
  return WallTime{days * 86400 * kSecondUs + *clock, false, cursor.at()};
}

std::optional<WallTime> wall_time_at(std::string_view text) {
  Cursor cursor(text);
  if (text.empty()) return std::nullopt;
  if (text[0] >= '0' && text[0] <= '9')
    return text.find('-') == 4 ? iso_time(cursor, "T") : unix_time(cursor);
  const bool has_day = cursor.word(kDays).has_value() && cursor.one_of(" ");
  if (!has_day) cursor.go_to(0);
  const bool iso = has_day && !cursor.left().empty() && cursor.left()[0] <= '9';
  if (!iso) return calendar_time(cursor);
  auto time = iso_time(cursor, " ");
  if (!time || !cursor.one_of(" ")) return time;
  // The name of the time zone: "CEST", "UTC", "+0530".
  while (cursor.one_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ+-0123456789")) {
  }
  time->length = cursor.at();
  return time;
}

}  // namespace linkburn
