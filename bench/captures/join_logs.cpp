#include "bench/captures/join_logs.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "bench/captures/kernel_log_time.h"

namespace linkburn {
namespace {

/// System logs stamp a line when they get it, in whole seconds.
constexpr std::int64_t kSameLineUs = 2'000'000;

/// A boot begins some time before its first line is stamped.
constexpr std::int64_t kStampedLateUs = 60'000'000;

/// More are pieces of something that is no log, and taken as they are.
constexpr std::size_t kMostLogs = 128;

enum ClockKind : std::size_t { kBoot, kWall, kWallOfSomeYear, kNoClock, kClocks };

ClockKind clock_of(const KernelLine& line, const CapturedLog& log) {
  if (line.kernel_us == 0) return kNoClock;
  if (line.when.empty()) return kBoot;
  return log.has_year ? kWall : kWallOfSomeYear;
}

/// The same words about the same thing.
std::string key_of(const KernelLine& line) {
  return fmt::format("{}\n{}\n{}", line.topic, line.component ? line.component->text() : "",
                     line.text);
}

/// A line on the clock of its log: for wall clocks the time since 1970 or the begin of some year.
struct Timed {
  KernelLine line;
  std::string key;
  ClockKind clock = kNoClock;
  std::int64_t us = 0;
  std::size_t log = 0;
};

bool is_of_earlier_boot(const CapturedLog& log, const std::vector<CapturedLog>& logs) {
  if (!log.last_wall_us) return false;
  return std::any_of(logs.begin(), logs.end(), [&](const CapturedLog& other) {
    if (!other.booted_at_us || other.has_year != log.has_year) return false;
    std::int64_t before = *other.booted_at_us - *log.last_wall_us;
    if (!log.has_year && before < -kYearUs / 2) before += kYearUs;
    return before > kStampedLateUs && (log.has_year || before < kYearUs / 2);
  });
}

KernelLine aside(const CapturedLog& log) {
  const auto lines = std::count_if(log.records.begin(), log.records.end(), [](const Body& body) {
    return std::holds_alternative<KernelLine>(body);
  });
  KernelLine line;
  line.topic = "earlier_boot";
  line.text = fmt::format("{} line{} about links", lines, lines == 1 ? "" : "s");
  line.phase = Phase::passive;
  return line;
}

class LogJoin {
 public:
  explicit LogJoin(NodeDraft& node) : node_(node) {}

  void take(CapturedLog&& log) {
    for (Body& body : log.records) {
      auto* line = std::get_if<KernelLine>(&body);
      if (line == nullptr) {
        add_other(std::move(body));
        continue;
      }
      Timed timed{std::move(*line), {}, kNoClock, 0, logs_};
      timed.key = key_of(timed.line);
      timed.clock = clock_of(timed.line, log);
      timed.us = timed.line.kernel_us;
      if (timed.clock == kWall || timed.clock == kWallOfSomeYear)
        timed.us += log.first_wall_us.value_or(kYearUs) - kYearUs;
      lines_.push_back(std::move(timed));
    }
    if (log.booted_at_us && log.has_both_clocks)
      known_[log.has_year ? kWall : kWallOfSomeYear] = -*log.booted_at_us;
    ++logs_;
  }

  void finish() {
    to_one_year();
    for (const ClockKind clock : {kWall, kWallOfSomeYear}) to_one_clock(clock);
    std::stable_sort(lines_.begin(), lines_.end(), [](const Timed& a, const Timed& b) {
      return std::pair(a.log, a.us) < std::pair(b.log, b.us);
    });
    for (std::size_t begin = 0; begin < lines_.size();) {
      std::size_t end = begin;
      while (end < lines_.size() && lines_[end].log == lines_[begin].log) ++end;
      keep_new(begin, end);
      begin = end;
    }
  }

 private:
  /// How many lines of each kind there were, which each log counts for itself.
  void add_other(Body&& body) {
    const auto* counter = std::get_if<Counter>(&body);
    if (counter != nullptr && !counted_
                                   .insert(fmt::format("{}\n{}\n{}", counter->component.text(),
                                                       counter->name, counter->value.value_or(-1)))
                                   .second)
      return;
    node_.add(node_.records, std::move(body));
  }

