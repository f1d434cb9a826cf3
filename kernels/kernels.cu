// All kernels as one module.
#include "kernels/fma_burn.cu"
#include "kernels/gate.cu"
#include "kernels/memory_burn.cu"
#include "kernels/pattern.cu"
#include "kernels/tensor_burn.cu"
