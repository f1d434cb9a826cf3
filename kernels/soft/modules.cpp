#include "kernels/soft/modules.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "kernels/soft/entry.h"
#include "kernels/soft/functions.h"
#include "kernels/soft/process.h"
#include "kernels/twins.h"

namespace linkburn::cuda {
namespace {

using soft::Cost, soft::driver_call, soft::Needs, soft::Session;

/// What every architecture since compute capability 5.0 allows [CUDA C++ Programming Guide,
/// Technical Specifications per Compute Capability].
constexpr int kThreadsOfMultiprocessor = 2048, kBlocksOfMultiprocessor = 32;
constexpr unsigned kMaxBlockThreads = 1024, kMaxSharedBytes = 48 * 1024;
constexpr int kRegisters = 64, kPtxVersion = 75;

bool is_ptx(const char* image) {
  while (true) {
    image += std::strspn(image, " \t\r\n");
    if (std::strncmp(image, "//", 2) != 0) break;
    image += std::strcspn(image, "\n");
  }
  return std::strncmp(image, ".version", 8) == 0;
}

/// The first bytes of a fatbin [fatbinary_section.h, FATBINC_MAGIC of the wrapper; the header that
/// it points to], of a cubin, or of PTX text.
bool is_image(const void* image) {
  if (image == nullptr) return false;
  std::uint32_t magic = 0;
  std::memcpy(&magic, image, sizeof magic);
  constexpr std::uint32_t kWrapper = 0x466243b1, kFatbin = 0xba55ed50, kElf = 0x464c457f;
  if (magic == kWrapper || magic == kFatbin || magic == kElf) return true;
  return is_ptx(static_cast<const char*>(image));
}

/// Null: none of this process, or unloaded.
CUmod_st* find_module(Session& s, Module module) {
  for (const auto& known : s.cuda().modules)
    if (known.get() == module && !known->unloaded) return known.get();
  return nullptr;
}

CUfunc_st* find_function(Session& s, Function function) {
  for (const auto& module : s.cuda().modules)
    for (const auto& known : module->functions)
      if (known.get() == function && !module->unloaded) return known.get();
  return nullptr;
}

int read_attribute(const drill::Gpu& gpu, int attribute, int* value) {
  switch (attribute) {
    case kFunctionMaxThreads:
      *value = static_cast<int>(kMaxBlockThreads);
      return kSuccess;
    case kFunctionRegisters:
      *value = kRegisters;
      return kSuccess;
    case kFunctionPtxVersion:
      *value = kPtxVersion;
      return kSuccess;
    case kFunctionBinaryVersion:
      *value = gpu.compute_major * 10 + gpu.compute_minor;
      return kSuccess;
    default:
      return kDriverInvalidValue;
  }
}

}  // namespace

DriverResult cuModuleLoadData(Module* module, const void* image) {
  return driver_call("cuModuleLoadData", Needs::context, Cost::call, [&](Session& s, int gpu) {
    if (!is_image(image)) return kDriverInvalidImage;
    auto& made = s.cuda().modules.emplace_back(std::make_unique<CUmod_st>());
    made->gpu = gpu;
    *module = made.get();
    return kSuccess;
  });
}

DriverResult cuModuleUnload(Module module) {
  return driver_call("cuModuleUnload", Needs::context, Cost::call, [&](Session& s, int gpu) {
    CUmod_st* found = find_module(s, module);
    if (found == nullptr) return kInvalidResourceHandle;
    soft::await_gpu(s, gpu);
    found->unloaded = true;
    return kSuccess;
  });
}

DriverResult cuModuleGetFunction(Function* function, Module module, const char* name) {
  return driver_call("cuModuleGetFunction", Needs::context, Cost::call, [&](Session& s, int) {
    CUmod_st* found = find_module(s, module);
    if (found == nullptr) return kInvalidResourceHandle;
    const Twin* twin = find_twin(name);
    if (twin == nullptr) return kDriverNotFound;
    auto& made = found->functions.emplace_back(std::make_unique<CUfunc_st>());
    *made = {twin, found->gpu};
    *function = made.get();
    return kSuccess;
  });
}

DriverResult cuFuncGetAttribute(int* value, int attribute, Function function) {
  return driver_call("cuFuncGetAttribute", Needs::context, Cost::call, [&](Session& s, int gpu) {
    if (find_function(s, function) == nullptr) return kInvalidResourceHandle;
    return read_attribute(s.state().gpus[static_cast<std::size_t>(gpu)], attribute, value);
  });
}

DriverResult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Function function,
                                                         int block_size, std::size_t shared_bytes) {
  return driver_call("cuOccupancyMaxActiveBlocksPerMultiprocessor", Needs::context, Cost::call,
                     [&](Session& s, int) {
                       if (find_function(s, function) == nullptr) return kInvalidResourceHandle;
                       if (block_size <= 0 || block_size > static_cast<int>(kMaxBlockThreads) ||
                           shared_bytes > kMaxSharedBytes)
                         return kDriverInvalidValue;
                       *blocks =
                           std::min(kThreadsOfMultiprocessor / block_size, kBlocksOfMultiprocessor);
                       return kSuccess;
                     });
}

DriverResult cuLaunchKernel(Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                            unsigned block_x, unsigned block_y, unsigned block_z,
                            unsigned shared_bytes, Stream stream, void** parameters, void** extra) {
  return driver_call("cuLaunchKernel", Needs::context, Cost::call, [&](Session& s, int gpu) {
    const CUfunc_st* found = find_function(s, function);
    CUstream_st* in = soft::check_stream(s, stream);
    if (found == nullptr || in == nullptr || found->gpu != gpu || in->gpu != gpu)
      return kInvalidResourceHandle;
    if (extra != nullptr || grid_y != 1 || grid_z != 1 || block_y != 1 || block_z != 1)
      return kNotSupported;
    if (grid_x == 0 || block_x == 0 || block_x > kMaxBlockThreads ||
        shared_bytes > kMaxSharedBytes || parameters == nullptr)
      return kDriverInvalidValue;
    return soft::launch(s, *found->twin, *in, {grid_x, block_x}, parameters);
  });
}

}  // namespace linkburn::cuda