  /// A clock without years begins anew in January.
  void to_one_year() {
    std::optional<std::int64_t> last;
    for (const Timed& timed : lines_)
      if (timed.clock == kWallOfSomeYear) last = std::max(last.value_or(timed.us), timed.us);
    const bool wraps = last && std::any_of(lines_.begin(), lines_.end(), [&](const Timed& timed) {
                         return timed.clock == kWallOfSomeYear && timed.us < *last - kYearUs / 2;
                       });
    if (!wraps) return;
    for (Timed& timed : lines_)
      if (timed.clock == kWallOfSomeYear && timed.us < *last - kYearUs / 2) timed.us += kYearUs;
  }

  /// What to add to times of a wall clock to have them since boot: as a log with both says, else as
  /// the lines say that are told by both clocks.
  std::optional<std::int64_t> to_boot(ClockKind clock) const {
    if (known_[clock]) return known_[clock];
    std::map<std::string_view, std::int64_t> since_boot;
    for (const Timed& timed : lines_)
      if (timed.clock == kBoot) since_boot[timed.key] = timed.us;
    std::map<std::string_view, std::int64_t> wall;
    for (const Timed& timed : lines_)
      if (timed.clock == clock) wall[timed.key] = timed.us;
    std::vector<std::int64_t> between;
    for (const auto& [key, us] : wall)
      if (const auto same = since_boot.find(key); same != since_boot.end())
        between.push_back(same->second - us);
    if (between.empty()) return std::nullopt;
    std::sort(between.begin(), between.end());
    return between[between.size() / 2];
  }

  void to_one_clock(ClockKind clock) {
    const auto shift = to_boot(clock);
    std::optional<std::int64_t> first;
    for (const Timed& timed : lines_)
      if (timed.clock == clock) first = std::min(first.value_or(timed.us), timed.us);
    for (Timed& timed : lines_) {
      if (timed.clock != clock) continue;
      if (shift && timed.us + *shift > 0) {
        timed.us += *shift;
        timed.clock = kBoot;
        timed.line.when.clear();
        timed.line.kernel_us = timed.us;
      } else {
        timed.line.kernel_us = timed.us - *first + kYearUs;
      }
    }
  }

  using Open = std::array<std::multiset<std::int64_t>, kClocks>;

  /// Lines of one log that no log before told. Each of those stands for one line of this.
  void keep_new(std::size_t begin, std::size_t end) {
    std::map<std::string_view, Open> open;
    std::vector<const Timed*> fresh;
    for (std::size_t at = begin; at < end; ++at) {
      const auto [told, is_first] = open.try_emplace(lines_[at].key);
      if (is_first)
        for (const Timed* kept : kept_[told->first]) told->second[kept->clock].insert(kept->us);
      if (!strike(told->second, lines_[at])) fresh.push_back(&lines_[at]);
    }
    for (const Timed* timed : fresh) {
      kept_[timed->key].push_back(timed);
      node_.add(node_.records, Body(timed->line));
    }
  }

  static bool strike(Open& open, const Timed& timed) {
    auto& same = open[timed.clock];
    const auto near = same.lower_bound(timed.us - kSameLineUs);
    if (near != same.end() && *near <= timed.us + kSameLineUs) {
      same.erase(near);
      return true;
    }
    // Without times the words are all there is to compare.
    for (std::size_t clock = 0; clock < kClocks; ++clock) {
      const bool comparable = timed.clock != kNoClock && clock != kNoClock;
      if (comparable || open[clock].empty()) continue;
      open[clock].erase(open[clock].begin());
      return true;
    }
    return false;
  }

  NodeDraft& node_;
  std::vector<Timed> lines_;
  std::map<std::string_view, std::vector<const Timed*>> kept_;  ///< by key
  std::set<std::string> counted_;
  std::array<std::optional<std::int64_t>, kClocks> known_;
  std::size_t logs_ = 0;
};

}  // namespace

void join_logs(NodeDraft& node) {
  std::vector<CapturedLog> logs = std::exchange(node.logs, {});
  std::erase_if(logs,
                [](const CapturedLog& log) { return log.records.empty() && !log.booted_at_us; });
  if (logs.size() < 2 || logs.size() > kMostLogs) {
    for (CapturedLog& log : logs)
      for (Body& body : log.records) node.add(node.records, std::move(body));
    return;
  }
  std::vector<bool> earlier;
  for (const CapturedLog& log : logs) earlier.push_back(is_of_earlier_boot(log, logs));
  LogJoin join(node);
  for (std::size_t at = 0; at < logs.size(); ++at) {
    if (!earlier[at])
      join.take(std::move(logs[at]));
    else if (!logs[at].records.empty())
      node.add(node.records, Body(aside(logs[at])));
  }
  join.finish();
}

}  // namespace linkburn
