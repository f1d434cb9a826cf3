// What the kernel says about processes and threads of a drill. /proc says it to all users of it
// [linux Documentation/filesystems/proc.rst, tables 1-2 and 1-4], by number, so a number that was
// given to another process since is told apart by its start time.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace linkburn::drill {

/// Of a process that is there, in clock ticks since boot; else 0.
std::uint64_t start_time(pid_t pid);

/// Ended with all its threads; whether its parent has asked for its status does not matter.
/// `start` 0: whichever has that number.
bool is_gone(pid_t pid, std::uint64_t start);

struct ThreadFacts {
  bool gone = false;
  bool asleep = false;       ///< or stopped
  std::uint64_t sleeps = 0;  ///< how often it has gone to sleep so far
};

ThreadFacts thread_facts(pid_t pid, pid_t tid);

}  // namespace linkburn::drill
