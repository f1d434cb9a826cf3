// Kernels of software GPUs: loaded by what the image says it is, computed by their twins.
#include "kernels/launch_limits.h"
#include "kernels/wrong_words.h"
#include "tests/kernels/soft/soft_gpu.h"

namespace linkburn::test {
namespace {

using cuda::kSuccess;

class KernelsTest : public SoftGpuTest {
 protected:
  void SetUp() override {
    prepare();
    start_on(0);
    in = stream();
    words = device_memory(kMiB), wrong = device_memory(4096);
    host = pinned_memory(kMiB);
    ASSERT_EQ(gpu.cudaMemsetAsync(wrong, 0, 4096, in), kSuccess);
  }
  virtual void prepare() {}

  std::uint64_t wrong_words(std::uint64_t seed) {
    EXPECT_EQ(gpu.cudaMemsetAsync(wrong, 0, 4096, in), kSuccess);
    EXPECT_EQ(launch(function("pattern_compare"), in, 256, words, kWords, seed, kZero, wrong),
              kSuccess);
    const auto bytes = read(wrong, sizeof(WrongWords), in);
    WrongWords seen{};
    std::memcpy(&seen, bytes.data(), sizeof seen);
    return seen.count;
  }
  void fill_with(std::uint64_t seed) {
    ASSERT_EQ(launch(function("pattern_fill"), in, 256, words, kWords, seed, kZero), kSuccess);
  }

