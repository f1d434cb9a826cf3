#include "report/evidence/writer.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

#include "report/evidence/codec.h"

namespace linkburn {
namespace {

bool droppable(const Body& body) { return std::holds_alternative<Reading>(body); }

/// All bytes, or the errno that stopped them.
int write_all(int fd, const std::string& bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t written = ::write(fd, bytes.data() + done, bytes.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    if (written == 0) return ENOSPC;
    done += static_cast<std::size_t>(written);
  }
  return 0;
}

}  // namespace

EvidenceWriter::EvidenceWriter(const Clock& clock) : clock_(clock), start_(clock.now()) {}

EvidenceWriter::EvidenceWriter(Fd file, std::string path, const Clock& clock)
    : clock_(clock), start_(clock.now()), path_(std::move(path)), file_(std::move(file)) {
  struct stat entry {};
  regular_file_ = ::fstat(file_.get(), &entry) == 0 && S_ISREG(entry.st_mode);
  writer_ = std::jthread([this] { write_loop(); });
  syncer_ = std::jthread([this] { sync_loop(); });
}

Result<std::unique_ptr<EvidenceWriter>> EvidenceWriter::create(const std::string& path,
                                                               const Clock& clock) {
  struct stat entry {};
  const bool special = ::stat(path.c_str(), &entry) == 0 && !S_ISREG(entry.st_mode);
  const int flags = O_WRONLY | O_APPEND | O_CLOEXEC | (special ? 0 : O_CREAT | O_EXCL);
  Fd file(::open(path.c_str(), flags, 0644));
  if (!file) {
    const char* fix = errno == EEXIST ? "evidence is never overwritten; give another name"
                                      : "give a writable place with --evidence FILE";
    return errno_error(errno, "cannot create the evidence file", path, fix);
  }
  return std::unique_ptr<EvidenceWriter>(new EvidenceWriter(std::move(file), path, clock));
}

EvidenceWriter::~EvidenceWriter() { close(); }

std::int64_t EvidenceWriter::append(Body body) {
  const Instant now = clock_.now();
  std::unique_lock lock(mutex_);
  const bool to_file = file_ && !closing_;
  if (to_file && queue_.size() >= kQueueRecords) {
    if (droppable(body)) {
      ++dropped_;
      return 0;
    }
    while (queue_.size() >= kQueueRecords && !closing_)
      if (!clock_.wait(changed_, lock, now + kMaxWait)) break;
  }
  const std::int64_t seq = next_seq_++;
  kept_.push_back({seq, run_ns(now), std::move(body)});
  if (!to_file) return seq;
  if (queue_.size() >= kQueueRecords) {
    ++lost_;
    if (!trouble_)
      trouble_ = Error{Code::timeout, "the disk does not take evidence any more", path_,
                       "check the file system"};
    return seq;
  }
  queue_.push_back(kept_.back());
  written_ = false;
  changed_.notify_all();
  return seq;
}

void EvidenceWriter::write_loop() {
  std::unique_lock lock(mutex_);
  while (true) {
    while (queue_.empty() && !closing_) clock_.wait(changed_, lock, kForever);
    if (queue_.empty()) return;
    const Record record = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    write_line(record);
    lock.lock();
    dirty_ = true;
    written_ = queue_.empty();
    changed_.notify_all();
  }
}

void EvidenceWriter::write_line(const Record& record) {
  std::string line = torn_ ? "\n" : "";
  line += encode(record);
  line += '\n';
  const int error = write_all(file_.get(), line);
  if (error == 0) {
    good_bytes_ += static_cast<std::int64_t>(line.size());
    torn_ = false;
    return;
  }
  // Take the half line back, so that the next record starts on a line of its own.
  if (regular_file_) torn_ = ::ftruncate(file_.get(), good_bytes_) != 0;
  const std::lock_guard lock(mutex_);
  ++lost_;
  note_trouble(error, "write");
}

void EvidenceWriter::sync_loop() {
  std::unique_lock lock(mutex_);
  while (true) {
    while (!dirty_ && !(closing_ && written_)) clock_.wait(changed_, lock, kForever);
    if (!dirty_) return;
    dirty_ = false;
    lock.unlock();
    const int error = ::fdatasync(file_.get()) == 0 ? 0 : errno;
    lock.lock();
    // Pipes and device files cannot be synced and need not be.
    if (error != 0 && error != EINVAL && error != EROFS) note_trouble(error, "fdatasync");
  }
}

void EvidenceWriter::note_trouble(int error_number, const char* call) {
  if (trouble_) return;
  trouble_ = errno_error(error_number, std::string("evidence is incomplete on disk, ") + call,
                         path_, "free some space or give another place with --evidence FILE");
}

void EvidenceWriter::close() {
  {
    const std::lock_guard lock(mutex_);
    if (closing_) return;
    closing_ = true;
    changed_.notify_all();
  }
  if (writer_.joinable()) writer_.join();
  {
    const std::lock_guard lock(mutex_);
    written_ = true;
    changed_.notify_all();
  }
  if (syncer_.joinable()) syncer_.join();
}

void EvidenceWriter::flush_after_bug() {
  // The failing thread may hold the mutex: try, and write without it rather than lose the tail.
  const bool locked = mutex_.try_lock();
  for (const Record& record : queue_) {
    const std::string line = encode(record) + "\n";
    if (file_) write_all(file_.get(), line);
  }
  queue_.clear();
  if (file_) ::fdatasync(file_.get());
  if (locked) mutex_.unlock();
}

std::int64_t EvidenceWriter::dropped_samples() const {
  const std::lock_guard lock(mutex_);
  return dropped_;
}

std::int64_t EvidenceWriter::lost_records() const {
  const std::lock_guard lock(mutex_);
  return lost_;
}

std::optional<Error> EvidenceWriter::trouble() const {
  const std::lock_guard lock(mutex_);
  return trouble_;
}

Evidence EvidenceWriter::evidence() const {
  const std::lock_guard lock(mutex_);
  return {path_, kept_, false, 0};
}

}  // namespace linkburn
