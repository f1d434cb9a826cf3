// A driver that lacks every function that may be missing.
#include "kernels/driver_functions.h"
#include "tests/kernels/fakes/fake.h"

namespace linkburn::cuda {
LINKBURN_DRIVER_FUNCTIONS(FAKE_FUNCTION, FAKE_NOTHING)
}
