// Watches over worker processes: starts them, renews their lease, takes in what they say, and kills
// the silent ones. The supervisor itself calls no driver and reads no file that enters one.
//
// Slow is a result, silent is a hang: a worker shows life with every lap and before every long
// call. One from which nothing came for its allowance is killed; while it dies the clocks of the
// others stand still, because tearing down a device context stalls its neighbours.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/base/clock.h"
#include "bench/worker/message.h"
#include "bench/worker/process.h"
#include "report/evidence/record.h"

namespace linkburn {

/// What became of a worker.
enum class WorkerState {
  running,    ///< started, no `done` yet
  dying,      ///< told to end or killed; not reaped yet
  ended,      ///< reaped
  unkillable  ///< SIGKILL had no effect in time: stuck in a kernel call, left behind and named
};

struct Worker {
  int number = 0;
  std::string name;  ///< for people: "host_copy-1 numa0->numa0"
  Job job;
  WorkerState state = WorkerState::running;
  bool ready = false, measured = false, released = false;
  JobOutcome outcome;  ///< its own `done`, or what the supervisor found out about it
  bool has_outcome = false;
  std::string doing;  ///< the call that it announced last
};

/// Limits of the supervisor, all on the given clock.
struct SupervisorLimits {
  Duration silence = std::chrono::seconds(5);  ///< without a sign of life: a hang
  Duration lease_period = std::chrono::seconds(1);
  Duration goodbye = std::chrono::seconds(2);  ///< between `done` or `stop` and the exit
  Duration death = std::chrono::seconds(3);    ///< between SIGKILL and giving up
  int messages_per_s = 2000;                   ///< above: the worker floods us, killed
};

class Supervisor {
 public:
  /// Gets each evidence record that a worker sends, already decoded.
  using RecordSink = std::function<void(const Worker& worker, Record record)>;

  /// `command` starts a worker: the program's own path and "worker". `wake_fd`, when given, ends
  /// every pump() as soon as it is readable (signals).
  Supervisor(const Clock& clock, std::vector<std::string> command, RecordSink sink,
             SupervisorLimits limits = {}, int wake_fd = -1);
  ~Supervisor();
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  /// Starts a worker on its job; returns its number. Call from the thread that lives longest.
  Result<int> start(std::string name, Job job);

  const Worker& worker(int number) const;

  /// To one worker that is still running; a peer that does not read is left to the silence limit.
  void send(int number, MessageType type, std::string body = {});

  /// Takes in messages until `until` holds, `deadline` passes or the wake descriptor is readable.
  /// True when `until` holds.
  bool pump(Instant deadline, const std::function<bool()>& until);

  /// Asks all running workers to stop, waits, kills what is left and reaps everything.
  void stop_all(std::string_view reason);

  /// Waits until one worker has ended by itself, or kills it at the deadline.
  void finish(int number, Instant deadline);

  bool any_running() const;

  /// Workers that SIGKILL did not end, for the report.
  std::vector<const Worker*> survivors() const;

 private:
  struct Child;

  enum class Wake { heed, ignore };
  void step(Instant deadline, Wake wake);
  void receive(Child& child);
  void handle(Child& child, const Message& message);
  void watch(Child& child, Instant now, Duration since_last_step);
  void expect_exit(Child& child);
  void kill(Child& child, std::string reason);
  void end(Child& child, std::string status, std::string reason);
  void note_exit(Child& child, int wait_status);
  void renew_leases(Instant now);
  bool any_dying() const;
  Instant next_event(Instant deadline) const;

  const Clock& clock_;
  const std::vector<std::string> command_;
  const RecordSink sink_;
  const SupervisorLimits limits_;
  const int wake_fd_;
  std::vector<std::unique_ptr<Child>> children_;
  Instant next_lease_;
  Instant last_step_;
};

}  // namespace linkburn
