// Streams and events of software GPUs: order, and times that can be computed by hand.
#include <algorithm>

#include "bench/base/clock_thread.h"
#include "tests/kernels/soft/soft_gpu.h"

namespace linkburn::test {
namespace {

using cuda::kNotReady, cuda::kSuccess;

constexpr std::size_t kBlock = 4 * kMiB;

double ms_at(double gbs, std::size_t bytes = kBlock) {
  return static_cast<double>(bytes) / gbs / 1e6;
}

/// The event before the copy is there at once, and the copy one call of the program later.
constexpr float kCall_ms = 0.001F;

class StreamsTest : public SoftGpuTest {
 protected:
  void begin(int device) {
    start_on(device);
    in = stream(), other = stream();
    host = pinned_memory(kBlock);
    at = device_memory(kBlock);
    before = event(), after = event();
  }

  void queue(void* to, const void* from, std::size_t bytes, cuda::Stream where) {
    ASSERT_EQ(gpu.cudaMemcpyAsync(to, from, bytes, cuda::kCopyDefault, where), kSuccess);
  }

  /// Milliseconds of one copy, from two events.
  float time_copy(void* to, const void* from) {
    EXPECT_EQ(gpu.cudaEventRecord(before, in), kSuccess);
    queue(to, from, kBlock, in);
    EXPECT_EQ(gpu.cudaEventRecord(after, in), kSuccess);
    EXPECT_EQ(gpu.cudaEventSynchronize(after), kSuccess);
    return elapsed_ms(before, after) - kCall_ms;
  }

