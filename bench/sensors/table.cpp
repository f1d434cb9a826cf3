#include "bench/sensors/table.h"

#include <array>

namespace linkburn {

#define LINKBURN_DECLARE(name) extern const SensorInfo name##_sensor;
LINKBURN_SENSORS(LINKBURN_DECLARE)
#undef LINKBURN_DECLARE

std::span<const SensorInfo* const> sensors() {
#define LINKBURN_ENTRY(name) &name##_sensor,
  static const std::array all{LINKBURN_SENSORS(LINKBURN_ENTRY)};
#undef LINKBURN_ENTRY
  return all;
}

}  // namespace linkburn