  static constexpr std::uint64_t kWords = kMiB / 8, kZero = 0;
  cuda::Stream in = nullptr;
  void *words = nullptr, *wrong = nullptr;
  unsigned char* host = nullptr;
};

TEST_F(KernelsTest, FillAndComparePatterns) {
  fill_with(7);
  EXPECT_EQ(wrong_words(7), 0u);
  EXPECT_EQ(wrong_words(8), kWords);
}

TEST_F(KernelsTest, ACopySeesWhatAKernelWroteOverItsDestination) {
  fill_with(7);
  ASSERT_EQ(copy(host, words, kMiB, in), kSuccess);
  ASSERT_EQ(copy(words, host, kMiB, in), kSuccess);
  fill_with(9);
  ASSERT_EQ(copy(words, host, kMiB, in), kSuccess);
  EXPECT_EQ(wrong_words(7), 0u);
}

TEST_F(KernelsTest, ABurnTakesWhatTheEngineGives) {
  const cuda::Event before = event(), after = event();
  const cuda::Function burn = function("memory_burn");
  const std::uint64_t pairs = kMiB / 16;
  ASSERT_EQ(gpu.cudaEventRecord(before, in), kSuccess);
  ASSERT_EQ(
      launch(burn, in, 256, words, pairs, std::uint32_t{30}, std::uint64_t{200'000'000}, wrong),
      kSuccess);
  ASSERT_EQ(gpu.cudaEventRecord(after, in), kSuccess);
  ASSERT_EQ(gpu.cudaStreamSynchronize(in), kSuccess);
  const double call_ms = 0.001;  // from the event to the launch
  EXPECT_NEAR(elapsed_ms(before, after) - call_ms, 30.0 * 2 * kMiB / 3000e6, 1e-5) << "3000 GB/s";
}

TEST_F(KernelsTest, RefuseWhatIsNoImageAndNamesThatAreNotThere) {
  cuda::Module module = nullptr;
  cuda::Function found = nullptr;
  EXPECT_EQ(gpu.cuModuleLoadData(&module, "garbage"), cuda::kDriverNotInitialized);
  ASSERT_EQ(gpu.cuInit(0), kSuccess);
  EXPECT_EQ(gpu.cuModuleLoadData(&module, "garbage"), cuda::kDriverInvalidImage);
  EXPECT_EQ(gpu.cuModuleLoadData(&module,
                                 "\x7f"
                                 "ELF"),
            kSuccess);
  EXPECT_EQ(gpu.cuModuleGetFunction(&found, module, "no_such"), cuda::kDriverNotFound);
  EXPECT_EQ(gpu.cuModuleUnload(module), kSuccess);
  EXPECT_EQ(gpu.cuModuleUnload(module), cuda::kInvalidResourceHandle);
}

TEST_F(KernelsTest, RefuseLaunchesThatNoGpuTakes) {
  const cuda::Function burn = function("pattern_fill");
  EXPECT_EQ(launch(burn, in, 1025, words, kWords, kZero, kZero), cuda::kDriverInvalidValue);
  ASSERT_EQ(gpu.cudaSetDevice(1), kSuccess);
  EXPECT_EQ(launch(burn, in, 32, words, kWords, kZero, kZero), cuda::kInvalidResourceHandle);
  ASSERT_EQ(gpu.cuCtxSetCurrent(nullptr), kSuccess);
  EXPECT_EQ(launch(burn, in, 32, words, kWords, kZero, kZero), cuda::kDriverInvalidContext);
}

TEST_F(KernelsTest, AWildPointerComesAsAnErrorOfALaterCallAndStays) {
  int nowhere = 0;
  ASSERT_EQ(
      launch(function("pattern_fill"), in, 32, static_cast<void*>(&nowhere), kWords, kZero, kZero),
      kSuccess);
  EXPECT_EQ(gpu.cudaStreamSynchronize(in), cuda::kIllegalAddress);
  void* more = nullptr;
  EXPECT_EQ(gpu.cudaMalloc(&more, 16), cuda::kIllegalAddress);
  EXPECT_EQ(gpu.cudaGetLastError(), cuda::kIllegalAddress);
  EXPECT_EQ(gpu.cudaGetLastError(), cuda::kIllegalAddress);
}

TEST_F(KernelsTest, AGateOpensWhenTheHostStoresAndGivesUpInTime) {
  auto* flag = reinterpret_cast<std::uint32_t*>(host);
  *flag = 0;
  const cuda::Function gate = function("gate");
  const auto outcome = [&] { return read(wrong, 1, in)[0]; };
  const std::uint64_t limit_ns = 50'000'000;
  ASSERT_EQ(launch(gate, in, 1, host, limit_ns, wrong), kSuccess);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(gpu.cudaStreamQuery(in), cuda::kNotReady);
  *flag = 1;
  EXPECT_EQ(outcome(), kGateOpened);
  *flag = 0;
  const std::int64_t start = now_ns();
  ASSERT_EQ(launch(gate, in, 1, host, limit_ns, wrong), kSuccess);
  EXPECT_EQ(outcome(), kGateTimedOut);
  EXPECT_GE(now_ns() - start, 50'000'000);
  EXPECT_LE(now_ns() - start, 51'000'000);
}

class FlippedBurnTest : public KernelsTest {
  void prepare() override {
    drill::Fault& fault = add_fault(state(), drill::FaultKind::flip, drill::Trigger::at);
    fault.gpu = 0;
    set_text(fault.text, "burn");
  }
};

TEST_F(FlippedBurnTest, HasOneWrongWordOnce) {
  const cuda::Function burn = function("fma_burn"), compare = function("result_compare");
  auto* first = static_cast<unsigned char*>(words);
  unsigned char* second = first + kMiB / 2;
  const std::uint64_t seed = 5, limit = 200'000'000, count = 256;
  void* const none = nullptr;
  const auto burn_to = [&](void* to) {
    ASSERT_EQ(launch(burn, in, 256, to, seed, std::uint32_t{100}, limit, none), kSuccess);
  };
  const auto differing = [&] {
    EXPECT_EQ(gpu.cudaMemsetAsync(wrong, 0, 4096, in), kSuccess);
    EXPECT_EQ(launch(compare, in, 256, first, count, second, count, wrong), kSuccess);
    return read(wrong, 1, in)[0];
  };
  burn_to(first);
  burn_to(second);
  EXPECT_EQ(differing(), 1);
  burn_to(first);
  EXPECT_EQ(differing(), 0);
}

}  // namespace
}  // namespace linkburn::test
