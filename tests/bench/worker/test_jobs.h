// Jobs that misbehave on purpose; the test program is its own worker.
#pragma once

#include <span>

#include "bench/worker/session.h"

namespace linkburn::test {

std::span<const JobKind> misbehaving_jobs();

/// The life of this program as a worker, in real time or in the drill that it was started in.
int run_worker();

}  // namespace linkburn::test
