#include "bench/worker/supervisor.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

#include "report/evidence/codec.h"

namespace linkburn {
namespace {

constexpr Duration kSendPatience = std::chrono::milliseconds(100);
constexpr Duration kReapPause = std::chrono::milliseconds(5);

double seconds(Duration time) { return std::chrono::duration<double>(time).count(); }

}  // namespace

struct Supervisor::Child {
  Worker worker;
  ChildProcess process;
  Channel channel;
  Instant last_sign;   ///< of life
  Duration allowance;  ///< how long silence is no hang now
  Instant dying_since;
  bool killed = false;
  Instant second_start;  ///< of the current second of the flood counter
  int messages_this_second = 0;
};

Supervisor::Supervisor(const Clock& clock, std::vector<std::string> command, RecordSink sink,
                       SupervisorLimits limits, int wake_fd)
    : clock_(clock),
      command_(std::move(command)),
      sink_(std::move(sink)),
      limits_(limits),
      wake_fd_(wake_fd),
      next_lease_(clock.now()),
      last_step_(clock.now()) {}

Supervisor::~Supervisor() { stop_all("the run ended"); }

Result<int> Supervisor::start(std::string name, Job job) {
  int sockets[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0)
    return errno_error(errno, "cannot start a worker process", "socketpair");
  Fd ours(sockets[0]);
  const std::string world = clock_.announce_child(name);
  auto process = ChildProcess::start(command_, worker_environment(world), Fd(sockets[1]));
  clock_.child_started(process ? process->pid() : -1);
  if (!process) return process.error();
  const Instant now = clock_.now();
  const int number = static_cast<int>(children_.size());
  Worker worker;
  worker.number = number;
  worker.name = std::move(name);
  worker.job = std::move(job);
  worker.doing = "start of the worker process";
  children_.push_back(std::make_unique<Child>(Child{std::move(worker), std::move(*process),
                                                    Channel(std::move(ours)), now, limits_.silence,
                                                    now, false, now, 0}));
  send(number, MessageType::job, encode(children_.back()->worker.job));
  return number;
}

const Worker& Supervisor::worker(int number) const {
  check(number >= 0 && number < static_cast<int>(children_.size()), "no worker of this number");
  return children_[static_cast<std::size_t>(number)]->worker;
}

void Supervisor::send(int number, MessageType type, std::string body) {
  Child& child = *children_[static_cast<std::size_t>(number)];
  if (child.worker.state != WorkerState::running) return;
  if (type == MessageType::release) child.worker.released = true;
  // A peer that does not read is silent as well, and dies of that.
  (void)child.channel.send({type, std::move(body)}, clock_, clock_.now() + kSendPatience);
}

bool Supervisor::pump(Instant deadline, const std::function<bool()>& until) {
  while (true) {
    if (until()) return true;
    if (clock_.now() >= deadline) return false;
    step(deadline, Wake::heed);
    if (wake_fd_ >= 0) {
      pollfd wake{wake_fd_, POLLIN, 0};
      const auto ready = clock_.poll({&wake, 1}, clock_.now());
      if (ready && *ready > 0) return until();
    }
  }
}

/// Waits for the next thing to happen and deals with it.
void Supervisor::step(Instant deadline, Wake wake) {
  renew_leases(clock_.now());
  std::vector<pollfd> fds;
  for (const auto& child : children_)
    if (child->worker.state == WorkerState::running && child->channel.fd() >= 0)
      fds.push_back({child->channel.fd(), POLLIN, 0});
  if (wake_fd_ >= 0 && wake == Wake::heed) fds.push_back({wake_fd_, POLLIN, 0});
  (void)clock_.poll(fds, next_event(deadline));
  for (const auto& child : children_) receive(*child);
  const Instant now = clock_.now();
  for (const auto& child : children_) watch(*child, now, now - last_step_);
  last_step_ = now;
}

Instant Supervisor::next_event(Instant deadline) const {
  Instant next = std::min(deadline, next_lease_);
  const Instant now = clock_.now();
  for (const auto& child : children_) {
    if (child->worker.state == WorkerState::dying) next = std::min(next, now + kReapPause);
    if (child->worker.state == WorkerState::running)
      next = std::min(next, child->last_sign + child->allowance);
  }
  return next;
}

void Supervisor::renew_leases(Instant now) {
  if (now < next_lease_) return;
  next_lease_ = now + limits_.lease_period;
  for (const auto& child : children_) send(child->worker.number, MessageType::lease);
}

void Supervisor::receive(Child& child) {
  if (child.worker.state != WorkerState::running) return;
  const auto open = child.channel.fill();
  while (const auto message = child.channel.next()) {
    handle(child, *message);
    if (child.worker.state != WorkerState::running) return;
  }
  if (!open) return kill(child, open.error().what);
  if (!*open) {
    // The process is gone or has closed its socket: its exit status says more, see watch().
    child.channel.close();
    expect_exit(child);
  }
}

void Supervisor::expect_exit(Child& child) {
  child.worker.state = WorkerState::dying;
  child.dying_since = clock_.now();
  clock_.await_child(child.process.pid());
}

void Supervisor::handle(Child& child, const Message& message) {
  const Instant now = clock_.now();
  if (now - child.second_start >= std::chrono::seconds(1)) {
    child.second_start = now;
    child.messages_this_second = 0;
  }
  if (++child.messages_this_second > limits_.messages_per_s)
    return kill(child, fmt::format("the worker sent more than {} messages in a second",
                                   limits_.messages_per_s));
  child.last_sign = now;
  // What a call was allowed stays allowed until the next one is announced.
  switch (message.type) {
    case MessageType::ready:
      child.worker.ready = true;
      child.worker.doing = "wait at the start gate";
      return;
    case MessageType::heartbeat:
      if (const auto doing = decode_doing(message.body)) {
        child.worker.doing = doing->call;
        child.allowance = limits_.silence + std::chrono::milliseconds(std::clamp<std::int64_t>(
                                                doing->allowed_ms, 0, 600'000));
        return;
      }
      break;
    case MessageType::record:
      if (auto record = decode(message.body)) {
        sink_(child.worker, std::move(*record));
        return;
      }
      break;
    case MessageType::measured:
      child.worker.measured = true;
      return;
    case MessageType::done:
      if (auto outcome = decode_outcome(message.body)) {
        child.worker.outcome = std::move(*outcome);
        child.worker.has_outcome = true;
        expect_exit(child);
        return;
      }
      break;
    default:
      break;
  }
  kill(child, "the worker broke the protocol");
}

/// Silence, slow exits and deaths.
void Supervisor::watch(Child& child, Instant now, Duration since_last_step) {
  Worker& worker = child.worker;
  if (worker.state == WorkerState::running) {
    if (any_dying()) child.last_sign += since_last_step;
    if (now - child.last_sign >= child.allowance)
      kill(child, fmt::format("call {} has not returned for {:.0f} s", worker.doing,
                              seconds(now - child.last_sign)));
    return;
  }
  if (worker.state != WorkerState::dying) return;
  if (const auto status = child.process.reap()) return note_exit(child, *status);
  if (!child.killed && now - child.dying_since >= limits_.goodbye) {
    kill(child, fmt::format("the worker did not end within {:.0f} s", seconds(limits_.goodbye)));
  } else if (child.killed && now - child.dying_since >= limits_.death) {
    worker.state = WorkerState::unkillable;
    worker.outcome.reason +=
        fmt::format("; process {} does not die: stuck in the kernel", child.process.pid());
  }
}

void Supervisor::kill(Child& child, std::string reason) {
  child.process.kill();
  clock_.await_child(child.process.pid());
  child.killed = true;
  child.dying_since = clock_.now();
  child.channel.close();
  child.worker.state = WorkerState::dying;
  if (!child.worker.has_outcome) end(child, "error", std::move(reason));
}

void Supervisor::end(Child& child, std::string status, std::string reason) {
  child.worker.outcome = {std::move(status), std::move(reason), {}};
  child.worker.has_outcome = true;
}

void Supervisor::note_exit(Child& child, int wait_status) {
  child.worker.state = WorkerState::ended;
  child.channel.close();
  if (!child.worker.has_outcome)
    end(child, "error",
        fmt::format("the worker process {} during: {}", describe_exit(wait_status),
                    child.worker.doing));
}

bool Supervisor::any_dying() const {
  return std::any_of(children_.begin(), children_.end(),
                     [](const auto& child) { return child->worker.state == WorkerState::dying; });
}

bool Supervisor::any_running() const {
  return std::any_of(children_.begin(), children_.end(), [](const auto& child) {
    return child->worker.state == WorkerState::running || child->worker.state == WorkerState::dying;
  });
}

void Supervisor::finish(int number, Instant deadline) {
  const auto ended = [&] {
    const WorkerState state = worker(number).state;
    return state == WorkerState::ended || state == WorkerState::unkillable;
  };
  while (!ended() && clock_.now() < deadline) step(deadline, Wake::ignore);
  if (ended()) return;
  kill(*children_[static_cast<std::size_t>(number)], "the worker did not end in time");
  const Instant last = clock_.now() + limits_.death + limits_.goodbye;
  while (!ended() && clock_.now() < last) step(last, Wake::ignore);
}

void Supervisor::stop_all(std::string_view reason) {
  for (const auto& child : children_) {
    if (child->worker.state != WorkerState::running) continue;
    send(child->worker.number, MessageType::stop);
    child->worker.doing = "stop";
  }
  const Instant polite = clock_.now() + limits_.goodbye;
  while (any_running() && clock_.now() < polite) step(polite, Wake::ignore);
  for (const auto& child : children_)
    if (child->worker.state == WorkerState::running) kill(*child, std::string(reason));
  const Instant last = clock_.now() + limits_.death + limits_.goodbye;
  while (any_running() && clock_.now() < last) step(last, Wake::ignore);
}

std::vector<const Worker*> Supervisor::survivors() const {
  std::vector<const Worker*> stuck;
  for (const auto& child : children_)
    if (child->worker.state == WorkerState::unkillable) stuck.push_back(&child->worker);
  return stuck;
}

}  // namespace linkburn
