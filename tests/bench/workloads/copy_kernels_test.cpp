#include "bench/workloads/copy_kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <ostream>
#include <vector>

#include "bench/workloads/data_pattern.h"

namespace linkburn {

/// GoogleTest would print the bytes, addresses among them, into the names of the tests.
void PrintTo(const CopyMethod& method, std::ostream* out) { *out << method.name; }

namespace {

constexpr std::size_t kGuard = 256;  // bytes on both sides that no copy may touch
constexpr std::byte kUntouched{0xa5};

class EveryCopyMethod : public testing::TestWithParam<CopyMethod> {
 protected:
  void SetUp() override {
    if (!GetParam().supported()) GTEST_SKIP() << "this CPU has no " << GetParam().name;
  }

  /// Copies `bytes` between blocks that start `from_offset` and `to_offset` behind a cache line.
  void expect_right_copy(std::size_t bytes, std::size_t from_offset, std::size_t to_offset) {
    SCOPED_TRACE(testing::Message()
                 << bytes << " bytes from +" << from_offset << " to +" << to_offset);
    std::vector<std::uint64_t> words((bytes + kGuard) / sizeof(std::uint64_t) + 16);
    fill_pattern(words, 7, 0);
    const std::byte* from = line_start(words.data()) + from_offset;
    std::vector<std::byte> target(bytes + 2 * kGuard, kUntouched);
    std::byte* to = line_start(target.data()) + 64 + to_offset;

    GetParam().copy(to, from, bytes);

    EXPECT_TRUE(std::equal(to, to + bytes, from));
    EXPECT_TRUE(std::all_of(target.data(), to, [](std::byte b) { return b == kUntouched; }));
    EXPECT_TRUE(std::all_of(to + bytes, target.data() + target.size(),
                            [](std::byte b) { return b == kUntouched; }));
  }

 private:
  static std::byte* line_start(void* address) {
    const auto past = reinterpret_cast<std::uintptr_t>(address) % 64;
    return static_cast<std::byte*>(address) + (past == 0 ? 0 : 64 - past);
  }
};

TEST_P(EveryCopyMethod, CopiesSmallBlocksOfEverySize) {
  for (std::size_t bytes = 0; bytes <= 300; ++bytes) expect_right_copy(bytes, 0, 0);
}

TEST_P(EveryCopyMethod, CopiesFromAndToOddAddresses) {
  for (const std::size_t bytes : {1, 63, 64, 65, 8191, 8192, 8193, 40001})
    for (const std::size_t from : {0, 1, 8, 63})
      for (const std::size_t to : {0, 1, 16, 63}) expect_right_copy(bytes, from, to);
}

TEST_P(EveryCopyMethod, CopiesWholePagesAndWhatIsLeft) {
  for (const std::size_t bytes : {4095, 4096, 4097, 12288, 16384, 16448, (1 << 20) + 4160})
    expect_right_copy(bytes, 0, 0);
}

INSTANTIATE_TEST_SUITE_P(, EveryCopyMethod, testing::ValuesIn(copy_methods()),
                         [](const auto& method) { return std::string(method.param.name); });

TEST(CopyMethods, FirstOneRunsEverywhere) {
  ASSERT_FALSE(copy_methods().empty());
  EXPECT_EQ(copy_methods().front().name, "memcpy");
  EXPECT_TRUE(copy_methods().front().supported());
}

}  // namespace
}  // namespace linkburn
