// Devices and contexts of software GPUs, and their faults.
#include <sys/wait.h>

#include <csignal>

#include "bench/base/clock_thread.h"
#include "tests/kernels/soft/soft_gpu.h"

namespace linkburn::test {
namespace {

using cuda::kSuccess;

class ContextsTest : public SoftGpuTest {};

TEST_F(ContextsTest, AContextTakesItsTimeOnce) {
  state().gpus[0].context_ms = 2000;
  start();
  const std::int64_t start_ns = now_ns();
  ASSERT_EQ(gpu.cudaSetDevice(0), kSuccess);
  EXPECT_GE(now_ns() - start_ns, 2000 * kMs);
  const std::int64_t made_ns = now_ns();
  ASSERT_EQ(gpu.cudaSetDevice(0), kSuccess);
  (void)device_memory(16);
  EXPECT_LT(now_ns() - made_ns, kMs);
}

TEST_F(ContextsTest, DevicesAreThoseThatCanBeUsedInTheOrderOfTheirAddresses) {
  state().gpus[1].mig = true;
  start();
  int count = 0, device = -1;
  ASSERT_EQ(gpu.cudaGetDeviceCount(&count), kSuccess);
  EXPECT_EQ(count, 2);
  char text[16];
  ASSERT_EQ(gpu.cudaDeviceGetPCIBusId(text, sizeof text, 1), kSuccess);
  EXPECT_STREQ(text, "0000:43:00.0");
  EXPECT_EQ(gpu.cudaDeviceGetPCIBusId(text, 5, 1), cuda::kInvalidValue);
  ASSERT_EQ(gpu.cudaDeviceGetByPCIBusId(&device, "0000:43:00.0"), kSuccess);
  EXPECT_EQ(device, 1);
  EXPECT_EQ(gpu.cudaDeviceGetByPCIBusId(&device, "0000:42:00.0"), cuda::kInvalidDevice);
  EXPECT_EQ(gpu.cudaSetDevice(2), cuda::kInvalidDevice);
}

TEST_F(ContextsTest, NodesWithoutGpusSaySo) {
  for (drill::Gpu& one : state().gpus) one.used = false;
  start();
  int count = 7;
  EXPECT_EQ(gpu.cudaGetDeviceCount(&count), cuda::kNoDevice);
  EXPECT_EQ(count, 0);
  EXPECT_EQ(gpu.cuInit(0), cuda::kNoDevice);
}

TEST_F(ContextsTest, WithoutADrillThereIsNoDriver) {
  ::unsetenv("LINKBURN_DRILL");
  int count = 7, version = 7;
  EXPECT_EQ(gpu.cudaGetDeviceCount(&count), cuda::kInsufficientDriver);
  EXPECT_EQ(gpu.cudaDriverGetVersion(&version), kSuccess);
  EXPECT_EQ(version, 0);
  EXPECT_EQ(gpu.cuInit(0), cuda::kNoDevice);
}

TEST_F(ContextsTest, ProhibitedTakenAndForeignGpusRefuse) {
  state().gpus[0].compute_mode = 2;
  state().gpus[1].compute_mode = 3;
  state().gpus[1].foreign_pid = 4711;
  state().gpus[2].compute_mode = 3;
  start();
  EXPECT_EQ(gpu.cudaSetDevice(0), cuda::kDevicesUnavailable);
  EXPECT_EQ(gpu.cudaSetDevice(1), cuda::kDevicesUnavailable);
  EXPECT_EQ(gpu.cudaSetDevice(2), kSuccess);
  cuda::Context context = nullptr;
  ASSERT_EQ(gpu.cuInit(0), kSuccess);
  EXPECT_EQ(gpu.cuDevicePrimaryCtxRetain(&context, 0), cuda::kUnknown);
  EXPECT_EQ(gpu.cuDevicePrimaryCtxRetain(&context, 1), cuda::kDevicesUnavailable);
}

TEST_F(ContextsTest, MemoryRunsOutAndComesBack) {
  start_on(0);
  std::size_t free = 0, total = 0;
  ASSERT_EQ(gpu.cudaMemGetInfo(&free, &total), kSuccess);
  EXPECT_EQ(free, 16 * kMiB);
  EXPECT_EQ(total, 16 * kMiB);
  void *most = device_memory(12 * kMiB), *more = nullptr;
  EXPECT_EQ(gpu.cudaMalloc(&more, 5 * kMiB), cuda::kOutOfMemory);
  EXPECT_EQ(gpu.cudaGetLastError(), cuda::kOutOfMemory);
  EXPECT_EQ(gpu.cudaHostAlloc(&more, std::size_t{1} << 50, 0), cuda::kOutOfMemory);
  ASSERT_EQ(gpu.cudaFree(most), kSuccess);
  EXPECT_EQ(gpu.cudaMalloc(&more, 16 * kMiB), kSuccess);
}

TEST_F(ContextsTest, PointersTellWhatTheyAre) {
  start_on(1);
  cuda::PointerAttributes seen{};
  void* device = device_memory(64);
  ASSERT_EQ(gpu.cudaPointerGetAttributes(&seen, static_cast<char*>(device) + 8), kSuccess);
  EXPECT_EQ(seen.type, cuda::kMemoryDevice);
  EXPECT_EQ(seen.device, 1);
  unsigned char* host = pinned_memory(64);
  ASSERT_EQ(gpu.cudaPointerGetAttributes(&seen, host), kSuccess);
  EXPECT_EQ(seen.type, cuda::kMemoryHost);
  int plain = 0;
  ASSERT_EQ(gpu.cudaPointerGetAttributes(&seen, &plain), kSuccess);
  EXPECT_EQ(seen.type, cuda::kMemoryUnregistered);
  EXPECT_EQ(gpu.cudaHostUnregister(&plain), cuda::kHostMemoryNotRegistered);
  EXPECT_EQ(gpu.cudaHostRegister(host, 64, 0), cuda::kHostMemoryAlreadyRegistered);
}

TEST_F(ContextsTest, AResetListsWhatIsLeftAndStallsTheNode) {
  const auto misuses = soft_function<unsigned (*)()>("linkburn_soft_misuse");
  state().gpus[0].teardown_ms = 400;
  start_on(0);
  (void)device_memory(64), (void)pinned_memory(64), (void)stream(), (void)event();
  const unsigned before = misuses();
  const std::int64_t start_ns = now_ns();
  ASSERT_EQ(gpu.cudaDeviceReset(), kSuccess);
  EXPECT_EQ(misuses() - before, 4u);
  EXPECT_GE(now_ns() - start_ns, 400 * kMs);
  EXPECT_EQ(drill::free_memory(state().gpus[0]), 16 * kMiB);
}

TEST_F(ContextsTest, AProcessThatWasKilledLeavesNothing) {
  start();
  const pid_t child = ::fork();
  if (child == 0) {
    (void)gpu.cudaSetDevice(0);
    (void)device_memory(kMiB), (void)pinned_memory(kMiB), (void)stream();
    (void)std::raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  ASSERT_EQ(gpu.cudaSetDevice(0), kSuccess);
  std::size_t free = 0, total = 0;
  ASSERT_EQ(gpu.cudaMemGetInfo(&free, &total), kSuccess);
  EXPECT_EQ(free, total);
  for (const drill::Stream& one : state().streams) EXPECT_FALSE(one.used);
}

TEST_F(ContextsTest, ALostGpuBreaksItsOwnContextForGood) {
  start_on(0);
  cuda::Stream in = stream();
  unsigned char* host = pinned_memory(8 * kMiB);
  void* at = device_memory(8 * kMiB);
  drill::Fault& fault = add_fault(state(), drill::FaultKind::off_bus, drill::Trigger::at);
  fault.gpu = 0, fault.function = state().gpus[0].function, fault.at_ns = now_ns() + kMs;
  for (int i = 0; i < 20; ++i)
    ASSERT_EQ(gpu.cudaMemcpyAsync(at, host, 8 * kMiB, cuda::kCopyDefault, in), kSuccess);
  EXPECT_EQ(gpu.cudaStreamSynchronize(in), cuda::kUnknown);
  EXPECT_EQ(gpu.cudaFree(at), cuda::kUnknown);
  EXPECT_EQ(gpu.cudaDeviceSynchronize(), cuda::kUnknown);
  EXPECT_EQ(gpu.cudaGetLastError(), cuda::kUnknown);
  EXPECT_EQ(gpu.cudaDeviceReset(), cuda::kUnknown);
  EXPECT_EQ(gpu.cudaSetDevice(1), kSuccess);
  EXPECT_EQ(gpu.cudaDeviceSynchronize(), kSuccess);
}

TEST_F(ContextsTest, AnUncorrectedEccErrorBreaksTheContextsThatWereThere) {
  start_on(0);
  ASSERT_EQ(gpu.cudaSetDevice(1), kSuccess);
  ++state().gpus[0].ecc_uncorrected;
  ++state().gpus[2].ecc_uncorrected;
  EXPECT_EQ(gpu.cudaDeviceSynchronize(), kSuccess);
  EXPECT_EQ(gpu.cudaSetDevice(0), cuda::kEccUncorrectable);
  EXPECT_EQ(gpu.cudaDeviceSynchronize(), cuda::kEccUncorrectable);
  EXPECT_EQ(gpu.cudaSetDevice(2), kSuccess);
}

TEST_F(ContextsTest, ACallThatHangsDoesNotReturnBeforeTheWorldEnds) {
  drill::Fault& fault = add_fault(state(), drill::FaultKind::hang, drill::Trigger::at);
  fault.gpu = 0;
  set_text(fault.text, "cudaMemGetInfo");
  start_on(0);
  bool returned = false;
  int result = kSuccess;
  ClockThread hanging(drill_.clock(), [&] {
    std::size_t free = 0, total = 0;
    result = gpu.cudaMemGetInfo(&free, &total);
    returned = true;
  });
  drill_.clock().sleep_until(drill_.clock().now() + std::chrono::hours(1));
  EXPECT_FALSE(returned);
  EXPECT_EQ(gpu.cudaDeviceSynchronize(), kSuccess) << "others go on";
  drill_.stop();
  hanging.join();
  EXPECT_EQ(result, cuda::kUnknown);
}

TEST_F(ContextsTest, AFlippedBitIsOneBitOfOneCopy) {
  drill::Fault& fault = add_fault(state(), drill::FaultKind::flip, drill::Trigger::at);
  fault.gpu = 0;
  set_text(fault.text, "copy");
  start_on(0);
  cuda::Stream in = stream();
  unsigned char *from = pinned_memory(kMiB), *to = pinned_memory(kMiB);
  void* at = device_memory(kMiB);
  fill(from, kMiB, 1);
  ASSERT_EQ(copy(at, from, kMiB, in), kSuccess);
  const auto wrong_bits = [&] {
    EXPECT_EQ(copy(to, at, kMiB, in), kSuccess);
    int bits = 0;
    for (std::size_t i = 0; i < kMiB; ++i) bits += __builtin_popcount(from[i] ^ to[i]);
    return bits;
  };
  EXPECT_EQ(wrong_bits(), 1);
  ASSERT_EQ(copy(at, from, kMiB, in), kSuccess);
  EXPECT_EQ(wrong_bits(), 0);
}

}  // namespace
}  // namespace linkburn::test
