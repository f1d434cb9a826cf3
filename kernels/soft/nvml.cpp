// The software NVML: start and end of the library, which devices there are, texts about them.
#include <algorithm>
#include <array>

#include "kernels/soft/nvml_calls.h"

struct linkburn::nvml::nvmlDevice_st {};

namespace linkburn::soft {
namespace {

/// A handle is the address of the GPU's place here.
std::array<nvml::nvmlDevice_st, drill::kMaxGpus> handles;

/// Not a version that any driver has.
constexpr const char* kDriverVersion = "580.0.drill";

nvml::Return handle_of(const drill::State& state, int gpu, nvml::Device* device) {
  if (lost(state, gpu)) return nvml::kGpuLost;
  return give_value(device, nvml_handle(gpu));
}

}  // namespace

int& nvml_users() {
  static int users = 0;
  return users;
}

nvml::Device nvml_handle(int gpu) { return &handles[static_cast<std::size_t>(gpu)]; }

int gpu_of(nvml::Device device) {
  for (std::size_t gpu = 0; gpu < handles.size(); ++gpu)
    if (device == &handles[gpu]) return static_cast<int>(gpu);
  return kNoGpu;
}

bool lost(const drill::State& state, int gpu) {
  const drill::Gpu& g = state.gpus[static_cast<std::size_t>(gpu)];
  return g.lost || state.functions[static_cast<std::size_t>(g.function)].gone;
}

}  // namespace linkburn::soft

namespace linkburn::nvml {

using namespace soft;  // NOLINT(google-build-using-namespace): its calls
using drill::State;

extern "C" {

Return nvmlInit_v2() {
  Session* session = Session::current();
  if (session == nullptr) return kDriverNotLoaded;
  const Call call(*session, __func__, Cost::call);
  ++nvml_users();
  return kSuccess;
}

Return nvmlShutdown() {
  return ask_library(__func__, [](const Session&) {
    --nvml_users();
    return kSuccess;
  });
}

const char* nvmlErrorString(Return result) {
  switch (result) {
    case kSuccess:
      return "Success";
    case kUninitialized:
      return "Uninitialized";
    case kInvalidArgument:
      return "Invalid Argument";
    case kNotSupported:
      return "Not Supported";
    case kNoPermission:
      return "Insufficient Permissions";
    case kNotFound:
      return "Not Found";
    case kInsufficientSize:
      return "Insufficient Size";
    case kDriverNotLoaded:
      return "Driver Not Loaded";
    case kTimeout:
      return "Timeout";
    case kFunctionNotFound:
      return "Function Not Found";
    case kGpuLost:
      return "GPU is lost";
    default:
      return "Unknown Error";
  }
}

Return nvmlSystemGetDriverVersion(char* text, unsigned bytes) {
  return ask_library(__func__,
                     [&](const Session&) { return give_text(text, bytes, kDriverVersion); });
}

Return nvmlDeviceGetCount_v2(unsigned* count) {
  return ask_library(__func__, [&](const Session& session) {
    return give_value(count, nvml_order(session.state()).size());
  });
}

Return nvmlDeviceGetHandleByIndex_v2(unsigned index, Device* device) {
  return ask_library(__func__, [&](const Session& session) {
    const auto order = nvml_order(session.state());
    if (index >= order.size()) return kInvalidArgument;
    return handle_of(session.state(), order[index], device);
  });
}

Return nvmlDeviceGetHandleByPciBusId_v2(const char* bus_id, Device* device) {
  return ask_library(__func__, [&](const Session& session) {
    if (bus_id == nullptr) return kInvalidArgument;
    const int gpu = gpu_at(session.state(), bus_id);
    return gpu < 0 ? kNotFound : handle_of(session.state(), gpu, device);
  });
}

Return nvmlDeviceGetPciInfo_v3(Device device, PciInfo* info) {
  return ask_identity(__func__, device, [&](const State& state, int gpu) {
    return give_value(info, pci_info(state, gpu));
  });
}

Return nvmlDeviceGetName(Device device, char* text, unsigned bytes) {
  return ask(__func__, device, [&](const State& state, int gpu) {
    return give_text(text, bytes, state.gpus[gpu].model.data());
  });
}

Return nvmlDeviceGetUUID(Device device, char* text, unsigned bytes) {
  return ask(__func__, device, [&](const State& state, int gpu) {
    return give_text(text, bytes, state.gpus[gpu].uuid.data());
  });
}

Return nvmlDeviceGetSerial(Device device, char* text, unsigned bytes) {
  return ask(__func__, device, [&](const State& state, int gpu) {
    return give_text(text, bytes, state.gpus[gpu].serial.data());
  });
}

Return nvmlDeviceGetComputeRunningProcesses_v3(Device device, unsigned* count, ProcessInfo* infos) {
  return ask(__func__, device, [&](const State& state, int gpu) {
    if (count == nullptr || (*count > 0 && infos == nullptr)) return kInvalidArgument;
    const auto found = processes(state, gpu);
    const bool fits = found.size() <= *count;
    *count = static_cast<unsigned>(found.size());
    if (!fits) return kInsufficientSize;
    std::ranges::copy(found, infos);
    return kSuccess;
  });
}

}  // extern "C"

}  // namespace linkburn::nvml
