// What supervisor and worker say to each other: frames over a socket pair.
//
// A frame is a 4-byte little-endian length, one byte of type and the body. Evidence travels as the
// very lines that go into the file, so that a worker cannot say what the schema does not know.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/base/clock.h"
#include "bench/base/component.h"
#include "bench/base/fd.h"
#include "bench/base/result.h"

namespace linkburn {

enum class MessageType : std::uint8_t {
  // supervisor to worker
  job = 1,  ///< what to do (Job)
  go,       ///< the start gate opens at an instant (Gate)
  release,  ///< all lanes have measured: verify, let go, end
  stop,     ///< end as soon as possible, results do not matter
  lease,    ///< the supervisor is alive; without it the load stops by itself
  // worker to supervisor
  ready,      ///< prepared, waiting at the gate
  heartbeat,  ///< alive; the body names the call that is about to be made and its allowance
  record,     ///< one evidence line; time stamps are absolute
  measured,   ///< all windows are through, the load goes on uncounted
  done,       ///< the last message (JobOutcome)
};

struct Message {
  MessageType type = MessageType::heartbeat;
  std::string body;
};

/// A worker's task. `kind` is a row of bench/worker/jobs.h: "lane", "read" or "probe".
struct Job {
  std::string kind;
  std::string step;
  std::string workload;
  ComponentId component;
  std::map<std::string, std::string> params;
  std::vector<std::string> paths;  ///< of a "read" job: one reading of each per round
  std::int64_t period_ms = 0;      ///< of a "read" job: pause between rounds; 0: one round
};

/// The start gate of a step, on the monotonic clock that all processes of a node share.
struct Gate {
  std::int64_t start_ns = 0;    ///< warm-up begins
  std::int64_t measure_ns = 0;  ///< measuring begins
  int windows = 1;
  std::int64_t window_ms = 100;
};

/// Before a call that may take long: which, and how long silence is no hang.
struct Doing {
  std::string call;
  std::int64_t allowed_ms = 0;
};

/// How a job ended.
struct JobOutcome {
  std::string status;  ///< "complete", "error", "interrupted"
  std::string reason;
  std::map<std::string, std::string> facts;
};

std::string encode(const Job& job);
std::string encode(const Gate& gate);
std::string encode(const Doing& doing);
std::string encode(const JobOutcome& outcome);
Result<Job> decode_job(std::string_view body);
Result<Gate> decode_gate(std::string_view body);
Result<Doing> decode_doing(std::string_view body);
Result<JobOutcome> decode_outcome(std::string_view body);

/// One end of the socket pair. send() may be called from several threads of the owner only if they
/// take turns; fill() and next() belong to one thread.
class Channel {
 public:
  static constexpr std::size_t kMaxBodyBytes = 1UL << 20;

  Channel() = default;
  explicit Channel(Fd socket);

  int fd() const { return socket_.get(); }
  void close() { socket_.reset(); }

  /// Writes the whole frame, waiting for room until `deadline`.
  Status send(const Message& message, const Clock& clock, Instant deadline);

  /// Reads what is there without blocking, at most `max_bytes`. False when the peer has closed.
  /// Error: the peer broke the protocol.
  Result<bool> fill(std::size_t max_bytes = 64 * 1024);

  /// The next whole message, if one has arrived.
  std::optional<Message> next();

 private:
  Fd socket_;
  std::string inbox_;
  std::size_t parsed_ = 0;
};

}  // namespace linkburn