  cuda::Stream in = nullptr, other = nullptr;
  cuda::Event before = nullptr, after = nullptr;
  unsigned char* host = nullptr;
  void* at = nullptr;
};

TEST_F(StreamsTest, ACopyTakesWhatItsLinkGives) {
  begin(0);
  EXPECT_NEAR(time_copy(at, host), ms_at(kGen5Gbs), 1e-5);
  EXPECT_NEAR(time_copy(host, at), ms_at(kGen5Gbs), 1e-5);
}

TEST_F(StreamsTest, CopiesOfOneDirectionShareTheLinkAndThoseOfBothDoNot) {
  begin(0);
  void* more = device_memory(2 * kBlock);
  unsigned char* sink = pinned_memory(2 * kBlock);
  queue(more, sink, 2 * kBlock, other);  // starts some microseconds before
  EXPECT_NEAR(time_copy(at, host), 2 * ms_at(kGen5Gbs), 0.01);
  EXPECT_EQ(gpu.cudaStreamSynchronize(other), kSuccess);
  queue(sink, more, 2 * kBlock, other);
  EXPECT_NEAR(time_copy(at, host), ms_at(kGen5Gbs), 1e-5);
}

TEST_F(StreamsTest, PinnedMemoryLiesWhereTheGpuOfItsThreadIs) {
  state().numas[0].far_gbs = state().numas[1].far_gbs = 20;
  begin(1);
  ASSERT_EQ(gpu.cudaSetDevice(0), kSuccess);
  cuda::Stream mine = stream();
  void* here = device_memory(kBlock);
  std::swap(in, mine);
  before = event(), after = event();
  EXPECT_NEAR(time_copy(here, host), ms_at(20), 1e-5);
  EXPECT_NEAR(time_copy(here, pinned_memory(kBlock)), ms_at(kGen5Gbs), 1e-5);
}

TEST_F(StreamsTest, CallsOfOneThreadChangeTurnsOnlyForThoseWhoAreDue) {
  start_on(0);
  const auto calls = [&](int count) {
    for (int n = 0; n < count; ++n) ASSERT_EQ(gpu.cudaSetDevice(0), kSuccess);
  };
  std::int64_t seen_ns = 0;
  const std::int64_t begin_ns = now_ns();
  ClockThread sleeper(drill_.clock(), [&] {
    drill_.clock().sleep_until(instant_from_ns(begin_ns + 100'500));
    seen_ns = now_ns();
  });
  const std::uint64_t turns = state().statistics.turns;
  calls(1600);
  EXPECT_EQ(now_ns() - begin_ns, 1600 * 1000) << "each takes its time";
  EXPECT_EQ(seen_ns - begin_ns, 100'500) << "who is due in the midst of them runs then";
  EXPECT_LT(state().statistics.turns - turns, 200U);
  sleeper.join();
}

TEST_F(StreamsTest, PeersCopyStraightOnlyWithAccess) {
  state().numas[1].memory_gbs = 40;
  begin(1);
  ASSERT_EQ(gpu.cudaSetDevice(2), kSuccess);
  void* peer = device_memory(kBlock);
  ASSERT_EQ(gpu.cudaSetDevice(1), kSuccess);
  const float staged = time_copy(peer, at);
  EXPECT_NEAR(staged, ms_at(20), 1e-5) << "host memory is written and read";
  int can = 0;
  ASSERT_EQ(gpu.cudaDeviceCanAccessPeer(&can, 1, 2), kSuccess);
  ASSERT_EQ(can, 1);
  EXPECT_EQ(gpu.cudaDeviceDisablePeerAccess(2), cuda::kPeerAccessNotEnabled);
  ASSERT_EQ(gpu.cudaDeviceEnablePeerAccess(2, 0), kSuccess);
  EXPECT_EQ(gpu.cudaDeviceEnablePeerAccess(2, 0), cuda::kPeerAccessAlreadyEnabled);
  EXPECT_NEAR(time_copy(peer, at), ms_at(kGen5Gbs), 1e-5);
  fill(host, kBlock, 6);
  ASSERT_EQ(copy(at, host, kBlock, in), kSuccess);
  ASSERT_EQ(gpu.cudaMemcpyPeerAsync(peer, 2, at, 1, kBlock, in), kSuccess);
  EXPECT_EQ(read(peer, kBlock, in), std::vector<unsigned char>(host, host + kBlock));
  EXPECT_EQ(gpu.cudaMemcpyPeerAsync(peer, 1, at, 2, kBlock, in), cuda::kInvalidValue);
  EXPECT_EQ(gpu.cudaDeviceEnablePeerAccess(1, 0), cuda::kInvalidDevice) << "itself";
}

TEST_F(StreamsTest, AnEventHoldsBackAnotherStream) {
  begin(0);
  fill(host, kBlock, 8);
  unsigned char* back = pinned_memory(kBlock);
  queue(at, host, kBlock, in);
  ASSERT_EQ(gpu.cudaEventRecord(after, in), kSuccess);
  ASSERT_EQ(gpu.cudaStreamWaitEvent(other, after, 0), kSuccess);
  queue(back, at, kBlock, other);
  ASSERT_EQ(gpu.cudaEventRecord(before, other), kSuccess);
  ASSERT_EQ(gpu.cudaStreamSynchronize(other), kSuccess);
  EXPECT_TRUE(std::equal(host, host + kBlock, back));
  EXPECT_NEAR(elapsed_ms(after, before), ms_at(kGen5Gbs), 1e-5);
}

TEST_F(StreamsTest, EventsSayWhenTheyCannotTell) {
  begin(0);
  float ms = 0;
  EXPECT_EQ(gpu.cudaEventQuery(before), kSuccess) << "nothing to wait for";
  EXPECT_EQ(gpu.cudaEventElapsedTime(&ms, before, after), cuda::kInvalidResourceHandle);
  ASSERT_EQ(gpu.cudaEventRecord(before, in), kSuccess);
  queue(at, host, kBlock, in);
  ASSERT_EQ(gpu.cudaEventRecord(after, in), kSuccess);
  EXPECT_EQ(gpu.cudaEventQuery(after), kNotReady);
  EXPECT_EQ(gpu.cudaEventElapsedTime(&ms, before, after), kNotReady);
  EXPECT_EQ(gpu.cudaGetLastError(), kNotReady);
  EXPECT_EQ(gpu.cudaGetLastError(), kSuccess);
  while (gpu.cudaEventQuery(after) == kNotReady) {
  }
  EXPECT_NEAR(elapsed_ms(before, after) - kCall_ms, ms_at(kGen5Gbs), 1e-5);
  cuda::Event untimed = nullptr;
  ASSERT_EQ(gpu.cudaEventCreateWithFlags(&untimed, cuda::kEventDisableTiming), kSuccess);
  ASSERT_EQ(gpu.cudaEventRecord(untimed, in), kSuccess);
  EXPECT_EQ(gpu.cudaEventElapsedTime(&ms, before, untimed), cuda::kInvalidResourceHandle);
}

TEST_F(StreamsTest, TakesMoreThanAStreamHasRoomFor) {
  begin(0);
  for (unsigned i = 0; i < 600; ++i)
    ASSERT_EQ(gpu.cudaMemsetAsync(static_cast<unsigned char*>(at) + i, static_cast<int>(i), 1, in),
              kSuccess);
  const auto seen = read(at, 600, in);
  for (unsigned i = 0; i < 600; ++i) ASSERT_EQ(seen[i], i & 0xff);
}

TEST_F(StreamsTest, WhatADestroyedStreamHeldStillRuns) {
  begin(0);
  fill(host, kBlock, 2);
  queue(at, host, kBlock, in);
  ASSERT_EQ(gpu.cudaStreamDestroy(in), kSuccess);
  ASSERT_EQ(gpu.cudaDeviceSynchronize(), kSuccess);
  EXPECT_EQ(read(at, kBlock, other), std::vector<unsigned char>(host, host + kBlock));
}

TEST_F(StreamsTest, AStreamWaitsForAWordOfTheHost) {
  begin(0);
  ASSERT_EQ(gpu.cuInit(0), kSuccess);
  auto* word = reinterpret_cast<std::uint32_t*>(host);
  const auto address = reinterpret_cast<std::uint64_t>(word);
  for (const unsigned flags : {cuda::kWaitValueAtLeast, cuda::kWaitValueEqual}) {
    *word = 0;
    ASSERT_EQ(gpu.cuStreamWaitValue32_v2(in, address, 3, flags), kSuccess);
    ASSERT_EQ(gpu.cudaMemsetAsync(at, 1, 16, in), kSuccess);
    for (int i = 0; i < 50; ++i) EXPECT_EQ(gpu.cudaStreamQuery(in), kNotReady);
    *word = 3;
    EXPECT_EQ(gpu.cudaStreamSynchronize(in), kSuccess);
  }
}

TEST_F(StreamsTest, AStreamWaitsForAWordThatAnotherWrites) {
  begin(0);
  ASSERT_EQ(gpu.cuInit(0), kSuccess);
  const auto address = reinterpret_cast<std::uint64_t>(host);
  *reinterpret_cast<std::uint32_t*>(host) = 0;
  ASSERT_EQ(gpu.cuStreamWaitValue32_v2(in, address, 1, cuda::kWaitValueAtLeast), kSuccess);
  ASSERT_EQ(gpu.cudaEventRecord(after, in), kSuccess);
  queue(at, host + 4096, kBlock - 4096, other);
  ASSERT_EQ(gpu.cuStreamWriteValue32_v2(other, address, 1, cuda::kWriteValueDefault), kSuccess);
  ASSERT_EQ(gpu.cudaEventRecord(before, other), kSuccess);
  ASSERT_EQ(gpu.cudaStreamSynchronize(in), kSuccess);
  EXPECT_EQ(elapsed_ms(after, before), 0) << "the model itself lets it go on";
  EXPECT_EQ(*reinterpret_cast<std::uint32_t*>(host), 1u);
}

}  // namespace
}  // namespace linkburn::test
