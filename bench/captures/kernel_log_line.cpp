#include "bench/captures/kernel_log_line.h"

#include <algorithm>
#include <array>

#include "bench/base/component.h"
#include "bench/base/text.h"
#include "bench/captures/kernel_log_time.h"

namespace linkburn {
namespace {

constexpr std::int64_t kSecondUs = 1000000;
constexpr int kUserFacility = 1;
constexpr std::string_view kKernel = "kernel:";
constexpr std::size_t kShortestAddress = 12;  ///< with a domain: "0000:17:00.0"

bool is_digit(char c) { return c >= '0' && c <= '9'; }

void skip_blanks(std::string_view& text) {
  while (!text.empty() && (text[0] == ' ' || text[0] == '\t')) text.remove_prefix(1);
}

/// The word at the start of a text.
std::string_view word_at(std::string_view text) {
  return text.substr(0, std::min(text.find(' '), text.size()));
}

std::string_view take_word(std::string_view& text) {
  const std::string_view word = word_at(text);
  text.remove_prefix(word.size());
  skip_blanks(text);
  return word;
}

/// A small number, digits only; -1 for anything else.
int small_number(std::string_view text) {
  if (text.empty() || text.size() > 6) return -1;
  int value = 0;
  for (const char c : text) {
    if (!is_digit(c)) return -1;
    value = value * 10 + (c - '0');
  }
  return value;
}

/// "74785.660366" at the start of a text, in microseconds. What follows is left.
std::optional<std::int64_t> seconds_at(std::string_view& text) {
  std::size_t at = 0;
  std::int64_t us = 0;
  while (at < text.size() && at < 10 && is_digit(text[at])) us = us * 10 + (text[at++] - '0');
  if (at == 0 || at + 1 >= text.size() || text[at] != '.' || !is_digit(text[at + 1]))
    return std::nullopt;
  us *= kSecondUs;
  std::int64_t unit = kSecondUs / 10;
  for (++at; at < text.size() && is_digit(text[at]); ++at, unit /= 10)
    us += (text[at] - '0') * unit;
  text.remove_prefix(at);
  return us;
}

/// "<4>": facility and level in one number [linux Documentation/ABI/testing/dev-kmsg].
bool take_priority(std::string_view& text, LogLine& line) {
  const std::size_t end = text.substr(0, 6).find('>');
  if (text.empty() || text[0] != '<' || end == std::string_view::npos) return false;
  const int priority = small_number(text.substr(1, end - 1));
  if (priority < 0) return false;
  line.level = priority & 7;
  line.facility = priority >> 3;
  text.remove_prefix(end + 1);
  return true;
}

/// "kern  :err   : [   12.3]" of dmesg -x [util-linux sys-utils/dmesg.c, level_names,
/// facility_names].
bool take_words_of_dmesg(std::string_view& text, LogLine& line) {
  constexpr std::array<std::string_view, 12> kFacilities{"kern", "user",   "mail",     "daemon",
                                                         "auth", "syslog", "lpr",      "news",
                                                         "uucp", "cron",   "authpriv", "ftp"};
  constexpr std::array<std::string_view, 8> kLevels{"emerg", "alert",  "crit", "err",
                                                    "warn",  "notice", "info", "debug"};
  if (text.empty() || text[0] < 'a' || text[0] > 'z') return false;
  const std::size_t colon = text.substr(0, 10).find(':');
  if (colon == std::string_view::npos) return false;
  const std::size_t second = text.substr(0, colon + 9).find(':', colon + 1);
  if (second == std::string_view::npos) return false;
  const auto place = [](const auto& words, std::string_view word) {
    return static_cast<int>(std::find(words.begin(), words.end(), trim(word)) - words.begin());
  };
  const int facility = place(kFacilities, text.substr(0, colon));
  const int level = place(kLevels, text.substr(colon + 1, second - colon - 1));
  if (facility == static_cast<int>(kFacilities.size()) || level == static_cast<int>(kLevels.size()))
    return false;
  line.facility = facility;
  line.level = level;
  text.remove_prefix(second + 1);
  skip_blanks(text);
  return true;
}

/// "[ T123]", "[    C0]": which task or processor said it [linux kernel/printk/printk.c,
/// print_caller].
void take_caller(std::string_view& text) {
  std::string_view rest = text;
  skip_blanks(rest);
  const std::size_t end = rest.substr(0, 16).find(']');
  if (rest.empty() || rest[0] != '[' || end == std::string_view::npos) return;
  const std::string_view caller = trim(rest.substr(1, end - 1));
  if (caller.size() < 2 || (caller[0] != 'T' && caller[0] != 'C')) return;
  if (small_number(caller.substr(1)) >= 0) text = rest.substr(end + 1);
}

/// What dmesg -T prints has five words in any language: a day, a month, its day, a clock, a year.
std::optional<WallTime> time_in_bracket(std::string_view inside) {
  const auto time = wall_time_at(inside);
  if (time || words_of(inside).size() != 5) return time;
  return foreign_time_at(inside);
}

/// "[74785.660366]", also with the time since the line before, "[Tue Sep 19 16:18:02 2023]",
/// "[Sep19 16:18]", "[  +0.000020]".
bool take_bracket(std::string_view& text, LogLine& line) {
  if (text.empty() || text[0] != '[') return false;
  const std::size_t end = text.substr(0, 48).find(']');
  if (end == std::string_view::npos) return false;
  std::string_view inside = trim(text.substr(1, end - 1));
  if (inside.starts_with("+")) {
    inside.remove_prefix(1);
    line.after_us = seconds_at(inside);
    if (!line.after_us || !inside.empty()) return line.after_us.reset(), false;
  } else if (std::string_view rest = inside; const auto us = seconds_at(rest)) {
    if (!rest.empty() && rest[0] != ' ') return false;
    line.boot_us = us;
  } else if (const auto time = time_in_bracket(inside); time && time->length == inside.size()) {
    line.wall_us = time->us;
    line.wall_has_year = time->has_year;
    line.when = inside;
  } else {
    return false;
  }
  text.remove_prefix(end + 1);
  take_caller(text);
  skip_blanks(text);
  // Times of the ISO form in brackets are those of many programs.
  line.is_log = line.is_log || inside.find('T', 1) != 10;
  return true;
}

/// Some systems name the level where others name the host.
bool is_level_word(std::string_view word) {
  constexpr std::array<std::string_view, 9> kWords{"EMERG",   "ALERT",  "CRIT", "ERR",  "ERROR",
                                                   "WARNING", "NOTICE", "INFO", "DEBUG"};
  return std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

/// "[68183.615790] text" and "<4>[68183.615790] text", as they stand behind "kernel: ".
void take_kernel_head(std::string_view& text, LogLine& line) {
  (void)take_priority(text, line);
  (void)take_bracket(text, line);
}

/// "last message repeated 5 times"; rsyslog: "message repeated 5 times: [ [68183.615790] text]".
void take_repeats(std::string_view& text, LogLine& line) {
  constexpr std::string_view kLast = "last message repeated ", kRepeated = "message repeated ";
  const bool last = text.starts_with(kLast);
  if (!last && !text.starts_with(kRepeated)) return;
  std::string_view rest = text.substr(last ? kLast.size() : kRepeated.size());
  const int times = small_number(take_word(rest));
  if (times < 1 || !rest.starts_with("times")) return;
  line.repeats = times;
  const std::size_t open = rest.find(": [");
  text = {};
  if (open == std::string_view::npos) return;
  text = rest.substr(open + 3);
  if (text.ends_with("]")) text.remove_suffix(1);
  skip_blanks(text);
  take_kernel_head(text, line);
}

/// "host1 kernel: ", "host1 sshd[12]: ", "kernel: ", "host1 last message repeated 5 times", and of
/// RFC 5424 "host1 kernel - - - ". False: no log writes so.
bool take_origin(std::string_view& text, LogLine& line, bool rfc5424) {
  std::string_view rest = text;
  std::string_view word = take_word(rest), host;
  if (!word.ends_with(":")) {
    host = is_level_word(word) ? std::string_view() : word;
    if (rest.starts_with("last message repeated ")) {
      line.host = host;
      text = rest;
      take_repeats(text, line);
      return line.repeats > 0;
    }
    word = take_word(rest);
    // "host1 kern.warn kernel: ", with facility and level.
    if (!rfc5424 && !word.ends_with(":") && rest.starts_with(kKernel)) word = take_word(rest);
  }
  if (rfc5424) {
    for (int field = 0; field < 3 && !rest.empty(); ++field) (void)take_word(rest);
  } else if (!word.ends_with(":")) {
    return false;
  }
  // Lines of many programs begin with a time, a word and a colon; system logs name the process.
  const bool classic = rfc5424 || !line.wall_has_year;
  if (!classic && word != kKernel && !word.ends_with("]:")) return false;
  line.host = host;
  text = rest;
  if (word != kKernel && !(rfc5424 && word == "kernel")) {
    line.facility = std::max(line.facility, kUserFacility);
    return true;
  }
  take_kernel_head(text, line);
  take_repeats(text, line);
  return true;
}

/// A wall time, and who said it.
bool take_wall_time(std::string_view& text, LogLine& line, bool rfc5424) {
  constexpr std::size_t kLongestHead = 96;
  const bool kernels = text.substr(0, kLongestHead).find(" kernel: ") != std::string_view::npos;
  auto time = wall_time_at(text);
  if (!time && kernels) time = foreign_time_at(text);
  if (!time || time->length >= text.size() || text[time->length] != ' ') return false;
  LogLine taken = line;
  taken.wall_us = time->us;
  taken.wall_has_year = time->has_year;
  taken.when = text.substr(0, time->length);
  std::string_view rest = text.substr(time->length);
  skip_blanks(rest);
  // dmesg --time-format iso: a comma, and nobody's name [util-linux sys-utils/dmesg.c].
  const bool of_dmesg =
      taken.when.find('T') == 10 && taken.when.find(',') != std::string_view::npos;
  if (!of_dmesg && !take_origin(rest, taken, rfc5424)) return false;
  line = taken;
  text = rest;
  return true;
}

/// journalctl -o short-monotonic: "[  123.4] host1 kernel: text"; "kernel: " of others.
void take_origin_after_bracket(std::string_view& text, LogLine& line) {
  if (text.starts_with(kKernel)) {
    text.remove_prefix(kKernel.size());
    return skip_blanks(text);
  }
  const std::string_view host = word_at(text);
  if (host.empty() || host.ends_with(":") || host.size() == text.size()) return;
  std::string_view rest = text.substr(host.size() + 1);
  const std::string_view tag = word_at(rest);
  const bool program = tag.ends_with("]:") && tag.find('[') != std::string_view::npos;
  if (tag != kKernel && !program) return;
  line.host = host;
  if (program) line.facility = kUserFacility;
  rest.remove_prefix(tag.size());
  skip_blanks(rest);
  text = rest;
}

/// A record of /dev/kmsg: "4,1234,56789,-,caller=T12;text".
bool take_record(std::string_view& text, LogLine& line) {
  std::array<std::int64_t, 3> head{};
  std::string_view rest = text;
  for (std::int64_t& field : head) {
    const std::size_t comma = rest.substr(0, 20).find(',');
    const auto value = parse_int(rest.substr(0, comma));
    if (comma == std::string_view::npos || !value || *value < 0) return false;
    field = *value;
    rest.remove_prefix(comma + 1);
  }
  const std::size_t semicolon = rest.substr(0, 256).find(';');
  if (semicolon == std::string_view::npos || head[0] > 1023) return false;
  line.level = static_cast<int>(head[0] & 7);
  line.facility = static_cast<int>(head[0] >> 3);
  line.boot_us = head[2];
  line.is_log = line.is_record = true;
  text = rest.substr(semicolon + 1);
  return true;
}

/// Quotation marks around a line, with a comma behind in lists; "file.log:" and "123:" of grep.
void take_wrapping(std::string_view& text) {
  constexpr std::string_view kMarks = "\"'`";
  text = trim(text);
  if (text.size() > 2 && kMarks.find(text[0]) != std::string_view::npos) {
    const char mark = text[0];
    text.remove_prefix(1);
    if (text.ends_with(",")) text.remove_suffix(1);
    if (text.ends_with(mark)) text.remove_suffix(1);
  }
  const std::size_t colon = text.substr(0, 128).find(':');
  if (colon == std::string_view::npos || colon == 0) return;
  const std::string_view before = text.substr(0, colon);
  const bool numbered = small_number(before) >= 0 && colon + 1 < text.size() &&
                        (text[colon + 1] == '[' || text[colon + 1] == '<');
  const bool file = before[0] == '/' && before.find(' ') == std::string_view::npos;
  if (numbered || file) text.remove_prefix(colon + 1);
}

}  // namespace

LogLine split_log_line(std::string_view raw) {
  LogLine line;
  std::string_view text = raw;
  take_wrapping(text);
  if (!text.empty() && is_digit(text[0]) && take_record(text, line)) return line.text = text, line;
  const bool priority = take_priority(text, line);
  const bool rfc5424 = priority && text.starts_with("1 ");
  if (rfc5424) text.remove_prefix(2);
  line.is_log = priority || take_words_of_dmesg(text, line);
  if (take_bracket(text, line)) {
    take_origin_after_bracket(text, line);
    take_repeats(text, line);
  } else if (take_wall_time(text, line, rfc5424)) {
    line.is_log = true;
  } else if (text.starts_with("kernel: ")) {
    text.remove_prefix(kKernel.size());
    skip_blanks(text);
    take_kernel_head(text, line);
    line.is_log = true;
  }
  line.text = text;
  return line;
}

std::optional<std::string_view> host_of_log_line(std::string_view line) {
  const LogLine split = split_log_line(line);
  return split.is_log && !split.host.empty() ? std::optional(split.host) : std::nullopt;
}

bool is_driver_line(std::string_view text) {
  constexpr std::array<std::string_view, 4> kHeads{"NVRM: ", "nvidia-nvswitch", "nvme nvme",
                                                   "[Hardware Error]: "};
  const std::string_view marked = text.starts_with("{") ? text.substr(text.find('}') + 1) : text;
  const auto is_head = [&](std::string_view head) { return marked.starts_with(head); };
  if (std::any_of(kHeads.begin(), kHeads.end(), is_head)) return true;
  std::string_view rest = text;
  const std::string_view driver = take_word(rest);
  std::string_view device = take_word(rest);
  if (driver.empty() || driver.ends_with(":") || rest.empty()) return false;
  const bool named = device.ends_with(":") || word_at(rest).ends_with(":") || rest[0] == '(';
  while (device.ends_with(":")) device.remove_suffix(1);
  return named && device.size() >= kShortestAddress &&
         parse_pci_address(device.substr(0, device.find(":pcie"))).has_value();
}

}  // namespace linkburn
