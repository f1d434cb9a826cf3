// The entry points that ask for devices, versions and attributes, choose a device and end a
// context.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "bench/drill/model.h"
#include "kernels/soft/entry.h"
#include "kernels/soft/functions.h"
#include "kernels/soft/process.h"

namespace linkburn::cuda {
namespace {

using soft::Cost, soft::driver_call, soft::gpu_of, soft::Needs, soft::runtime_call, soft::Session;

constexpr int kVersion = 13000;  // of runtime and driver: 1000 times the major one

/// Attributes have the same numbers in both APIs. kInvalidValue: none that linkburn asks for.
RuntimeError read_attribute(const drill::Gpu& gpu, int attribute, int* value) {
  switch (attribute) {
    case kAttributeMultiprocessors:
      *value = gpu.sms;
      return kSuccess;
    case kAttributeEccEnabled:
      *value = 1;
      return kSuccess;
    case kAttributeCopyEngines:
      *value = 2;
      return kSuccess;
    case kAttributeComputeMode:
      *value = gpu.compute_mode;
      return kSuccess;
    case kAttributeComputeMajor:
      *value = gpu.compute_major;
      return kSuccess;
    case kAttributeComputeMinor:
      *value = gpu.compute_minor;
      return kSuccess;
    default:
      return kInvalidValue;
  }
}

const drill::Gpu& world_gpu(Session& session, int gpu) {
  return session.state().gpus[static_cast<std::size_t>(gpu)];
}

const drill::Function& function_of(Session& session, int gpu) {
  return session.state().functions[static_cast<std::size_t>(world_gpu(session, gpu).function)];
}

RuntimeError attribute_of(Session& session, int ordinal, int attribute, int* value) {
  const int gpu = gpu_of(session, ordinal);
  if (gpu == soft::kNoGpu) return kInvalidDevice;
  return read_attribute(world_gpu(session, gpu), attribute, value);
}

}  // namespace

RuntimeError cudaRuntimeGetVersion(int* version) {
  *version = kVersion;
  return kSuccess;
}

RuntimeError cudaDriverGetVersion(int* version) {
  *version = Session::current() == nullptr ? 0 : kVersion;
  return kSuccess;
}

RuntimeError cudaGetDeviceCount(int* count) {
  *count = 0;
  return runtime_call("cudaGetDeviceCount", Needs::device, Cost::call, [&](Session& s, int) {
    *count = static_cast<int>(s.cuda().devices.size());
    return kSuccess;
  });
}

// Since CUDA 12 this makes the context [CUDA 12.0 release notes: "cudaSetDevice() will now
// explicitly initialize the runtime after changing the current device"].
RuntimeError cudaSetDevice(int device) {
  return runtime_call("cudaSetDevice", Needs::device, Cost::call, [&](Session& s, int) {
    const int gpu = gpu_of(s, device);
    if (gpu == soft::kNoGpu) return kInvalidDevice;
    if (soft::hangs(s.state(), "cudaSetDevice", gpu)) s.hang();
    soft::set_thread_gpu(s, gpu);
    return soft::use_context(s, gpu, soft::Api::runtime);
  });
}

RuntimeError cudaGetDevice(int* device) {
  return runtime_call("cudaGetDevice", Needs::device, Cost::call, [&](Session& s, int gpu) {
    *device = soft::ordinal_of(s, gpu);
    return kSuccess;
  });
}

RuntimeError cudaSetDeviceFlags(unsigned flags) {
  return runtime_call("cudaSetDeviceFlags", Needs::device, Cost::call, [&](Session&, int) {
    return (flags & ~0x1fu) == 0 ? kSuccess : kInvalidValue;
  });
}

RuntimeError cudaDeviceGetAttribute(int* value, int attribute, int device) {
  return runtime_call("cudaDeviceGetAttribute", Needs::device, Cost::call,
                      [&](Session& s, int) { return attribute_of(s, device, attribute, value); });
}

RuntimeError cudaDeviceGetPCIBusId(char* text, int bytes, int device) {
  return runtime_call("cudaDeviceGetPCIBusId", Needs::device, Cost::call, [&](Session& s, int) {
    const int gpu = gpu_of(s, device);
    if (gpu == soft::kNoGpu) return kInvalidDevice;
    const drill::Function& f = function_of(s, gpu);
    const std::string id = fmt::format("{:04X}:{:02X}:{:02X}.0", f.domain, f.bus, f.slot);
    if (text == nullptr || bytes <= static_cast<int>(id.size())) return kInvalidValue;
    std::memcpy(text, id.c_str(), id.size() + 1);
    return kSuccess;
  });
}

RuntimeError cudaDeviceGetByPCIBusId(int* device, const char* text) {
  return runtime_call("cudaDeviceGetByPCIBusId", Needs::device, Cost::call, [&](Session& s, int) {
    unsigned domain = 0, bus = 0, slot = 0;
    if (std::sscanf(text, "%x:%x:%x", &domain, &bus, &slot) != 3) return kInvalidValue;  // NOLINT
    const auto& devices = s.cuda().devices;
    const auto found = std::find_if(devices.begin(), devices.end(), [&](int gpu) {
      const drill::Function& f = function_of(s, gpu);
      return f.domain == domain && f.bus == bus && f.slot == slot;
    });
    if (found == devices.end()) return kInvalidDevice;
    *device = static_cast<int>(found - devices.begin());
    return kSuccess;
  });
}

RuntimeError cudaDeviceSynchronize() {
  return runtime_call("cudaDeviceSynchronize", Needs::context, Cost::call,
                      [&](Session& s, int gpu) {
                        soft::await_gpu(s, gpu);
                        return soft::state_of_context(s, gpu);
                      });
}

RuntimeError cudaDeviceReset() {
  return runtime_call("cudaDeviceReset", Needs::device, Cost::call, [&](Session& s, int gpu) {
    if (const auto error = soft::state_of_context(s, gpu)) return error;
    soft::end_context(s, gpu);
    return kSuccess;
  });
}

RuntimeError cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  return runtime_call("cudaMemGetInfo", Needs::context, Cost::call, [&](Session& s, int gpu) {
    const drill::Gpu& g = world_gpu(s, gpu);
    *total = g.memory_bytes;
    *free = drill::free_memory(g);
    return kSuccess;
  });
}

