#include "tests/benchmarks/stream_loop.h"

namespace linkburn::bench {

void stream_copy(std::byte* to, const std::byte* from, std::size_t bytes) {
  auto* __restrict c = reinterpret_cast<double*>(to);
  const auto* __restrict a = reinterpret_cast<const double*>(from);
  for (std::size_t i = 0; i < bytes / sizeof(double); ++i) c[i] = a[i];
}

}  // namespace linkburn::bench
