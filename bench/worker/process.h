// One child process of ours: started by exec of the same binary, and killed for certain.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/base/clock.h"
#include "bench/base/fd.h"
#include "bench/base/result.h"

namespace linkburn {

/// The descriptor on which a worker finds its socket.
inline constexpr int kWorkerSocketFd = 3;

/// How a process ended, in words: "exited with 4", "killed by SIGSEGV".
std::string describe_exit(int wait_status);

/// A started child. It has /dev/null as standard streams, kWorkerSocketFd and no other descriptor,
/// a session of its own, and dies with the thread that started it (PR_SET_PDEATHSIG follows the
/// thread, not the process: start() belongs to a thread that lives as long as the run).
class ChildProcess {
 public:
  /// `command` is a path and its arguments. `environment` replaces the child's whole environment.
  static Result<ChildProcess> start(const std::vector<std::string>& command,
                                    const std::vector<std::string>& environment, Fd socket);

  ChildProcess(ChildProcess&& other) noexcept : pid_(std::exchange(other.pid_, -1)) {}
  ChildProcess& operator=(ChildProcess&&) = delete;
  ~ChildProcess();

  pid_t pid() const { return pid_; }

  /// SIGKILL to the child and all that it started.
  void kill() const;

  /// The exit status if it has ended (and is reaped); does not wait.
  std::optional<int> reap();

 private:
  explicit ChildProcess(pid_t pid) : pid_(pid) {}
  pid_t pid_ = -1;
};

/// The environment of this process without the variables that would change a measurement unseen
/// (BENCHMARK_*), in execve form. `own` is "NAME=text" in the place of what this process has under
/// that name; empty: nothing.
std::vector<std::string> worker_environment(std::string_view own = {});

}  // namespace linkburn
