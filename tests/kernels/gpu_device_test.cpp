#include "kernels/gpu_device.h"

#include <gtest/gtest.h>

#include <map>

#include "kernels/gpu_memory.h"
#include "kernels/gpu_stream.h"

namespace linkburn {
namespace {

/// What the pretended CUDA below answers and has seen; one per test.
struct Script {
  std::map<std::string, int> errors;  ///< by call
  std::vector<std::string> calls;
  bool error_pending = false;
};
Script script;

int called(const std::string& name) {
  script.calls.push_back(name);
  const auto found = script.errors.find(name);
  const int error = found != script.errors.end() ? found->second : 0;
  script.error_pending = script.error_pending || error != 0;
  return error;
}

int count_of(const std::string& name) {
  return static_cast<int>(std::count(script.calls.begin(), script.calls.end(), name));
}

cuda::RuntimeTable pretended_runtime() {
  cuda::RuntimeTable cuda;
  cuda.cudaGetErrorName = [](int) { return "cudaErrorSome"; };
  cuda.cudaGetErrorString = [](int) { return "some words"; };
  cuda.cudaGetLastError = [] {
    script.error_pending = false;
    return 0;
  };
  cuda.cudaDeviceGetByPCIBusId = [](int* ordinal, const char*) {
    *ordinal = 3;
    return called("cudaDeviceGetByPCIBusId");
  };
  cuda.cudaSetDevice = [](int ordinal) {
    return called("cudaSetDevice " + std::to_string(ordinal));
  };
  cuda.cudaSetDeviceFlags = [](unsigned) { return called("cudaSetDeviceFlags"); };
  cuda.cudaFree = [](void* data) { return called(data == nullptr ? "cudaFree 0" : "cudaFree"); };
  cuda.cudaMalloc = [](void** data, std::size_t) {
    *data = &script;
    return called("cudaMalloc");
  };
  cuda.cudaHostAlloc = [](void** data, std::size_t, unsigned) {
    *data = &script;
    return called("cudaHostAlloc");
  };
  cuda.cudaFreeHost = [](void*) { return called("cudaFreeHost"); };
  cuda.cudaHostRegister = [](void*, std::size_t, unsigned) { return called("cudaHostRegister"); };
  cuda.cudaHostUnregister = [](void*) { return called("cudaHostUnregister"); };
  cuda.cudaDeviceEnablePeerAccess = [](int, unsigned) {
    return called("cudaDeviceEnablePeerAccess");
  };
  cuda.cudaStreamCreateWithFlags = [](cuda::Stream* stream, unsigned flags) {
    *stream = reinterpret_cast<cuda::Stream>(&script);
    return called("cudaStreamCreateWithFlags " + std::to_string(flags));
  };
  cuda.cudaStreamDestroy = [](cuda::Stream) { return called("cudaStreamDestroy"); };
  cuda.cudaStreamQuery = [](cuda::Stream) { return called("cudaStreamQuery"); };
  cuda.cudaMemcpyAsync = [](void*, const void*, std::size_t, int, cuda::Stream) {
    return called("cudaMemcpyAsync");
  };
  return cuda;
}

class GpuDeviceTest : public testing::Test {
 protected:
  void SetUp() override {
    script = {};
    libraries_.runtime = pretended_runtime();
    libraries_.driver.emplace();
    libraries_.gpus = 4;
    libraries_.counted = {};
  }

  GpuDevice selected() {
    auto device = GpuDevice::select(libraries_, "0000:17:00.0");
    EXPECT_TRUE(device);
    script.calls.clear();
    return *device;
  }

