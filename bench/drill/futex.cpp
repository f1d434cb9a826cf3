#include "bench/drill/futex.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <ctime>

namespace linkburn::drill {

bool futex_wait(const void* word, std::uint32_t expected, Duration real_limit) {
  const timespec limit{static_cast<time_t>(real_limit.count() / 1'000'000'000),
                       static_cast<long>(real_limit.count() % 1'000'000'000)};
  return ::syscall(SYS_futex, word, FUTEX_WAIT, expected, &limit, nullptr, 0) == 0 ||
         errno != ETIMEDOUT;
}

void futex_wake(const void* word) {
  ::syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace linkburn::drill
