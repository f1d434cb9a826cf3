// FAKE_LACKS: one needed function is not there.
#include "kernels/runtime_functions.h"
#include "tests/kernels/fakes/fake.h"

#ifdef FAKE_LACKS
#define cudaMemcpyAsync cudaMemcpyAsync_of_another_name
#endif

namespace linkburn::cuda {
LINKBURN_RUNTIME_FUNCTIONS(FAKE_FUNCTION, FAKE_FUNCTION)
}
