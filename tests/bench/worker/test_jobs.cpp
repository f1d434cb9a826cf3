#include "tests/bench/worker/test_jobs.h"

#include <dirent.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <set>

#include "bench/drill/clock.h"

namespace linkburn::test {
namespace {

Reading text_reading(std::string quantity, std::string text) {
  Reading reading;
  reading.component = ComponentId::node();
  reading.quantity = std::move(quantity);
  reading.text = std::move(text);
  return reading;
}

JobOutcome good(WorkerSession& session, const Job& job) {
  const auto gate = session.wait_at_gate();
  if (!gate) return {"interrupted", "stopped at the gate", {}};
  for (int i = 0; i < gate->windows; ++i)
    session.record(text_reading("window", fmt::format("{}", i)));
  session.measured();
  while (!session.released() && !session.stop_requested()) {
    session.beat();
    session.clock().sleep_until(session.clock().now() + std::chrono::milliseconds(5));
  }
  return {"complete", {}, {{"step", job.step}}};
}

JobOutcome hang(WorkerSession& session, const Job& /*job*/) {
  session.doing("cuFakeCall", std::chrono::milliseconds(100));
  while (true) ::pause();
}

/// Ends neither on stop nor by itself: only SIGKILL helps.
JobOutcome stubborn(WorkerSession& session, const Job& /*job*/) {
  while (true) {
    session.beat();
    session.clock().sleep_until(session.clock().now() + std::chrono::milliseconds(20));
  }
}

JobOutcome crash(WorkerSession& session, const Job& /*job*/) {
  session.doing("cuCrash", std::chrono::seconds(1));
  std::signal(SIGSEGV, SIG_DFL);  // sanitizers install handlers of their own
  std::raise(SIGSEGV);
  return {};
}

JobOutcome leave(WorkerSession& /*session*/, const Job& /*job*/) { ::_exit(7); }

JobOutcome flood(WorkerSession& session, const Job& /*job*/) {
  for (std::int64_t i = 0; !session.stop_requested(); ++i)
    session.record(text_reading("flood", fmt::format("{}", i)));
  return {"complete", {}, {}};
}

JobOutcome garbage(WorkerSession& session, const Job& /*job*/) {
  session.doing("talk", std::chrono::seconds(1));
  // Any descriptor that is a socket is the one to the supervisor.
  const std::string noise(4096, '\xff');
  for (int fd = 3; fd < 64; ++fd) ::send(fd, noise.data(), noise.size(), MSG_NOSIGNAL);
  while (true) ::pause();
}

/// Slow but alive: the announced call takes several times the silence limit.
JobOutcome slow(WorkerSession& session, const Job& job) {
  session.doing("cuCtxCreate", std::chrono::seconds(20));
  session.clock().sleep_until(session.clock().now() +
                              std::chrono::milliseconds(std::atoi(job.params.at("ms").c_str())));
  return {"complete", {}, {}};
}

std::string stream_target(int fd) {
  std::array<char, 256> target{};
  const ssize_t got =
      ::readlink(fmt::format("/proc/self/fd/{}", fd).c_str(), target.data(), target.size());
  return got > 0 ? std::string(target.data(), static_cast<std::size_t>(got)) : "";
}

/// Tells what it was given: session, standard streams, descriptors, environment.
JobOutcome inspect_self(WorkerSession& /*session*/, const Job& /*job*/) {
  std::set<int> open;
  DIR* folder = ::opendir("/proc/self/fd");
  while (const dirent* entry = ::readdir(folder))
    if (entry->d_name[0] != '.') open.insert(std::atoi(entry->d_name));
  open.erase(::dirfd(folder));
  ::closedir(folder);
  int sockets = 0;
  int others = 0;
  for (int fd : open) {
    const std::string target = stream_target(fd);
    if (target.starts_with("socket:"))
      ++sockets;
    else if (target != "/dev/null" && target != "anon_inode:[eventfd]")
      ++others;
  }
  const char* variable = std::getenv("BENCHMARK_FORMAT");
  return {"complete",
          {},
          {{"own_session", ::getsid(0) == ::getpid() ? "yes" : "no"},
           {"stdout", stream_target(1)},
           {"sockets", std::to_string(sockets)},
           {"others", std::to_string(others)},
           {"benchmark_variable", variable == nullptr ? "" : variable}}};
}

/// Says where it runs, then loads until it is stopped.
JobOutcome load(WorkerSession& session, const Job& job) {
  std::ofstream(job.params.at("file")) << ::getpid() << std::endl;
  while (!session.stop_requested()) session.beat();
  return {"interrupted", "stopped", {}};
}

}  // namespace

std::span<const JobKind> misbehaving_jobs() {
  static constexpr std::array kinds{
      JobKind{"good", good},       JobKind{"hang", hang},   JobKind{"stubborn", stubborn},
      JobKind{"crash", crash},     JobKind{"leave", leave}, JobKind{"flood", flood},
      JobKind{"garbage", garbage}, JobKind{"slow", slow},   JobKind{"inspect_self", inspect_self},
      JobKind{"load", load}};
  return kinds;
}

int run_worker() {
  const auto clock = drill::clock_from_environment();
  if (!clock) return 2;
  return worker_main(misbehaving_jobs(), *clock != nullptr ? **clock : real_clock());
}

}  // namespace linkburn::test
