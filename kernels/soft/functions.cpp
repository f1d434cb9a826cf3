#include "kernels/soft/functions.h"

#include <array>

namespace linkburn::cuda {

// Referring to all of them makes the linker miss what is not defined.
#define LINKBURN_ADDRESS(name, result, parameters) reinterpret_cast<void (*)()>(&name),
[[gnu::used]] const std::array kDefined{
    LINKBURN_RUNTIME_FUNCTIONS(LINKBURN_ADDRESS, LINKBURN_ADDRESS)
        LINKBURN_DRIVER_FUNCTIONS(LINKBURN_ADDRESS, LINKBURN_ADDRESS)};
#undef LINKBURN_ADDRESS

}  // namespace linkburn::cuda
