// A process with software GPUs for tests: a drill on small_drill_state() and the built library in
// tables of functions.
//
// Hand-computed rates: a gen5 x16 link carries 32 GT/s x 16 lanes / 8 x 128/130 = 63.015 GB/s, of
// which 0.87 are payload: 54.82 GB/s. GPUs idle at gen1 x16: 2.5 x 16 / 8 x 0.8 = 4 GB/s, 3.48.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "kernels/driver_functions.h"
#include "kernels/function_table.h"
#include "kernels/runtime_functions.h"
#include "tests/support/drill_run.h"
#include "tests/support/running_drill.h"

namespace linkburn::cuda {

struct Functions {
  LINKBURN_RUNTIME_FUNCTIONS(LINKBURN_TABLE_MEMBER, LINKBURN_TABLE_MEMBER)
  LINKBURN_DRIVER_FUNCTIONS(LINKBURN_TABLE_MEMBER, LINKBURN_TABLE_MEMBER)
};

}  // namespace linkburn::cuda

namespace linkburn::test {

inline constexpr std::size_t kMiB = 1 << 20;
inline constexpr double kGen5Gbs = 63.0154 * 0.87;

inline void* soft_library() {
  static void* library = ::dlopen(LINKBURN_SOFT_GPU, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) ADD_FAILURE() << ::dlerror();
  return library;
}

template <class Function>
Function soft_function(const char* name) {
  return reinterpret_cast<Function>(::dlsym(soft_library(), name));
}

inline const cuda::Functions& soft_gpu() {
  static const cuda::Functions functions = [] {
    cuda::Functions f;
#define LINKBURN_LOAD(name, result, parameters) f.name = soft_function<decltype(f.name)>(#name);
    LINKBURN_RUNTIME_FUNCTIONS(LINKBURN_LOAD, LINKBURN_LOAD)
    LINKBURN_DRIVER_FUNCTIONS(LINKBURN_LOAD, LINKBURN_LOAD)
#undef LINKBURN_LOAD
    return f;
  }();
  return functions;
}

/// Bytes whose content tells where they lie and of which run they are.
inline void fill(void* at, std::size_t bytes, unsigned run) {
  auto* to = static_cast<unsigned char*>(at);
  for (std::size_t i = 0; i < bytes; ++i)
    to[i] = static_cast<unsigned char>(i * 31 + i / 251 + run);
}

/// The test's process is a participant of a running drill.
class SoftGpuTest : public ::testing::Test {
 protected:
  SoftGpuTest() {
    ::setenv("LINKBURN_DRILL", drill_.world().folder().c_str(), 1);
    keep_awake(state());
    for (drill::Gpu& one : state().gpus) one.context_ms = one.teardown_ms = 10;
  }
  ~SoftGpuTest() override {
    drill_.stop();
    ::unsetenv("LINKBURN_DRILL");
    EXPECT_TRUE(drill_.status());
  }

  /// Time begins to pass; the state is the test's until then.
  void start() { drill_.start(); }
  void start_on(int device) {
    start();
    ASSERT_EQ(gpu.cudaSetDevice(device), cuda::kSuccess);
  }

  drill::State& state() { return drill_.state(); }
  std::int64_t now_ns() { return state().header.now_ns; }

  void* device_memory(std::size_t bytes) {
    void* at = nullptr;
    EXPECT_EQ(gpu.cudaMalloc(&at, bytes), cuda::kSuccess);
    return at;
  }
  unsigned char* pinned_memory(std::size_t bytes) {
    void* at = nullptr;
    EXPECT_EQ(gpu.cudaHostAlloc(&at, bytes, cuda::kHostAllocPortable), cuda::kSuccess);
    return static_cast<unsigned char*>(at);
  }
  cuda::Stream stream() {
    cuda::Stream made = nullptr;
    EXPECT_EQ(gpu.cudaStreamCreateWithFlags(&made, cuda::kStreamNonBlocking), cuda::kSuccess);
    return made;
  }
  cuda::Event event() {
    cuda::Event made = nullptr;
    EXPECT_EQ(gpu.cudaEventCreateWithFlags(&made, cuda::kEventDefault), cuda::kSuccess);
    return made;
  }
  /// Milliseconds between two events that have ended.
  float elapsed_ms(cuda::Event from, cuda::Event to) {
    float ms = -1;
    EXPECT_EQ(gpu.cudaEventElapsedTime(&ms, from, to), cuda::kSuccess);
    return ms;
  }
  /// A function of a module on the current device.
  cuda::Function function(const char* name) {
    cuda::Module module = nullptr;
    cuda::Function found = nullptr;
    EXPECT_EQ(gpu.cuInit(0), cuda::kSuccess);
    EXPECT_EQ(gpu.cuModuleLoadData(&module, "// made by hand\n.version 7.0\n"), cuda::kSuccess);
    EXPECT_EQ(gpu.cuModuleGetFunction(&found, module, name), cuda::kSuccess);
    return found;
  }
  template <class... Arguments>
  int launch(cuda::Function which, cuda::Stream in, unsigned threads, Arguments... arguments) {
    void* each[] = {&arguments...};
    return gpu.cuLaunchKernel(which, 1, 1, 1, threads, 1, 1, 0, in, each, nullptr);
  }
  /// Copies and waits.
  int copy(void* to, const void* from, std::size_t bytes, cuda::Stream in) {
    const int queued = gpu.cudaMemcpyAsync(to, from, bytes, cuda::kCopyDefault, in);
    return queued != cuda::kSuccess ? queued : gpu.cudaStreamSynchronize(in);
  }
  /// What lies in memory of a GPU.
  std::vector<unsigned char> read(const void* from, std::size_t bytes, cuda::Stream in) {
    unsigned char* buffer = pinned_memory(bytes);
    EXPECT_EQ(copy(buffer, from, bytes, in), cuda::kSuccess);
    std::vector<unsigned char> seen(buffer, buffer + bytes);
    EXPECT_EQ(gpu.cudaFreeHost(buffer), cuda::kSuccess);
    return seen;
  }
  const cuda::Functions& gpu = soft_gpu();
  DrillRun drill_;
};

}  // namespace linkburn::test
