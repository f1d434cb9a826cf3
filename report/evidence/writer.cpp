#include "report/evidence/writer.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <deque>
#include <mutex>

#include "bench/base/drill_mark.h"
#include "report/evidence/codec.h"

namespace linkburn {
namespace {

/// Samples come again; the comparison of data at the end of a step does not.
bool droppable(const Body& body) {
  const auto* reading = std::get_if<Reading>(&body);
  return reading != nullptr && reading->quantity != "wrong_words";
}

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

/// What the appending threads, the writing and the syncing thread share.
struct EvidenceWriter::Core {
  Core(const Clock& the_clock, std::string the_path, Fd the_file)
      : clock(the_clock), path(std::move(the_path)), file(std::move(the_file)) {
    struct stat entry {};
    regular_file = file && ::fstat(file.get(), &entry) == 0 && S_ISREG(entry.st_mode);
  }

  void write_loop();
  void sync_loop();
  void write_line(const Record& record);
  bool wait_for_room(std::unique_lock<std::mutex>& lock, Instant deadline);
  void note_trouble(const Error& error) {
    if (!trouble) trouble = error;
  }
  Error disk_error(int error_number, const char* call) const {
    return errno_error(error_number, std::string("evidence is incomplete on disk, ") + call, path,
                       "free some space or give another place with --evidence FILE");
  }

  const Clock& clock;
  const std::string path;
  const Fd file;
  bool regular_file = false;

  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Record> queue;
  std::vector<Record> kept;
  std::int64_t next_seq = 1;
  std::int64_t dropped = 0;
  std::int64_t lost = 0;
  std::optional<Error> trouble;
  bool closing = false;
  bool stalled = false;      ///< the queue stayed full for kMaxWait
  bool dirty = false;        ///< written since the last fdatasync
  bool writer_done = false;  ///< after closing: the queue is in the file
  bool syncer_done = false;  ///< after that: on the disk

