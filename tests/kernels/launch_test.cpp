// Loading and launching through a driver that writes down what it is asked.
#include "kernels/launch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "kernels/image.h"

namespace linkburn {
namespace {

using testing::HasSubstr;

struct Driver {
  std::vector<std::string> calls;
  std::string failing;  // this call fails, with this result
  cuda::DriverResult result = cuda::kDriverInvalidImage;
  std::vector<std::uint64_t> arguments;  // the first three of the last launch
  int blocks_per_multiprocessor = 4;

  cuda::DriverResult answer(const std::string& call) {
    calls.push_back(call);
    return call == failing ? result : cuda::kSuccess;
  }
};
Driver driver;

template <class T>
T handle(std::uintptr_t number) {
  return reinterpret_cast<T>(number);
}

cuda::DriverResult launched(cuda::Function, unsigned blocks, unsigned, unsigned, unsigned threads,
                            unsigned, unsigned, unsigned, cuda::Stream, void** arguments, void**) {
  driver.arguments.clear();
  for (int i = 0; i < 3; ++i)
    driver.arguments.push_back(*static_cast<const std::uint64_t*>(arguments[i]));
  return driver.answer("launch " + std::to_string(blocks) + "x" + std::to_string(threads));
}

cuda::DriverTable table() {
  using namespace cuda;  // NOLINT(google-build-using-namespace)
  DriverTable t;
  t.cuInit = [](unsigned) { return driver.answer("init"); };
  t.cuDeviceGet = [](Device* device, int ordinal) {
    *device = ordinal + 10;
    return driver.answer("device");
  };
  t.cuDevicePrimaryCtxRetain = [](Context* context, Device device) {
    *context = handle<Context>(1);
    return driver.answer("retain " + std::to_string(device));
  };
  t.cuDevicePrimaryCtxRelease_v2 = [](Device device) {
    return driver.answer("release " + std::to_string(device));
  };
  t.cuCtxSetCurrent = [](Context) { return driver.answer("current"); };
  t.cuModuleLoadData = [](Module* module, const void* image) {
    EXPECT_EQ(image, kernel_image().bytes.data());
    const DriverResult result = driver.answer("load");
    if (result == kSuccess) *module = handle<Module>(1);
    return result;
  };
  t.cuModuleUnload = [](Module) { return driver.answer("unload"); };
  t.cuModuleGetFunction = [](Function* function, Module, const char* name) {
    *function = handle<Function>(1);
    return driver.answer(name);
  };
  t.cuLaunchKernel = launched;
  t.cuOccupancyMaxActiveBlocksPerMultiprocessor = [](int* blocks, Function, int, std::size_t) {
    *blocks = driver.blocks_per_multiprocessor;
    return driver.answer("occupancy");
  };
  t.cuDeviceGetAttribute = [](int* value, int attribute, Device) {
    EXPECT_EQ(attribute, kDeviceMultiprocessors);
    *value = 132;
    return driver.answer("attribute");
  };
  t.cuGetErrorName = [](DriverResult, const char** name) {
    *name = "CUDA_ERROR_INVALID_IMAGE";
    return kSuccess;
  };
  t.cuGetErrorString = [](DriverResult, const char** text) {
    *text = "device kernel image is invalid";
    return kSuccess;
  };
  return t;
}

struct Launch : testing::Test {
  void SetUp() override {
    driver = {};
    if (kernel_image().bytes.empty()) GTEST_SKIP() << "built without kernels";
  }
  Result<LoadedKernels> load() const { return LoadedKernels::load(table_, 3, "0000:17:00.0"); }
  static bool called(const std::string& call) {
    return std::ranges::count(driver.calls, call) == 1;
  }

  cuda::DriverTable table_ = table();
};

TEST_F(Launch, LoadsOnceIntoThePrimaryContextAndLeavesNothing) {
  {
    auto kernels = load();
    ASSERT_TRUE(kernels);
    const LoadedKernels moved = std::move(kernels).value();
    EXPECT_FALSE(called("unload"));
  }
  for (const char* call : {"retain 13", "current", "load", "unload", "release 13"})
    EXPECT_TRUE(called(call)) << call;
  for (const DeclaredKernel& kernel : declared_kernels())
    EXPECT_TRUE(called(std::string(kernel.name))) << kernel.name;
}

TEST_F(Launch, PassesItsArgumentsAsTheyWereDeclared) {
  const auto kernels = load();
  ASSERT_TRUE(kernels);
  EXPECT_TRUE(kernels->launch(kPatternFill, {.blocks = 5, .threads = 128}, nullptr,
                              OnDevice<std::uint64_t>(cuda::DevicePointer{0x7000}), 100, 3, 50));
  EXPECT_TRUE(called("launch 5x128"));
  EXPECT_EQ(driver.arguments, (std::vector<std::uint64_t>{0x7000, 100, 3}));
}

TEST_F(Launch, SaysThatKernelsAreNotLoadableAndWhy) {
  driver.failing = "load";
  const auto kernels = load();
  ASSERT_FALSE(kernels);
  EXPECT_THAT(kernels.error().line(),
              HasSubstr("kernels not loadable: cuModuleLoadData on 0000:17:00.0: "
                        "CUDA_ERROR_INVALID_IMAGE (200): device kernel image is invalid"));
  EXPECT_FALSE(called("unload"));
  EXPECT_TRUE(called("release 13"));
}

TEST_F(Launch, NamesAKernelThatTheModuleLacks) {
  driver.failing = "gate";
  const auto kernels = load();
  ASSERT_FALSE(kernels);
  EXPECT_THAT(kernels.error().what, HasSubstr("kernels not loadable: cuModuleGetFunction of gate"));
  EXPECT_TRUE(called("unload"));
}

TEST_F(Launch, ReleasesNoContextThatItDidNotGet) {
  driver.failing = "retain 13";
  EXPECT_FALSE(load());
  EXPECT_FALSE(called("release 13"));
}

TEST_F(Launch, NamesTheKernelWhoseLaunchFailed) {
  const auto kernels = load();
  ASSERT_TRUE(kernels);
  driver.failing = "launch 1x1";
  const Status failed = kernels->launch(kGate, {}, nullptr, {}, 1000, {});
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().what, HasSubstr("cuLaunchKernel of gate on 0000:17:00.0"));
}

TEST_F(Launch, FillsTheDeviceOnce) {
  const auto kernels = load();
  ASSERT_TRUE(kernels);
  const auto size = kernels->one_wave(kTensorBurn, 256);
  ASSERT_TRUE(size);
  EXPECT_EQ(size->blocks, 4 * 132);
  EXPECT_EQ(size->threads, 256);
}

TEST_F(Launch, SaysThatABlockDoesNotFit) {
  const auto kernels = load();
  ASSERT_TRUE(kernels);
  driver.blocks_per_multiprocessor = 0;
  EXPECT_FALSE(kernels->one_wave(kTensorBurn, 256));
}

TEST(KernelsThatWereNotBuilt, AreNotLoadable) {
  if (!kernel_image().bytes.empty()) GTEST_SKIP() << "built with kernels";
  const auto kernels = LoadedKernels::load(table(), 0, "0000:17:00.0");
  ASSERT_FALSE(kernels);
  EXPECT_THAT(kernels.error().what,
              HasSubstr("kernels not loadable: built without a compiler for them"));
}

}  // namespace
}  // namespace linkburn
