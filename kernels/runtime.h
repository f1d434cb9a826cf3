// The CUDA Runtime as a table: runtime.cudaMalloc(...). Filled by load_table (function_table.h).
#pragma once

#include "kernels/function_table.h"
#include "kernels/runtime_functions.h"

namespace linkburn::cuda {

struct RuntimeTable {
  LINKBURN_RUNTIME_FUNCTIONS(LINKBURN_TABLE_MEMBER, LINKBURN_TABLE_MEMBER)

  static std::span<const TableEntry> entries();
};

}  // namespace linkburn::cuda
