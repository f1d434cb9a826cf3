// The CUDA driver API as a table: driver.cuInit(0). Optional functions may be null.
#pragma once

#include "kernels/driver_functions.h"
#include "kernels/function_table.h"

namespace linkburn::cuda {

struct DriverTable {
  LINKBURN_DRIVER_FUNCTIONS(LINKBURN_TABLE_MEMBER, LINKBURN_TABLE_MEMBER)

  static std::span<const TableEntry> entries();
};

}  // namespace linkburn::cuda
