// Copies of software GPUs move every byte, and a copy that is not done again is never missed.
#include <algorithm>

#include "kernels/soft/copy_count.h"
#include "tests/kernels/soft/soft_gpu.h"

namespace linkburn::test {
namespace {

using cuda::kSuccess;

constexpr std::size_t kLarge = kMiB;  // of those whose repeats are not done

class CopiesTest : public SoftGpuTest {
 protected:
  void SetUp() override {
    start_on(0);
    in = stream();
    host = pinned_memory(kLarge), back = pinned_memory(kLarge);
    device = device_memory(kLarge);
    fill(host, kLarge, 1);
  }

  soft::CopyCount count() {
    soft::CopyCount now;
    soft_function<void (*)(soft::CopyCount*)>("linkburn_soft_copies")(&now);
    return now;
  }
  std::vector<unsigned char> on_device() { return read(device, kLarge, in); }
  std::vector<unsigned char> on_host() { return {host, host + kLarge}; }
  void copy_up() { ASSERT_EQ(copy(device, host, kLarge, in), kSuccess); }

  cuda::Stream in = nullptr;
  unsigned char *host = nullptr, *back = nullptr;
  void* device = nullptr;
};

TEST_F(CopiesTest, MovesOddSizesFromOddPlacesToOddPlaces) {
  for (const std::size_t bytes : {1u, 3u, 4095u, 4097u, 300001u}) {
    for (const std::size_t offset : {0u, 1u, 4093u}) {
      fill(host, kLarge, static_cast<unsigned>(bytes + offset));
      auto* to = static_cast<unsigned char*>(device) + 2 * offset + 1;
      ASSERT_EQ(copy(to, host + offset, bytes, in), kSuccess);
      std::fill(back, back + kLarge, 0xee);
      ASSERT_EQ(copy(back + 5, to, bytes, in), kSuccess);
      EXPECT_TRUE(std::equal(back + 5, back + 5 + bytes, host + offset)) << bytes << " " << offset;
      EXPECT_EQ(back[4], 0xee);
      EXPECT_EQ(back[5 + bytes], 0xee);
    }
  }
}

TEST_F(CopiesTest, MovesOverlappingRangesAsIfThroughABuffer) {
  copy_up();
  auto* at = static_cast<unsigned char*>(device);
  ASSERT_EQ(copy(at + 1000, at, 500000, in), kSuccess);
  const auto seen = on_device();
  EXPECT_TRUE(std::equal(host, host + 500000, seen.begin() + 1000));
}

TEST_F(CopiesTest, DoesNotRepeatACopyThatWouldChangeNothing) {
  copy_up();
  const auto before = count();
  for (int i = 0; i < 5; ++i) copy_up();
  EXPECT_EQ(count().elided - before.elided, 5u);
  EXPECT_EQ(count().done, before.done);
  EXPECT_EQ(on_device(), on_host());
}

TEST_F(CopiesTest, TakesTheSameTimeWhetherItIsRepeatedOrNot) {
  const auto timed = [&] {
    const std::int64_t start = now_ns();
    EXPECT_EQ(gpu.cudaMemcpyAsync(device, host, kLarge, cuda::kCopyDefault, in), kSuccess);
    EXPECT_EQ(gpu.cudaStreamSynchronize(in), kSuccess);
    return now_ns() - start;
  };
  const auto first = timed();
  EXPECT_EQ(timed(), first);
}

TEST_F(CopiesTest, SeesOneWordThatTheHostChangedInTheSource) {
  copy_up();
  copy_up();
  host[777'777] ^= 1;
  copy_up();
  EXPECT_EQ(on_device(), on_host());
  host[5] ^= 1;  // the tracking begins anew
  copy_up();
  EXPECT_EQ(on_device(), on_host());
}

TEST_F(CopiesTest, SeesOneWordThatTheHostChangedInTheDestination) {
  copy_up();
  ASSERT_EQ(copy(back, device, kLarge, in), kSuccess);
  ASSERT_EQ(copy(back, device, kLarge, in), kSuccess);
  back[4242] ^= 1;
  ASSERT_EQ(copy(back, device, kLarge, in), kSuccess);
  EXPECT_TRUE(std::equal(host, host + kLarge, back));
}

TEST_F(CopiesTest, SeesWhatASetWroteOverTheDestination) {
  copy_up();
  auto* at = static_cast<unsigned char*>(device);
  ASSERT_EQ(gpu.cudaMemsetAsync(at + 600'000, 0x5a, 1, in), kSuccess);
  auto seen = on_device();
  EXPECT_EQ(seen[600'000], 0x5a);
  copy_up();
  EXPECT_EQ(on_device(), on_host());
}

TEST_F(CopiesTest, SeesWhatAnotherCopyWroteOverTheSource) {
  copy_up();
  ASSERT_EQ(copy(back, device, kLarge, in), kSuccess);
  fill(host, 16, 99);
  ASSERT_EQ(copy(static_cast<unsigned char*>(device) + 4000, host, 16, in), kSuccess);
  ASSERT_EQ(copy(back, device, kLarge, in), kSuccess);
  EXPECT_EQ(std::vector<unsigned char>(back, back + kLarge), on_device());
}

TEST_F(CopiesTest, RepeatsEachPartOfABufferOnItsOwn) {
  const std::size_t half = kLarge / 2;
  auto* at = static_cast<unsigned char*>(device);
  const auto both = [&] {
    EXPECT_EQ(copy(at, host, half, in), kSuccess);
    EXPECT_EQ(copy(at + half, host + half, half, in), kSuccess);
  };
  both();
  const auto before = count();
  both();
  both();
  EXPECT_EQ(count().elided - before.elided, 4u);
}

TEST_F(CopiesTest, TracksRegisteredPagesAndLeavesThemWritable) {
  std::vector<unsigned char> store(kLarge + 8192);
  auto start = (reinterpret_cast<std::uintptr_t>(store.data()) + 4095) / 4096 * 4096;
  auto* pages = reinterpret_cast<unsigned char*>(start);
  ASSERT_EQ(gpu.cudaHostRegister(pages, kLarge, cuda::kHostRegisterPortable), kSuccess);
  fill(pages, kLarge, 3);
  ASSERT_EQ(copy(device, pages, kLarge, in), kSuccess);
  const auto before = count();
  ASSERT_EQ(copy(device, pages, kLarge, in), kSuccess);
  EXPECT_EQ(count().elided - before.elided, 1u);
  pages[100] ^= 1;
  ASSERT_EQ(copy(device, pages, kLarge, in), kSuccess);
  EXPECT_EQ(on_device()[100], pages[100]);
  ASSERT_EQ(copy(pages, device, kLarge, in), kSuccess);  // we write where the program may not
  ASSERT_EQ(gpu.cudaHostUnregister(pages), kSuccess);
  fill(pages, kLarge, 4);
}

TEST_F(CopiesTest, NeverElidesWhatIsNoWholePage) {
  std::vector<unsigned char> store(kLarge + 8192);
  unsigned char* odd = store.data() + 17;
  ASSERT_EQ(gpu.cudaHostRegister(odd, kLarge, cuda::kHostRegisterPortable), kSuccess);
  const auto before = count();
  for (unsigned run = 0; run < 3; ++run) {
    fill(odd, kLarge, run);
    ASSERT_EQ(copy(device, odd, kLarge, in), kSuccess);
  }
  EXPECT_EQ(count().elided, before.elided);
  EXPECT_EQ(count().done - before.done, 3u);
  ASSERT_EQ(gpu.cudaHostUnregister(odd), kSuccess);
}

TEST_F(CopiesTest, RefusesDirectionsThatDoNotFitThePointers) {
  EXPECT_EQ(gpu.cudaMemcpyAsync(device, host, 8, cuda::kCopyDeviceToHost, in), cuda::kInvalidValue);
  EXPECT_EQ(gpu.cudaMemcpyAsync(back, host, 8, cuda::kCopyDefault, in), cuda::kInvalidValue);
  EXPECT_EQ(gpu.cudaMemcpyAsync(device, host, 0, cuda::kCopyDefault, in), kSuccess);
}

TEST_F(CopiesTest, CopiesPageableMemorySlowlyAndCountsIt) {
  const auto misuses = soft_function<unsigned (*)()>("linkburn_soft_misuse");
  const unsigned before = misuses();
  std::vector<unsigned char> pageable(kLarge);
  fill(pageable.data(), kLarge, 9);
  const std::int64_t start = now_ns();
  ASSERT_EQ(gpu.cudaMemcpyAsync(device, pageable.data(), kLarge, cuda::kCopyDefault, in), kSuccess);
  const double gbs = static_cast<double>(kLarge) / static_cast<double>(now_ns() - start);
  EXPECT_LT(gbs, kGen5Gbs / 2.9);
  EXPECT_EQ(on_device(), pageable);
  EXPECT_EQ(misuses() - before, 1u);
}

}  // namespace
}  // namespace linkburn::test
