// A flipped bit, as a fault asks for it: which one depends on the seed and on the op alone.
#pragma once

#include <cstdint>

#include "kernels/soft/memory.h"
#include "kernels/soft/session.h"

namespace linkburn::soft {

void flip_bit(Session& session, const Span& span, std::uint64_t order);

}  // namespace linkburn::soft
