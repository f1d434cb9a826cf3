// Failed CUDA and NVML calls in words: which call, on which device, and the library's own name and
// text for the number.
#pragma once

#include <string>
#include <string_view>

#include "bench/base/result.h"
#include "kernels/driver.h"
#include "kernels/nvml.h"
#include "kernels/runtime.h"

namespace linkburn {

/// "cudaMemcpyAsync on 0000:17:00.0: cudaErrorDevicesUnavailable (46): ...". `device` may be empty.
/// CUDA reports a failure of the GPU at a later call: the call named here met it, and need not have
/// caused it.
Error cuda_error(const cuda::RuntimeTable& runtime, std::string_view call, std::string_view device,
                 cuda::RuntimeError error);

/// The same for the driver API, whose numbers have names of their own.
Error driver_error(const cuda::DriverTable& driver, std::string_view call, std::string_view device,
                   cuda::DriverResult error);

/// "nvmlDeviceGetTemperature on 0000:17:00.0: GPU is lost (15)".
Error nvml_error(const nvml::NvmlTable& nvml, std::string_view call, std::string_view device,
                 nvml::Return error);

}  // namespace linkburn
