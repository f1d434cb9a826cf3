// Jobs that misbehave on purpose; the test program is its own worker.
#pragma once

#include <span>

#include "bench/worker/session.h"

namespace linkburn::test {

std::span<const JobKind> misbehaving_jobs();

}  // namespace linkburn::test
