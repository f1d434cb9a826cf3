#include "kernels/nvml_functions.h"
#include "tests/kernels/fakes/fake.h"

namespace linkburn::nvml {
LINKBURN_NVML_FUNCTIONS(FAKE_FUNCTION, FAKE_FUNCTION)
}