DriverResult cuInit(unsigned flags) {
  if (flags != 0) return kDriverInvalidValue;
  Session* session = Session::current();
  if (session == nullptr) return kNoDevice;
  const soft::Call call(*session, "cuInit", Cost::call);
  soft::find_devices(*session);
  if (session->cuda().devices.empty()) return kNoDevice;
  session->cuda().driver_started = true;
  return kSuccess;
}

DriverResult cuDriverGetVersion(int* version) { return cudaDriverGetVersion(version); }

DriverResult cuDeviceGetCount(int* count) {
  return driver_call("cuDeviceGetCount", Needs::nothing, Cost::call, [&](Session& s, int) {
    *count = static_cast<int>(s.cuda().devices.size());
    return kSuccess;
  });
}

DriverResult cuDeviceGet(Device* device, int ordinal) {
  return driver_call("cuDeviceGet", Needs::nothing, Cost::call, [&](Session& s, int) {
    if (gpu_of(s, ordinal) == soft::kNoGpu) return kInvalidDevice;
    *device = ordinal;
    return kSuccess;
  });
}

DriverResult cuDeviceGetAttribute(int* value, int attribute, Device device) {
  return driver_call("cuDeviceGetAttribute", Needs::nothing, Cost::call,
                     [&](Session& s, int) { return attribute_of(s, device, attribute, value); });
}

DriverResult cuDevicePrimaryCtxRetain(Context* context, Device device) {
  return driver_call("cuDevicePrimaryCtxRetain", Needs::nothing, Cost::call, [&](Session& s, int) {
    const int gpu = gpu_of(s, device);
    if (gpu == soft::kNoGpu) return kInvalidDevice;
    if (const auto error = soft::use_context(s, gpu, soft::Api::driver)) return error;
    auto& found = s.cuda().contexts[static_cast<std::size_t>(gpu)];
    ++found.retained;
    *context = &found.handle;
    return kSuccess;
  });
}

DriverResult cuDevicePrimaryCtxRelease_v2(Device device) {
  return driver_call("cuDevicePrimaryCtxRelease_v2", Needs::nothing, Cost::call,
                     [&](Session& s, int) {
                       const int gpu = gpu_of(s, device);
                       if (gpu == soft::kNoGpu) return kInvalidDevice;
                       auto& found = s.cuda().contexts[static_cast<std::size_t>(gpu)];
                       if (found.retained == 0) return kDriverInvalidContext;
                       if (--found.retained == 0 && !found.of_runtime) soft::end_context(s, gpu);
                       return kSuccess;
                     });
}

DriverResult cuCtxSetCurrent(Context context) {
  return driver_call("cuCtxSetCurrent", Needs::nothing, Cost::call, [&](Session& s, int) {
    const int gpu = context == nullptr ? soft::kNoGpu : context->gpu;
    soft::set_thread_gpu(s, gpu);
    return kSuccess;
  });
}

DriverResult cuCtxGetCurrent(Context* context) {
  return driver_call("cuCtxGetCurrent", Needs::nothing, Cost::call, [&](Session& s, int gpu) {
    *context = nullptr;
    if (gpu != soft::kNoGpu && s.cuda().contexts[static_cast<std::size_t>(gpu)].created)
      *context = &s.cuda().contexts[static_cast<std::size_t>(gpu)].handle;
    return kSuccess;
  });
}

}  // namespace linkburn::cuda
