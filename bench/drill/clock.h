// The drill clock: bench/base/clock.h on the time of a drill's state file.
#pragma once

#include <memory>

#include "bench/base/clock.h"
#include "bench/base/result.h"
#include "bench/drill/world.h"

namespace linkburn::drill {

/// The clock of the world that kWorldVariable names; the process comes in as the announced one.
/// Lives as long as the process. Null when the variable is not set.
Result<const Clock*> clock_from_environment();

/// A clock on a mapped world, for tests. The world outlives it.
std::unique_ptr<Clock> make_clock(World& world);

}  // namespace linkburn::drill
