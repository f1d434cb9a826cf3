#include "bench/worker/session.h"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

#include "bench/base/log.h"
#include "bench/worker/process.h"
#include "report/evidence/codec.h"

namespace linkburn {
namespace {

constexpr Duration kBeatPeriod = std::chrono::milliseconds(200);
constexpr Duration kListenPause = std::chrono::milliseconds(200);
constexpr int kExitLeaseLost = 75;

const JobKind* find_kind(std::span<const JobKind> kinds, std::string_view name) {
  for (const JobKind& kind : kinds)
    if (kind.name == name) return &kind;
  return nullptr;
}

}  // namespace

WorkerSession::WorkerSession(Fd socket, const Clock& clock)
    : clock_(clock), channel_(std::move(socket)), wake_(::eventfd(0, EFD_CLOEXEC)) {
  listener_ = ClockThread(clock_, [this] { listen(); });
}

WorkerSession::~WorkerSession() {
  ending_ = true;
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(wake_.get(), &one, sizeof one);
}

/// Takes in messages; on a lost supervisor stops the job, and the process if the job does not stop.
void WorkerSession::listen() {
  Instant last_word = clock_.now();
  std::optional<Instant> forced_end;
  while (!ending_) {
    // After a stop the supervisor has nothing more to say; its closed socket would end every wait.
    const bool ask = !forced_end;
    std::array<pollfd, 2> wait{{{wake_.get(), POLLIN, 0}, {channel_.fd(), POLLIN, 0}}};
    (void)clock_.poll(std::span(wait.data(), ask ? 2 : 1), clock_.now() + kListenPause);
    const Instant now = clock_.now();
    if (ask && wait[1].revents != 0) {
      const auto open = channel_.fill();
      while (const auto message = channel_.next()) take(*message);
      last_word = now;
      if (!open || !*open) request_stop();
    }
    if (now - last_word >= kLease) request_stop();
    if (stop_ && !forced_end) forced_end = now + kGrace;
    // A job that hangs in a driver call cannot be unwound; the process goes and the kernel cleans
    // up.
    if (forced_end && now >= *forced_end) ::_exit(kExitLeaseLost);
  }
}

void WorkerSession::take(const Message& message) {
  const std::lock_guard lock(mutex_);
  switch (message.type) {
    case MessageType::job:
      if (auto job = decode_job(message.body)) jobs_.push_back(std::move(*job));
      break;
    case MessageType::go:
      if (const auto gate = decode_gate(message.body)) gate_ = *gate;
      break;
    case MessageType::release:
      released_ = true;
      break;
    case MessageType::stop:
      stop_ = true;
      break;
    default:  // a lease, or a word of a newer supervisor
      break;
  }
  clock_.notify_all(changed_);
}

void WorkerSession::request_stop() {
  const std::lock_guard lock(mutex_);
  stop_ = true;
  clock_.notify_all(changed_);
}

std::optional<Job> WorkerSession::wait_for_job() {
  std::unique_lock lock(mutex_);
  while (jobs_.empty() && !stop_ && !released_) clock_.wait(changed_, lock, kForever);
  if (jobs_.empty() || stop_) return std::nullopt;
  Job job = std::move(jobs_.front());
  jobs_.pop_front();
  return job;
}

std::optional<Gate> WorkerSession::wait_at_gate() {
  send(MessageType::ready, {});
  Instant next_beat = clock_.now() + kBeatPeriod;
  std::unique_lock lock(mutex_);
  while (!gate_ && !stop_) {
    clock_.wait(changed_, lock, next_beat);
    lock.unlock();
    beat();
    next_beat = clock_.now() + kBeatPeriod;
    lock.lock();
  }
  return stop_ ? std::nullopt : gate_;
}

void WorkerSession::doing(std::string_view call, Duration allowed) {
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(allowed).count();
  send(MessageType::heartbeat, encode(Doing{std::string(call), ms}));
  last_beat_ = clock_.now();
}

void WorkerSession::beat(Duration allowed) {
  if (clock_.now() - last_beat_ < kBeatPeriod) return;
  doing("lap", allowed);
}

void WorkerSession::record(Body body) {
  send(MessageType::record, encode(Record{0, to_ns(clock_.now()), std::move(body)}));
}

void WorkerSession::measured() { send(MessageType::measured, {}); }

void WorkerSession::done(const JobOutcome& outcome) { send(MessageType::done, encode(outcome)); }

void WorkerSession::send(MessageType type, std::string body) {
  // Only the job's thread sends. A supervisor that does not read within the lease is gone.
  if (!channel_.send({type, std::move(body)}, clock_, clock_.now() + kLease)) request_stop();
}

int worker_main(std::span<const JobKind> kinds, const Clock& clock) {
  if (::fcntl(kWorkerSocketFd, F_GETFD) < 0) {
    log_error("'worker' is started by linkburn itself, not by hand");
    return 2;
  }
  WorkerSession session(Fd(::fcntl(kWorkerSocketFd, F_DUPFD_CLOEXEC, kWorkerSocketFd)), clock);
  ::close(kWorkerSocketFd);
  const auto job = session.wait_for_job();
  if (!job) return 0;
  const JobKind* kind = find_kind(kinds, job->kind);
  const JobOutcome outcome =
      kind != nullptr ? kind->run(session, *job)
                      : JobOutcome{"error", "this worker knows no job '" + job->kind + "'", {}};
  session.done(outcome);
  return 0;
}

}  // namespace linkburn