  GpuLibraries libraries_;
};

TEST_F(GpuDeviceTest, IsSelectedByAddressAndItsContextMade) {
  const auto device = GpuDevice::select(libraries_, "0000:17:00.0");
  ASSERT_TRUE(device);
  EXPECT_EQ(device->ordinal(), 3);
  EXPECT_EQ(script.calls, (std::vector<std::string>{"cudaDeviceGetByPCIBusId", "cudaSetDevice 3",
                                                    "cudaSetDeviceFlags", "cudaFree 0"}));
}

TEST_F(GpuDeviceTest, AFailureNamesCallDeviceNumberAndTheWordsOfCuda) {
  script.errors["cudaFree 0"] = cuda::kDevicesUnavailable;
  const auto device = GpuDevice::select(libraries_, "0000:17:00.0");
  ASSERT_FALSE(device);
  EXPECT_EQ(device.error().what, "cudaFree on 0000:17:00.0: cudaErrorSome (46): some words");
  EXPECT_EQ(device.error().code, Code::busy);
}

TEST_F(GpuDeviceTest, WithoutALibraryTheReasonIsThatOfTheLibrary) {
  libraries_.driver.reset();
  libraries_.choices.push_back({"cuda_driver", {}, {}, "not there", "get it", {}, {}, false});
  const auto device = GpuDevice::select(libraries_, "0000:17:00.0");
  ASSERT_FALSE(device);
  EXPECT_EQ(device.error().line(), "not there: cuda_driver (get it)");
  EXPECT_TRUE(script.calls.empty());
}

TEST_F(GpuDeviceTest, WithoutGpusTheReasonIsThatOfTheCount) {
  libraries_.counted = Error{Code::not_found, "no GPU", {}, {}};
  const auto device = GpuDevice::select(libraries_, "0000:17:00.0");
  ASSERT_FALSE(device);
  EXPECT_EQ(device.error().what, "no GPU");
}

TEST_F(GpuDeviceTest, AnErrorThatWasToldIsNotMetAgain) {
  const GpuDevice device = selected();
  script.errors["cudaMalloc"] = cuda::kOutOfMemory;
  EXPECT_FALSE(DeviceMemory::allocate(device, 1));
  EXPECT_FALSE(script.error_pending);
}

TEST_F(GpuDeviceTest, PeerAccessThatIsThereAlreadyIsNoError) {
  const GpuDevice device = selected();
  script.errors["cudaDeviceEnablePeerAccess"] = cuda::kPeerAccessAlreadyEnabled;
  EXPECT_TRUE(device.reach(device));
  EXPECT_FALSE(script.error_pending);
  script.errors["cudaDeviceEnablePeerAccess"] = cuda::kPeerAccessUnsupported;
  EXPECT_FALSE(device.reach(device));
}

TEST_F(GpuDeviceTest, MemoryIsFreedOnceHoweverOftenItMoves) {
  const GpuDevice device = selected();
  {
    auto memory = DeviceMemory::allocate(device, 1);
    ASSERT_TRUE(memory);
    DeviceMemory moved = std::move(*memory);
    auto other = DeviceMemory::allocate(device, 2);
    ASSERT_TRUE(other);
    moved = std::move(*other);
    EXPECT_EQ(moved.bytes(), 2U);
  }
  EXPECT_EQ(count_of("cudaMalloc"), 2);
  EXPECT_EQ(count_of("cudaFree"), 2);
}

TEST_F(GpuDeviceTest, WhatWasNotAllocatedIsNotFreed) {
  const GpuDevice device = selected();
  script.errors["cudaHostRegister"] = cuda::kHostMemoryAlreadyRegistered;
  EXPECT_FALSE(PinnedMemory::pin(device, &script, 4096));
  EXPECT_EQ(count_of("cudaHostUnregister"), 0);
}

TEST_F(GpuDeviceTest, PinnedMemoryIsLetGoOfTheWayItCame) {
  const GpuDevice device = selected();
  { const auto allocated = PinnedMemory::allocate(device, 4096); }
  EXPECT_EQ(count_of("cudaFreeHost"), 1);
  script.calls.clear();
  { const auto pinned = PinnedMemory::pin(device, &script, 4096); }
  const std::string directed = "cudaSetDevice " + std::to_string(device.ordinal());
  EXPECT_EQ(script.calls,
            (std::vector<std::string>{directed, "cudaHostRegister", "cudaHostUnregister"}));
}

TEST_F(GpuDeviceTest, StreamsDoNotWaitForTheLegacyStream) {
  const GpuDevice device = selected();
  { const auto stream = GpuStream::create(device); }
  EXPECT_EQ(script.calls,
            (std::vector<std::string>{"cudaSetDevice 3", "cudaStreamCreateWithFlags 1",
                                      "cudaStreamDestroy"}));
}

TEST_F(GpuDeviceTest, NotReadyIsAnAnswerAndAnythingElseAnError) {
  const GpuDevice device = selected();
  const auto stream = GpuStream::create(device);
  ASSERT_TRUE(stream);
  EXPECT_TRUE(stream->done().value_or(false));
  script.errors["cudaStreamQuery"] = cuda::kNotReady;
  EXPECT_FALSE(stream->done().value_or(true));
  EXPECT_FALSE(script.error_pending);
  script.errors["cudaStreamQuery"] = cuda::kLaunchFailure;
  EXPECT_FALSE(stream->done());
}

TEST_F(GpuDeviceTest, AGateThatTheDriverDoesNotHaveIsUnsupported) {
  const GpuDevice device = selected();
  const auto stream = GpuStream::create(device);
  ASSERT_TRUE(stream);
  std::uint32_t word = 0;
  const auto gate = stream->wait_for_word(&word, 1);
  ASSERT_FALSE(gate);
  EXPECT_EQ(gate.error().code, Code::unsupported);
}

}  // namespace
}  // namespace linkburn
