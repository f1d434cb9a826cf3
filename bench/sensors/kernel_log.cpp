#include "bench/sensors/kernel_log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "bench/base/text.h"
#include "bench/sensors/sensor.h"

namespace linkburn {
namespace {

constexpr const char* kDevice = "/dev/kmsg";
constexpr const char* kCaptured = "linkburn/kmsg";
constexpr int kMaxRecordsPerSample = 1000;  // a storm must not keep the sampler from the links

/// More than the largest ring buffers hold [linux init/Kconfig, LOG_BUF_SHIFT: up to 32 MiB]; a
/// storm that writes as fast as we read ends here.
constexpr int kMaxRecordsSinceBoot = 500000;
constexpr std::size_t kMaxCaptureBytes = 64U << 20;

/// The live log, read record by record and never waited for.
class KmsgReader {
 public:
  /// `from` as of lseek: SEEK_SET the oldest record, SEEK_END only what comes.
  explicit KmsgReader(int from) {
    fd_ = Fd(::open(kDevice, O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    if (fd_ && ::lseek(fd_.get(), 0, from) >= 0) return;
    error_ = errno;
    fd_.reset();
  }

  /// Why the log cannot be read; nothing when it can.
  std::optional<Error> trouble() const {
    if (fd_) return std::nullopt;
    return errno_error(error_, "cannot be read", kDevice);
  }

  Part part() const {
    const auto error = trouble();
    if (!error) return {"kernel_log", "found", kDevice, {}, {}, {}};
    return {"kernel_log", error->code == Code::not_found ? "absent" : "unusable", kDevice, {},
            error->what,  "run as root or with CAP_SYSLOG, on the host"};
  }

  /// At most `limit` records, in their order. `lost` is called where some were overwritten before
  /// they could be read.
  template <class Take, class Lost>
  void read(int limit, Take take, Lost lost) {
    for (int i = 0; fd_ && i < limit; ++i) {
      std::array<char, 8192> buffer;
      const ssize_t got = ::read(fd_.get(), buffer.data(), buffer.size());
      if (got < 0 && errno == EPIPE) {
        lost();
      } else if (got < 0 && errno == EINTR) {
        continue;
      } else if (got <= 0) {
        return;
      } else {
        const std::string_view bytes(buffer.data(), static_cast<std::size_t>(got));
        if (raw_ != nullptr && raw_->size() + bytes.size() <= kMaxCaptureBytes) raw_->append(bytes);
        if (const auto record = parse_kmsg(bytes)) take(*record);
      }
    }
  }

  /// Also keeps the bytes of each record from here on.
  void keep(std::string& raw) { raw_ = &raw; }

 private:
  Fd fd_;
  int error_ = 0;
  std::string* raw_ = nullptr;
};

/// Records of /dev/kmsg span lines: those of a dictionary start with a blank and belong to the line
/// above.
std::vector<KmsgRecord> kmsg_records(std::string_view text) {
  std::vector<KmsgRecord> records;
  std::string whole;
  const auto finish = [&] {
    if (auto record = parse_kmsg(whole)) records.push_back(std::move(*record));
    whole.clear();
  };
  for (const std::string_view line : lines_of(text)) {
    if (!line.starts_with(' ')) finish();
    whole.append(line).append("\n");
  }
  finish();
  return records;
}

/// The log of a drill: a file to which whole records are added. Only what comes from here on.
class GrowingLog {
 public:
  explicit GrowingLog(const Sysroot& root) {
    auto file = root.open_file(kCaptured);
    struct stat facts {};
    if (file && ::fstat(file->get(), &facts) == 0) {
      fd_ = std::move(*file);
      next_ = facts.st_size;
    } else {
      error_ = file ? errno_error(errno, "cannot be read", kCaptured) : file.error();
    }
  }

  Part part() const {
    if (fd_) return {"kernel_log", "found", kCaptured, {}, {}, {}};
    return {"kernel_log", "unusable", kCaptured, {}, error_.what, {}};
  }

  std::vector<KmsgRecord> read() {
    std::array<char, 8192> buffer;
    while (fd_) {
      const ssize_t got = ::pread(fd_.get(), buffer.data(), buffer.size(), next_);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) break;
      rest_.append(buffer.data(), static_cast<std::size_t>(got));
      next_ += got;
    }
    const std::size_t whole = rest_.rfind('\n') + 1;
    std::vector<KmsgRecord> records = kmsg_records(std::string_view(rest_).substr(0, whole));
    rest_.erase(0, whole);
    return records;
  }

 private:
  Fd fd_;
  off_t next_ = 0;
  std::string rest_;  ///< the start of a line
  Error error_;
};

KernelLine lost_lines(Phase phase) {
  return {{}, "lost_lines", 4, 0, "kernel log lines were overwritten unread", phase, {}};
}

class KernelLogSensor final : public Sensor {
 public:
  explicit KernelLogSensor(const SensorContext& context) : context_(context) {
    if (context.root.live()) {
      reader_.emplace(SEEK_END);
      context.evidence.append(reader_->part());
    } else if (is_drill(context.root)) {
      drill_.emplace(context.root);
      context.evidence.append(drill_->part());
    }
  }

