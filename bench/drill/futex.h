// Sleeping on a word of the state file until another process changes it.
#pragma once

#include <atomic>
#include <cstdint>

#include "bench/base/clock.h"

namespace linkburn::drill {

/// Sleeps while the word holds `expected`, at most for `real_limit`. Wakes for nothing now and
/// then, as futex(2) does: callers loop on what they wait for. False: the limit was reached.
bool futex_wait(const void* word, std::uint32_t expected, Duration real_limit);
void futex_wake(const void* word);

}  // namespace linkburn::drill
