// Ends the process when something that nobody waits for with a deadline of its own hangs: a read of
// a kernel file, a join. Evidence is on disk by then, and workers die with the process.
#pragma once

#include "bench/base/clock.h"

namespace linkburn {

/// Starts the watching thread, once. It also ends the process some time after the first signal.
void start_watchdog(const Clock& clock);

/// From now on the command must have ended by `limit`, give or take a moment of grace.
void set_watchdog(Instant limit);

}  // namespace linkburn
