// Kernel logs: dmesg with and without times, journalctl, system logs, records of /dev/kmsg.
#include <algorithm>
#include <utility>

#include "bench/base/text.h"
#include "bench/captures/kernel_log_clock.h"
#include "bench/captures/kernel_log_line.h"
#include "bench/captures/kernel_log_wiring.h"
#include "bench/captures/table.h"
#include "bench/sensors/kernel_lines.h"
#include "bench/sensors/kernel_topics.h"

namespace linkburn {
namespace {

constexpr std::size_t kMaxTextBytes = 512;   ///< as of lines that are read on a node
constexpr std::int64_t kQuietUs = 60000000;  ///< without a word of links: worth to be known
constexpr int kMaxRepeats = 1000;            ///< of one line: more say no more

/// "-- Boot 3f2a... --", "-- Reboot --", "-- Journal begins at ... --" [systemd
/// src/shared/logs-show.c, src/journal/journalctl.c].
bool is_of_journalctl(std::string_view line) {
  return line.starts_with("-- Boot ") || line.starts_with("-- Reboot --") ||
         line.starts_with("-- Logs begin at ") || line.starts_with("-- Journal begins at ");
}

/// Lines that stand behind a record: " SUBSYSTEM=pci", " DEVICE=+pci:0000:5e:00.0".
bool is_of_record(std::string_view line) {
  const std::size_t equals = line.find('=');
  return line.starts_with(" ") && equals != std::string_view::npos && equals > 1 &&
         line.substr(1, equals - 1).find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_") ==
             std::string_view::npos;
}

class KernelLogReader : public PartReader {
 public:
  Take take(std::string_view line) override {
    if (after_record_ && is_of_record(line)) {
      if (waiting_ && line.starts_with(" DEVICE="))
        waiting_->device = printable(trim(line.substr(8)), 256);
      return Take::understood;
    }
    flush();
    if (is_of_journalctl(line)) {
      if (line.starts_with("-- Boot ") || line.starts_with("-- Reboot")) begin_boot();
      return Take::understood;
    }
    const LogLine split = split_log_line(line);
    after_record_ = split.is_record;
    if (!split.is_log && !is_driver_line(split.text)) return Take::elsewhere;
    take_log_line(split);
    return Take::understood;
  }

  void finish(NodeDraft& node) override {
    flush();
    for (Body& body : lines_.left_out(Phase::passive)) records_.push_back(std::move(body));
    if (kept_lines_ > 0 && end_us_ - kept_us_ > kQuietUs) records_.emplace_back(end_of_log());
    if (earlier_lines_ > 0) records_.emplace_back(earlier_boots());
    CapturedLog log;
    clock_.describe(log);
    log.records = std::move(records_);
    node.add(node.logs, std::move(log));
    wiring_.finish(node);
  }

 private:
  void take_log_line(const LogLine& split) {
    const LogClock::Moment moment = clock_.of(split);
    if (split.facility != 0) return;
    if (split.repeats > 0) return repeat(split, moment);
    if (moment.new_boot || split.text.starts_with("Linux version ")) begin_boot();
    latest_us_ = moment.us;
    if (moment.us > end_us_) note_end(split, moment);
    const std::string_view sign = sign_in(split.text);
    has_latest_ = !sign.empty();
    if (sign.empty()) return;
    fill(latest_, split, moment);
    if (split.is_record)
      waiting_ = latest_;
    else
      keep(latest_, sign);
  }

  static void fill(KmsgRecord& record, const LogLine& split, const LogClock::Moment& moment) {
    record.level = split.level;
    record.time_us = moment.us;
    record.device.clear();
    const std::string_view text = split.text.substr(0, kMaxTextBytes);
    const bool plain =
        std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
    if (plain)
      record.text.assign(text);
    else
      record.text = printable(text, kMaxTextBytes);
    record.when = moment.since_boot ? std::string() : printable(split.when, 64);
  }

  void keep(const KmsgRecord& record, std::string_view sign) {
    wiring_.take(sign, record);
    if (auto kept = lines_.take(record, Phase::passive)) {
      records_.emplace_back(std::move(*kept));
      ++kept_lines_;
      kept_us_ = std::max(kept_us_, record.time_us);
    }
  }

  /// They came at some time since the line before, which may be long ago: evenly spread, they are
  /// no denser than they were.
  void repeat(const LogLine& split, const LogClock::Moment& moment) {
    if (!split.text.empty()) {
      fill(latest_, split, moment);
      has_latest_ = true;
    }
    if (!has_latest_) return;
    KmsgRecord record = latest_;
    const std::string_view sign = sign_in(record.text);
    const int times = std::min(split.repeats, kMaxRepeats);
    const std::int64_t from_us = latest_us_ > 0 ? latest_us_ : moment.us;
    for (int i = 1; i <= times; ++i) {
      record.time_us = from_us + (moment.us - from_us) * i / times;
      keep(record, sign);
    }
    latest_us_ = moment.us;
  }

  void flush() {
    if (waiting_) keep(*waiting_, sign_in(waiting_->text));
    waiting_.reset();
  }

  /// What was read so far is of a boot that is over.
  void begin_boot() {
    clock_.begin_boot();
    earlier_lines_ += std::exchange(kept_lines_, 0);
    records_.clear();
    lines_ = {};
    wiring_ = {};
    has_latest_ = false;
    kept_us_ = end_us_ = 0;
  }

  void note_end(const LogLine& split, const LogClock::Moment& moment) {
    end_us_ = moment.us;
    end_when_.assign(moment.since_boot ? std::string_view() : split.when.substr(0, 64));
  }

  /// How long the log went on, and said nothing more.
  Body end_of_log() const {
    KernelLine line;
    line.topic = "log_end";
    line.text = "the latest line";
    line.kernel_us = end_us_;
    line.when = printable(end_when_, 64);
    line.phase = Phase::passive;
    return line;
  }

  Body earlier_boots() const {
    KernelLine line;
    line.topic = "earlier_boot";
    line.text = std::to_string(earlier_lines_) +
                (earlier_lines_ == 1 ? " line about links" : " lines about links");
    line.phase = Phase::passive;
    return line;
  }

  LogClock clock_;
  KernelLines lines_;
  LogWiring wiring_;
  std::vector<Body> records_;
  std::optional<KmsgRecord> waiting_;  ///< lines that belong to it may follow
  bool after_record_ = false;          ///< they may follow one that says nothing of links, too
  KmsgRecord latest_;
  bool has_latest_ = false;  ///< the latest line said something
  std::int64_t latest_us_ = 0, kept_us_ = 0, end_us_ = 0;
  std::string end_when_;
  std::int64_t kept_lines_ = 0, earlier_lines_ = 0;
};

bool begins(std::string_view line, std::string_view) {
  const LogLine split = split_log_line(line);
  return split.is_log || (is_driver_line(split.text) && !sign_in(split.text).empty()) ||
         is_of_journalctl(line);
}

std::unique_ptr<PartReader> make() { return std::make_unique<KernelLogReader>(); }

}  // namespace

const CaptureKind kernel_log_capture{"kernel_log", "kernel logs (dmesg, journalctl, syslog, kmsg)",
                                     begins, make};

}  // namespace linkburn
