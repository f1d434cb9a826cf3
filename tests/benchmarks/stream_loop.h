// The copy kernel of the STREAM benchmark: c[i] = a[i] over doubles, as its compiler makes it
// [McCalpin, STREAM, stream.c, "Copy"].
#pragma once

#include <cstddef>

namespace linkburn::bench {

void stream_copy(std::byte* to, const std::byte* from, std::size_t bytes);

}  // namespace linkburn::bench
