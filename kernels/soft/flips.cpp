#include "kernels/soft/flips.h"

#include <algorithm>

#include "bench/drill/model.h"
#include "kernels/soft/process.h"

namespace linkburn::soft {

void flip_bit(Session& session, const Span& span, std::uint64_t order) {
  constexpr std::uint64_t kFlips = 0x666c6970;  // a stream of numbers of its own
  const double where = drill::noise(session.state().header.seed, kFlips, order);
  const std::size_t bits = span.bytes * 8;
  const std::size_t bit =
      std::min(static_cast<std::size_t>(where * static_cast<double>(bits)), bits - 1);
  session.cuda().memory.written(span);
  span.view[bit / 8] ^= static_cast<std::byte>(1u << (bit % 8));
}

}  // namespace linkburn::soft