  void sample(const Moment& moment) override {
    const auto take = [&](const KmsgRecord& record) {
      if (auto line = lines_.take(record, moment.phase)) context_.evidence.append(std::move(*line));
    };
    if (drill_)
      for (const KmsgRecord& record : drill_->read()) take(record);
    if (reader_)
      reader_->read(kMaxRecordsPerSample, take,
                    [&] { context_.evidence.append(lost_lines(moment.phase)); });
  }

  void boundary(const Moment& moment) override {
    sample(moment);
    for (Body& body : lines_.left_out(moment.phase)) context_.evidence.append(std::move(body));
  }

 private:
  const SensorContext context_;
  std::optional<KmsgReader> reader_;
  std::optional<GrowingLog> drill_;
  KernelLines lines_;
};

std::unique_ptr<Sensor> make(const SensorContext& context) {
  return std::make_unique<KernelLogSensor>(context);
}

/// A log that was read from its oldest record on.
class WholeLog {
 public:
  explicit WholeLog(Part part) : records_{std::move(part)} {}

  void take(const KmsgRecord& record) {
    // The first record of a boot has the number 0.
    if (!begun_ && record.sequence > 0) lost();
    begun_ = true;
    if (auto line = lines_.take(record, Phase::passive)) records_.emplace_back(std::move(*line));
  }

  void lost() {
    if (!lost_) records_.emplace_back(lost_lines(Phase::passive));
    lost_ = true;
  }

  std::vector<Body> records() && {
    for (Body& body : lines_.left_out(Phase::passive)) records_.push_back(std::move(body));
    return std::move(records_);
  }

 private:
  std::vector<Body> records_;
  KernelLines lines_;
  bool begun_ = false, lost_ = false;
};

/// What a capture of this node keeps of its log.
void note(const KmsgReader& reader, std::string raw, ReadRecord& noted) {
  noted.seen(kCaptured);
  if (const auto trouble = reader.trouble())
    noted.error(kCaptured, *trouble);
  else
    noted.file(kCaptured, std::move(raw));
}

std::vector<Body> live_log(ReadRecord* noted) {
  KmsgReader reader(SEEK_SET);
  std::string raw;
  if (noted != nullptr) reader.keep(raw);
  WholeLog log(reader.part());
  reader.read(
      kMaxRecordsSinceBoot, [&](const KmsgRecord& record) { log.take(record); },
      [&] { log.lost(); });
  if (noted != nullptr) note(reader, std::move(raw), *noted);
  return std::move(log).records();
}

std::vector<KmsgRecord> dmesg_records(std::string_view text) {
  std::vector<KmsgRecord> records;
  for (const std::string_view line : lines_of(text)) records.push_back(parse_dmesg(line));
  return records;
}

struct CapturedLog {
  const char* path;
  std::vector<KmsgRecord> (*parse)(std::string_view text);
};
constexpr std::array kCapturedLogs{CapturedLog{kCaptured, kmsg_records},
                                   CapturedLog{"var/log/dmesg", dmesg_records}};

std::vector<Body> captured_log(const Sysroot& root) {
  for (const CapturedLog& log : kCapturedLogs) {
    const auto text = root.read(log.path, kMaxCaptureBytes);
    if (!text && text.error().code == Code::not_found) continue;
    if (!text) return {Part{"kernel_log", "unusable", log.path, {}, text.error().what, {}}};
    WholeLog whole(Part{"kernel_log", "found", log.path, {}, {}, {}});
    for (const KmsgRecord& record : log.parse(*text)) whole.take(record);
    return std::move(whole).records();
  }
  return {Part{"kernel_log",
               "absent",
               kCapturedLogs.back().path,
               {},
               "the capture has no kernel log",
               "capture var/log/dmesg too: the output of dmesg"}};
}

}  // namespace

std::vector<Body> kernel_log_since_boot(const Sysroot& root) {
  return root.live() ? live_log(root.record()) : captured_log(root);
}

extern const SensorInfo kernel_log_sensor;
const SensorInfo kernel_log_sensor{"kernel_log", "kernel log lines that concern links", make};

}  // namespace linkburn
