// NVML as a table: nvml.nvmlInit_v2(). Optional functions may be null.
#pragma once

#include "kernels/function_table.h"
#include "kernels/nvml_functions.h"

namespace linkburn::nvml {

struct NvmlTable {
  LINKBURN_NVML_FUNCTIONS(LINKBURN_TABLE_MEMBER, LINKBURN_TABLE_MEMBER)

  static std::span<const TableEntry> entries();
};

}  // namespace linkburn::nvml
