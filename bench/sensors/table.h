// Every sensor, one line each. A new one is a file in this folder that defines `const SensorInfo
// NAME_sensor`, and its name here.
#pragma once

#include <span>

#include "bench/sensors/sensor.h"

#define LINKBURN_SENSORS(X) \
  X(pcie_link)              \
  X(aer)                    \
  X(kernel_log)

namespace linkburn {

std::span<const SensorInfo* const> sensors();

}  // namespace linkburn
