#include "kernels/libraries.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/support/fake_clock.h"
#include "tests/support/temp_dir.h"

namespace linkburn {
namespace {

using test::TempDir;

const test::FakeClock kOutside("real"), kInDrill("drill");
const std::string kFakes = LINKBURN_GPU_FAKES;
const std::string kRealDriver = kFakes + "/real/libcuda.so";

const LibraryChoice& choice(const GpuLibraries& libraries, std::string_view part) {
  for (const LibraryChoice& made : libraries.choices)
    if (made.part == part) return made;
  static const LibraryChoice none;
  return none;
}

/// What is chosen when `folder` holds the copies that are installed with linkburn.
GpuLibraries open_beside(const std::string& folder) {
  auto libraries =
      open_gpu_libraries({{}, kRealDriver, {}, kFakes + "/" + folder}, kOutside, GpuUse::cuda);
  EXPECT_TRUE(libraries) << libraries.error().line();
  return libraries ? std::move(*libraries) : GpuLibraries{};
}

TEST(GpuLibraries, TheCopyBesideTheProgramIsTaken) {
  const GpuLibraries libraries = open_beside("no_gpu");
  ASSERT_TRUE(libraries.runtime && libraries.driver);
  EXPECT_EQ(choice(libraries, "cuda_runtime").file, kFakes + "/no_gpu/libcudart.so.13");
  EXPECT_EQ(choice(libraries, "cuda_runtime").version, "13.0");
  EXPECT_EQ(choice(libraries, "cuda_driver").version, "12.4");
  EXPECT_TRUE(choice(libraries, "cuda_runtime").passed_over.empty());
}

TEST(GpuLibraries, ARuntimeThatFindsTheDriverTooOldIsPassedOverForTheNextAndSaysWhy) {
  const GpuLibraries libraries = open_beside("mixed");
  const LibraryChoice& runtime = choice(libraries, "cuda_runtime");
  EXPECT_EQ(runtime.file, kFakes + "/mixed/libcudart.so.12");
  EXPECT_EQ(runtime.version, "12.4");
  ASSERT_EQ(runtime.passed_over.size(), 1U);
  EXPECT_EQ(runtime.passed_over[0],
            kFakes +
                "/mixed/libcudart.so.13: the driver serves CUDA up to 12.4: "
                "cudaGetDeviceCount: cudaErrorFake (35): in words");
  EXPECT_TRUE(libraries.counted);
  EXPECT_EQ(libraries.gpus, 2);
}

TEST(GpuLibraries, ARuntimeThatLacksANeededFunctionIsPassedOverAndTheFunctionNamed) {
  const LibraryChoice runtime = choice(open_beside("incomplete"), "cuda_runtime");
  EXPECT_EQ(runtime.file, kFakes + "/incomplete/libcudart.so.12");
  ASSERT_EQ(runtime.passed_over.size(), 1U);
  EXPECT_NE(runtime.passed_over[0].find("no function cudaMemcpyAsync"), std::string::npos)
      << runtime.passed_over[0];
}

TEST(GpuLibraries, AFileThatIsNoLibraryIsPassedOver) {
  const TempDir folder;
  folder.write("libcudart.so.13", "no library");
  const auto libraries =
      open_gpu_libraries({{}, kRealDriver, {}, folder.path()}, kOutside, GpuUse::cuda);
  ASSERT_TRUE(libraries);
  const LibraryChoice& runtime = choice(*libraries, "cuda_runtime");
  ASSERT_FALSE(runtime.passed_over.empty());
  EXPECT_EQ(runtime.passed_over[0].find(folder.path() + "/libcudart.so.13: "), 0U);
}

TEST(GpuLibraries, AFileThatTheLoaderAnswersTwiceIsToldOnce) {
  const std::string file = kFakes + "/with_soname/libcudart.so.13";
  const GpuLibraries libraries = open_beside("with_soname");
  int told = 0;
  for (const std::string& passed : choice(libraries, "cuda_runtime").passed_over)
    told += passed.find(file) == 0 ? 1 : 0;
  EXPECT_EQ(told, 1);
}

TEST(GpuLibraries, AnExplicitRuntimeIsTheOnlyOneTried) {
  const auto libraries =
      open_gpu_libraries({kFakes + "/too_new/libcudart.so.13", kRealDriver, {}, kFakes + "/mixed"},
                         kOutside, GpuUse::cuda);
  ASSERT_TRUE(libraries);
  EXPECT_FALSE(libraries->runtime);
  const LibraryChoice& runtime = choice(*libraries, "cuda_runtime");
  EXPECT_TRUE(runtime.file.empty());
  EXPECT_NE(runtime.why.find("the driver serves CUDA up to 12.4"), std::string::npos);
  EXPECT_NE(runtime.fix.find("newer NVIDIA driver"), std::string::npos);
  EXPECT_FALSE(libraries->counted);
}

TEST(GpuLibraries, WithoutADriverNoRuntimeIsPassedOverAndTheReasonIsTheDriver) {
  const auto libraries = open_gpu_libraries({{}, kFakes + "/nowhere.so", {}, kFakes + "/mixed"},
                                            kOutside, GpuUse::cuda);
  ASSERT_TRUE(libraries);
  EXPECT_EQ(choice(*libraries, "cuda_driver").why,
            "GPU links cannot be loaded (" + kFakes + "/nowhere.so is not installed)");
  EXPECT_EQ(choice(*libraries, "cuda_runtime").file, kFakes + "/mixed/libcudart.so.13");
  ASSERT_FALSE(libraries->counted);
  EXPECT_EQ(libraries->counted.error().what,
            "no NVIDIA driver: cudaGetDeviceCount: cudaErrorFake (35): in words");
}

TEST(GpuLibraries, NoGpuIsSaidInTheWordsOfCuda) {
  const GpuLibraries libraries = open_beside("no_gpu");
  ASSERT_FALSE(libraries.counted);
  EXPECT_EQ(libraries.counted.error().what, "cudaGetDeviceCount: cudaErrorFake (100): in words");
  EXPECT_EQ(libraries.gpus, 0);
}

TEST(GpuLibraries, OptionalFunctionsThatAreMissingAreNotedAndNull) {
  const GpuLibraries libraries = open_beside("no_gpu");
  EXPECT_EQ(choice(libraries, "cuda_driver").without,
            (std::vector<std::string>{"cuStreamWaitValue32_v2", "cuStreamWriteValue32_v2",
                                      "cuMemGetHandleForAddressRange"}));
  ASSERT_TRUE(libraries.driver);
  EXPECT_EQ(libraries.driver->cuStreamWaitValue32_v2, nullptr);
  EXPECT_NE(libraries.driver->cuLaunchKernel, nullptr);
}

GpuLibraryPaths paths_in(const std::string& runtime, const std::string& driver,
                         const std::string& nvml) {
  return {kFakes + runtime, kFakes + driver, kFakes + nvml, {}};
}

TEST(GpuLibraries, SoftwareDevicesAreKnownByTheirMarker) {
  const auto libraries = open_gpu_libraries(
      paths_in("/soft/libcudart.so", "/soft/libcuda.so", "/soft/libnvidia-ml.so"), kInDrill);
  ASSERT_TRUE(libraries) << libraries.error().line();
  EXPECT_TRUE(libraries->drill);
  ASSERT_EQ(libraries->choices.size(), 3U);
  for (const LibraryChoice& made : libraries->choices) EXPECT_TRUE(made.drill) << made.part;
}

TEST(GpuLibraries, RealLibrariesHaveNoMarker) {
  const auto libraries = open_gpu_libraries(
      paths_in("/no_gpu/libcudart.so.13", "/real/libcuda.so", "/real/libnvidia-ml.so"), kOutside);
  ASSERT_TRUE(libraries) << libraries.error().line();
  EXPECT_FALSE(libraries->drill);
  for (const LibraryChoice& made : libraries->choices) EXPECT_FALSE(made.drill) << made.part;
}

/// The one line with which `paths` are refused in a process with that clock.
std::string refusal(const GpuLibraryPaths& paths, const Clock& clock) {
  const auto libraries = open_gpu_libraries(paths, clock);
  if (libraries) return "not refused";
  EXPECT_EQ(libraries.error().code, Code::mismatch);
  return libraries.error().line();
}

// Each of the three alone gives a set away, in a drill and outside.
TEST(GpuLibraries, SoftwareDevicesOutsideADrillAndRealOnesInOneAreRefusedAlsoInAMix) {
  const std::string soft[] = {"/soft/libcudart.so", "/soft/libcuda.so", "/soft/libnvidia-ml.so"};
  const std::string real[] = {"/no_gpu/libcudart.so.13", "/real/libcuda.so",
                              "/real/libnvidia-ml.so"};
  for (int odd = 0; odd < 4; ++odd) {  // 3: all of a kind
    const auto of = [&](const auto& most, const auto& one) {
      return paths_in((odd == 0 ? one : most)[0], (odd == 1 ? one : most)[1],
                      (odd == 2 ? one : most)[2]);
    };
    const std::string first_soft = odd < 3 ? soft[odd] : soft[1];
    const std::string first_real = odd < 3 ? real[odd] : real[1];
    EXPECT_EQ(refusal(odd < 3 ? of(real, soft) : of(soft, soft), kOutside),
              "a software device outside a drill: " + kFakes + first_soft +
                  " (name the library of the real device, or none)");
    EXPECT_EQ(
        refusal(odd < 3 ? of(soft, real) : of(real, real), kInDrill),
        "a real library in a drill: " + kFakes + first_real + " (name the drill's own library)");
  }
}

TEST(GpuLibraries, ASoftwareDeviceUnderTheNameOfARealOneIsRefusedToo) {
  const TempDir folder;
  for (const char* soname : {"libcudart.so.13", "libcudart.so.12"})
    ASSERT_EQ(
        ::symlink((kFakes + "/soft/libcudart.so").c_str(), (folder.path() + "/" + soname).c_str()),
        0);
  const auto libraries =
      open_gpu_libraries({{}, kRealDriver, {}, folder.path()}, kOutside, GpuUse::cuda);
  ASSERT_FALSE(libraries);
  EXPECT_EQ(libraries.error().what, "a software device outside a drill");
}

TEST(GpuLibraries, InADrillNothingIsLookedFor) {
  const auto libraries = open_gpu_libraries({{}, {}, {}, kFakes + "/mixed"}, kInDrill);
  ASSERT_TRUE(libraries) << libraries.error().line();
  ASSERT_EQ(libraries->choices.size(), 3U);
  for (const LibraryChoice& made : libraries->choices) {
    EXPECT_TRUE(made.file.empty()) << made.file;
    EXPECT_NE(made.why.find("is not looked for in a drill"), std::string::npos) << made.why;
  }
  const LibraryFact nccl = probe_library(gpu_libraries().front(), kInDrill);
  EXPECT_FALSE(nccl.found);
  EXPECT_EQ(nccl.why, "libnccl.so.2 is not looked for in a drill");
}

TEST(GpuLibraries, AWorkerForNvmlLoadsNothingOfCuda) {
  const auto libraries = open_gpu_libraries(paths_in("/a.so", "/b.so", "/real/libnvidia-ml.so"),
                                            kOutside, GpuUse::nvml);
  ASSERT_TRUE(libraries);
  EXPECT_TRUE(libraries->nvml);
  ASSERT_EQ(libraries->choices.size(), 1U);
  EXPECT_EQ(libraries->choices[0].part, "nvml");
}

TEST(GpuLibraries, AJobNamesExplicitFiles) {
  const GpuLibraryPaths paths = gpu_library_paths(
      {{"libcudart", "/a/one.so"}, {"libcuda", "/a/two.so"}, {"libnvidia-ml", "/a/three.so"}});
  EXPECT_EQ(paths.runtime, "/a/one.so");
  EXPECT_EQ(paths.driver, "/a/two.so");
  EXPECT_EQ(paths.nvml, "/a/three.so");
  EXPECT_NE(paths.beside.find("/../lib/linkburn"), std::string::npos);
  EXPECT_TRUE(gpu_library_paths({}).runtime.empty());
}

// The real runtime, on a machine with or without a driver.
TEST(GpuLibraries, TheToolkitsRuntimeIsOpenedAndSaysWhetherThereAreGpus) {
  const std::string runtime = LINKBURN_TOOLKIT_CUDART;
  if (runtime.empty()) GTEST_SKIP() << "the build found no libcudart of a CUDA toolkit";
  const auto libraries = open_gpu_libraries({runtime, {}, {}, {}}, kOutside, GpuUse::cuda);
  ASSERT_TRUE(libraries) << libraries.error().line();
  ASSERT_TRUE(libraries->runtime) << choice(*libraries, "cuda_runtime").why;
  EXPECT_TRUE(choice(*libraries, "cuda_runtime").without.empty());
  EXPECT_FALSE(libraries->drill);
  if (libraries->driver) {
    EXPECT_TRUE(libraries->counted || !libraries->counted.error().what.empty());
    return;
  }
  ASSERT_FALSE(libraries->counted);
  EXPECT_EQ(libraries->counted.error().what,
            "no NVIDIA driver: cudaGetDeviceCount: cudaErrorInsufficientDriver (35): CUDA driver "
            "version is insufficient for CUDA runtime version");
}

}  // namespace
}  // namespace linkburn
