// The driver API beside the runtime: one context, kernels loaded as data.
#include "tests/conformance/holders.h"

namespace linkburn::conformance {
namespace {

void the_context_is_shared(Probe& p) {
  const auto& driver = p.on().driver;
  for (int ordinal = 0; ordinal < p.on().count; ++ordinal) {
    const CurrentDevice on(p, ordinal);
    p.works(p.on().runtime.cudaFree(nullptr),
            "cudaFree of null");  // the runtime's context is there
    cuda::Context current = nullptr, primary = nullptr;
    p.works(driver.cuCtxGetCurrent(&current), "cuCtxGetCurrent");
    p.works(driver.cuDevicePrimaryCtxRetain(&primary, ordinal), "cuDevicePrimaryCtxRetain");
    p.expect(current != nullptr && current == primary,
             fmt::format("device {}: {} is current, {} primary", ordinal,
                         static_cast<void*>(current), static_cast<void*>(primary)));
    p.works(driver.cuDevicePrimaryCtxRelease_v2(ordinal), "cuDevicePrimaryCtxRelease");
  }
}

void the_current_context_is_the_current_device(Probe& p) {
  const auto& driver = p.on().driver;
  for (int ordinal = p.on().count - 1; ordinal >= 0; --ordinal) {
    cuda::Context primary = nullptr;
    int device = -1;
    p.works(driver.cuDevicePrimaryCtxRetain(&primary, ordinal), "cuDevicePrimaryCtxRetain");
    p.works(driver.cuCtxSetCurrent(primary), "cuCtxSetCurrent");
    p.works(p.on().runtime.cudaGetDevice(&device), "cudaGetDevice");
    p.expect(device == ordinal, fmt::format("context of {}, device {}", ordinal, device));
    p.works(driver.cuDevicePrimaryCtxRelease_v2(ordinal), "cuDevicePrimaryCtxRelease");
  }
  p.works(p.on().runtime.cudaSetDevice(0), "cudaSetDevice");
}

void devices_of_the_driver_are_bounded(Probe& p) {
  cuda::Device device = -1;
  p.result(p.on().driver.cuDeviceGet(&device, p.on().count), cuda::kInvalidDevice,
           "cuDeviceGet beyond the last");
  p.result(p.on().driver.cuDeviceGet(&device, -1), cuda::kInvalidDevice, "cuDeviceGet of -1");
}

void no_kernels_from_nonsense(Probe& p) {
  cuda::Module module = nullptr;
  const OwnStream stream(p);  // a context
  const char nonsense[64] = "this is no kernel";
  const int result = p.on().driver.cuModuleLoadData(&module, nonsense);
  // Text is taken for PTX, and refused by its compiler.
  p.expect(result != cuda::kSuccess, "it is loaded");
  const OwnStream still(p);
}

constexpr Item kItems[] = {
    {"runtime and driver API share one context", "kernels beside copies", the_context_is_shared},
    {"the current context says which device is current", "kernels beside copies",
     the_current_context_is_the_current_device},
    {"the driver API refuses ordinals without a device", "placing of workers",
     devices_of_the_driver_are_bounded},
    {"what is no kernel is not loaded, and does no harm", "'kernels not loadable'",
     no_kernels_from_nonsense},
};

}  // namespace

std::span<const Item> driver_items() { return kItems; }

}  // namespace linkburn::conformance