  std::int64_t good_bytes = 0;  ///< up to the last whole line; writing thread only
  bool torn = false;            ///< a cut line could not be taken back; writing thread only
};

EvidenceWriter::EvidenceWriter(const Clock& clock) : EvidenceWriter(Fd(), {}, clock) {}

EvidenceWriter::EvidenceWriter(Fd file, std::string path, const Clock& clock)
    : clock_(clock),
      start_(clock.now()),
      path_(std::move(path)),
      core_(std::make_shared<Core>(clock, path_, std::move(file))) {
  if (!core_->file) return;
  writer_ = ClockThread(clock, [core = core_] { core->write_loop(); });
  syncer_ = ClockThread(clock, [core = core_] { core->sync_loop(); });
}

Result<std::unique_ptr<EvidenceWriter>> EvidenceWriter::create(const std::string& path,
                                                               const Clock& clock) {
  struct stat entry {};
  const bool special = ::stat(path.c_str(), &entry) == 0 && !S_ISREG(entry.st_mode);
  // The open of a pipe that nobody reads would wait forever; writes to it may wait.
  const int flags = O_WRONLY | O_APPEND | O_CLOEXEC | (special ? O_NONBLOCK : O_CREAT | O_EXCL);
  Fd file(::open(path.c_str(), flags, 0644));
  if (file && special) ::fcntl(file.get(), F_SETFL, O_APPEND);
  if (!file) {
    const char* fix = errno == EEXIST ? "evidence is never overwritten; give another name"
                                      : "give a writable place with --evidence FILE";
    return errno_error(errno, "cannot create the evidence file", path, fix);
  }
  return std::unique_ptr<EvidenceWriter>(new EvidenceWriter(std::move(file), path, clock));
}

EvidenceWriter::~EvidenceWriter() { close(); }

/// True when the queue has room; false at the deadline.
bool EvidenceWriter::Core::wait_for_room(std::unique_lock<std::mutex>& lock, Instant deadline) {
  // A disk that let one record wait in vain is not waited for again before it moves.
  if (stalled) return queue.size() < kQueueRecords;
  while (queue.size() >= kQueueRecords && !closing)
    if (!clock.wait(changed, lock, deadline)) break;
  stalled = queue.size() >= kQueueRecords;
  return !stalled;
}

std::int64_t EvidenceWriter::append(Body body) {
  Core& core = *core_;
  const Instant now = clock_.now();  // not with the lock held: in a drill others may run meanwhile
  std::unique_lock lock(core.mutex);
  const bool to_file = core.file && !core.closing;
  if (to_file && core.queue.size() >= kQueueRecords && droppable(body)) {
    ++core.dropped;
    return 0;
  }
  const bool room = !to_file || core.wait_for_room(lock, now + kMaxWait);
  const std::int64_t seq = core.next_seq++;
  const std::int64_t last_ns = core.kept.empty() ? 0 : core.kept.back().at_ns;
  core.kept.push_back({seq, std::max(run_ns(now), last_ns), std::move(body)});
  if (!to_file) return seq;
  if (!room) {
    ++core.lost;
    core.note_trouble({Code::timeout, "the disk does not take evidence any more", path_,
                       "check the file system"});
    return seq;
  }
  core.queue.push_back(core.kept.back());
  clock_.notify_all(core.changed);
  return seq;
}

void EvidenceWriter::Core::write_loop() {
  std::unique_lock lock(mutex);
  while (true) {
    while (queue.empty() && !closing) clock.wait(changed, lock, kForever);
    if (queue.empty()) break;
    const Record record = std::move(queue.front());
    queue.pop_front();
    lock.unlock();
    write_line(record);
    lock.lock();
    stalled = false;
    dirty = true;
    clock.notify_all(changed);
  }
  writer_done = true;
  clock.notify_all(changed);
}

void EvidenceWriter::Core::write_line(const Record& record) {
  std::string line = torn ? "\n" : "";
  line += encode(record);
  line += '\n';
  const int error = write_all(file.get(), line);
  if (error == 0) {
    good_bytes += static_cast<std::int64_t>(line.size());
    torn = false;
    return;
  }
  // Take the half line back, so that the next record starts on a line of its own.
  if (regular_file) torn = ::ftruncate(file.get(), good_bytes) != 0;
  const std::lock_guard lock(mutex);
  ++lost;
  note_trouble(disk_error(error, "write"));
}

void EvidenceWriter::Core::sync_loop() {
  std::unique_lock lock(mutex);
  while (true) {
    while (!dirty && !writer_done) clock.wait(changed, lock, kForever);
    if (!dirty) break;
    dirty = false;
    lock.unlock();
    // In a drill a slow disk would let the drill's time pass, up to the deadline of close(); and
    // who would want its evidence after a power failure?
    const int error = is_drill(clock) || ::fdatasync(file.get()) == 0 ? 0 : errno;
    lock.lock();
    // Pipes and device files cannot be synced and need not be.
    if (error != 0 && error != EINVAL && error != EROFS)
      note_trouble(disk_error(error, "fdatasync"));
  }
  syncer_done = true;
  clock.notify_all(changed);
}

void EvidenceWriter::close() {
  if (!writer_.joinable()) return;
  Core& core = *core_;
  const Instant deadline = clock_.now() + kMaxCloseWait;
  std::unique_lock lock(core.mutex);
  core.closing = true;
  clock_.notify_all(core.changed);
  while (!(core.writer_done && core.syncer_done))
    if (!clock_.wait(core.changed, lock, deadline)) break;
  const bool done = core.writer_done && core.syncer_done;
  if (!done) {
    core.lost += static_cast<std::int64_t>(core.queue.size());
    core.note_trouble({Code::timeout, "the disk does not take evidence any more", path_,
                       "check the file system"});
  }
  lock.unlock();
  for (ClockThread* thread : {&writer_, &syncer_}) done ? thread->join() : thread->detach();
}

void EvidenceWriter::flush_after_bug() {
  // The failing thread may hold the mutex: try, and write without it rather than lose the tail.
  Core& core = *core_;
  const bool locked = core.mutex.try_lock();
  if (core.file) {
    for (const Record& record : core.queue) write_all(core.file.get(), encode(record) + "\n");
    ::fdatasync(core.file.get());
  }
  core.queue.clear();
  if (locked) core.mutex.unlock();
}

std::int64_t EvidenceWriter::dropped_samples() const {
  const std::lock_guard lock(core_->mutex);
  return core_->dropped;
}

std::int64_t EvidenceWriter::lost_records() const {
  const std::lock_guard lock(core_->mutex);
  return core_->lost;
}

std::optional<Error> EvidenceWriter::trouble() const {
  const std::lock_guard lock(core_->mutex);
  return core_->trouble;
}

Evidence EvidenceWriter::evidence() const {
  const std::lock_guard lock(core_->mutex);
  return {path_, core_->kept, false, 0};
}

}  // namespace linkburn
