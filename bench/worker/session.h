// The worker's side: one job, its progress, and the lease without which it stops by itself.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <span>

#include "bench/base/clock.h"
#include "bench/base/clock_thread.h"
#include "bench/worker/message.h"
#include "report/evidence/record.h"

namespace linkburn {

/// A running job's view of its supervisor. All members except stop_requested() belong to the thread
/// that runs the job; a listener thread takes in what the supervisor says.
class WorkerSession {
 public:
  /// Without a word from the supervisor for this long the load stops: it is stopped or hangs.
  static constexpr Duration kLease = std::chrono::seconds(3);
  /// After a stop the process ends by force when the job has not returned by then.
  static constexpr Duration kGrace = std::chrono::seconds(1);

  WorkerSession(Fd socket, const Clock& clock);
  ~WorkerSession();
  WorkerSession(const WorkerSession&) = delete;
  WorkerSession& operator=(const WorkerSession&) = delete;

  const Clock& clock() const { return clock_; }

  /// The next job, or nothing when the supervisor has released us or is gone.
  std::optional<Job> wait_for_job();

  /// Announces a call that may take up to `allowed` without a sign of life.
  void doing(std::string_view call, Duration allowed);

  /// A sign of life between laps, before one that may take up to `allowed`; sends at most five a
  /// second.
  void beat(Duration allowed = Duration::zero());

  /// One evidence record. Time stamps in it are absolute; the supervisor makes them relative.
  void record(Body body);

  /// Prepared: waits for the gate. Nothing when stopped.
  std::optional<Gate> wait_at_gate();

  void measured();
  bool released() const { return released_; }
  bool stop_requested() const { return stop_; }

  void done(const JobOutcome& outcome);

 private:
  void listen();
  void take(const Message& message);
  void request_stop();
  void send(MessageType type, std::string body);

  const Clock& clock_;
  Channel channel_;
  Fd wake_;  ///< ends the listener's wait when the session ends
  Instant last_beat_{};

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> jobs_;
  std::optional<Gate> gate_;
  std::atomic<bool> stop_{false}, released_{false}, ending_{false};
  ClockThread listener_;
};

/// One kind of job. Runs in the worker; everything it does may hang or crash without harm to
/// others.
struct JobKind {
  std::string_view name;
  JobOutcome (*run)(WorkerSession& session, const Job& job);
};

/// The whole life of a worker process: takes jobs from kWorkerSocketFd until released. Returns the
/// exit code.
int worker_main(std::span<const JobKind> kinds, const Clock& clock);

}  // namespace linkburn
