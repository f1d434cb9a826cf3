// The functions that this library defines, declared from the lists of those that linkburn calls: a
// definition that does not fit does not compile, a missing one does not link (functions.cpp).
#pragma once

#include "kernels/driver_functions.h"
#include "kernels/runtime_functions.h"

namespace linkburn::cuda {

#define LINKBURN_DECLARE(name, result, parameters) extern "C" result name parameters;
LINKBURN_RUNTIME_FUNCTIONS(LINKBURN_DECLARE, LINKBURN_DECLARE)
LINKBURN_DRIVER_FUNCTIONS(LINKBURN_DECLARE, LINKBURN_DECLARE)
#undef LINKBURN_DECLARE

}  // namespace linkburn::cuda
