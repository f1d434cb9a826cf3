#include "bench/worker/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/close_range.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

namespace linkburn {
namespace {

constexpr int kExecFailed = 127;

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (const std::string& text : texts) out.push_back(const_cast<char*>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

void close_from(int first) {
  if (::syscall(SYS_close_range, first, ~0U, 0) == 0) return;
  // Kernels before 5.9 have no close_range. Containers may allow a billion descriptors; ours all
  // close on exec, and a library's lie among the first.
  const long limit = std::min(::sysconf(_SC_OPEN_MAX), 65536L);
  for (int fd = first; fd < limit; ++fd) ::close(fd);
}

/// Between fork and exec: only async-signal-safe calls.
[[noreturn]] void become_worker(pid_t parent, int socket, char* const* argv, char* const* envp) {
  ::setsid();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(kExecFailed);  // the parent died before the line above
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT, SIGUSR1}) ::signal(signal, SIG_DFL);
  // Out of the way first: the socket or /dev/null may have one of the numbers that are set below.
  const int parked_socket = ::fcntl(socket, F_DUPFD, kWorkerSocketFd + 1);
  const int null = ::open("/dev/null", O_RDWR);
  const int parked_null = null >= 0 ? ::fcntl(null, F_DUPFD, kWorkerSocketFd + 1) : -1;
  if (parked_socket < 0 || parked_null < 0) ::_exit(kExecFailed);
  for (int stream = 0; stream < 3; ++stream) ::dup2(parked_null, stream);
  ::dup2(parked_socket, kWorkerSocketFd);
  close_from(kWorkerSocketFd + 1);
  ::execve(argv[0], argv, envp);
  ::_exit(kExecFailed);
}

}  // namespace

std::string describe_exit(int wait_status) {
  if (WIFSIGNALED(wait_status)) {
    const char* name = ::sigabbrev_np(WTERMSIG(wait_status));
    return fmt::format("killed by SIG{}", name == nullptr ? "?" : name);
  }
  const int code = WEXITSTATUS(wait_status);
  return code == kExecFailed ? "could not be started" : fmt::format("exited with {}", code);
}

Result<ChildProcess> ChildProcess::start(const std::vector<std::string>& command,
                                         const std::vector<std::string>& environment, Fd socket) {
  const std::vector<char*> argv = pointers(command);
  const std::vector<char*> envp = pointers(environment);
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0)
    return errno_error(errno, "cannot start a worker process", "fork",
                       "free some processes or memory");
  if (pid == 0) become_worker(parent, socket.get(), argv.data(), envp.data());
  return ChildProcess(pid);
}

ChildProcess::~ChildProcess() {
  if (pid_ <= 0) return;
  kill();
  reap();
}

void ChildProcess::kill() const {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  ::kill(-pid_, SIGKILL);  // its session leads a group of the same number
}

std::optional<int> ChildProcess::reap() {
  if (pid_ <= 0) return std::nullopt;
  int status = 0;
  const pid_t ended = ::waitpid(pid_, &status, WNOHANG);
  if (ended != pid_) return std::nullopt;
  pid_ = -1;
  return status;
}

std::vector<std::string> worker_environment(std::string_view own) {
  std::vector<std::string> kept;
  if (!own.empty()) kept.emplace_back(own);
  const std::string_view own_name = own.substr(0, own.find('=') + 1);
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view variable(*entry);
    const bool replaced = !own.empty() && variable.starts_with(own_name);
    if (!replaced && !variable.starts_with("BENCHMARK_")) kept.emplace_back(variable);
  }
  return kept;
}

}  // namespace linkburn
