#include "bench/captures/table.h"

#include <array>

namespace linkburn {

std::span<const CaptureKind* const> capture_kinds() {
#define LINKBURN_ADDRESS(name) &name##_capture,
  static constexpr std::array kKinds{LINKBURN_CAPTURES(LINKBURN_ADDRESS)};
#undef LINKBURN_ADDRESS
  return kKinds;
}

}  // namespace linkburn
