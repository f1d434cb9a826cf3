#include "bench/workloads/memory_room.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temp_dir.h"

namespace linkburn {
namespace {

class MemoryRoomOf : public testing::Test {
 protected:
  MemoryRoomOf() { tree_.write("proc/meminfo", "MemTotal: 9000 kB\nMemAvailable:    8000 kB\n"); }

  MemoryRoom room(const std::vector<int>& nodes = {0}) {
    const auto root = Sysroot::open(tree_.path());
    EXPECT_TRUE(root);
    const auto room = memory_room(*root, nodes);
    EXPECT_TRUE(room) << room.error().line();
    return *room;
  }

  test::TempDir tree_;
};

TEST_F(MemoryRoomOf, AMachineIsAQuarterOfWhatIsAvailable) {
  EXPECT_EQ(room().bytes, 2000 * 1024);
  EXPECT_EQ(room().bounded_by, "free memory of the machine");
}

TEST_F(MemoryRoomOf, AFullNodeBounds) {
  tree_.write("sys/devices/system/node/node0/meminfo", "Node 0 MemFree:  7990 kB\n");
  tree_.write("sys/devices/system/node/node1/meminfo",
              "Node 1 MemTotal: 4000 kB\nNode 1 MemFree:         100 kB\n"
              "Node 1 Active(file):    40 kB\nNode 1 Inactive(file):  60 kB\n");
  EXPECT_EQ(room({0, 1}).bytes, 50 * 1024);
  EXPECT_EQ(room({0, 1}).bounded_by, "free memory of numa1");
}

TEST_F(MemoryRoomOf, ACgroupOfVersion2BoundsItsChildren) {
  tree_.write("proc/self/cgroup", "0::/job_7/step_0\n");
  tree_.write("sys/fs/cgroup/job_7/memory.max", "1000000\n");
  tree_.write("sys/fs/cgroup/job_7/memory.current", "700000\n");
  tree_.write("sys/fs/cgroup/job_7/memory.stat", "anon 600000\ninactive_file 100000\n");
  tree_.write("sys/fs/cgroup/job_7/step_0/memory.max", "max\n");
  tree_.write("sys/fs/cgroup/job_7/step_0/memory.current", "1\n");
  EXPECT_EQ(room().bytes, 100000);
  EXPECT_EQ(room().bounded_by, "memory limit of the cgroup /job_7");
}

TEST_F(MemoryRoomOf, ACgroupOfVersion1Bounds) {
  tree_.write("proc/self/cgroup", "5:cpuset:/x\n4:memory:/job_7\n0::/\n");
  tree_.write("sys/fs/cgroup/memory/job_7/memory.limit_in_bytes", "1000000\n");
  tree_.write("sys/fs/cgroup/memory/job_7/memory.usage_in_bytes", "1200000\n");
  EXPECT_EQ(room().bytes, 0);
}

TEST_F(MemoryRoomOf, ALimitOfAContainerStandsAtItsRoot) {
  tree_.write("proc/self/cgroup", "0::/\n");
  tree_.write("sys/fs/cgroup/memory.max", "40000\n");
  tree_.write("sys/fs/cgroup/memory.current", "0\n");
  EXPECT_EQ(room().bytes, 10000);
  EXPECT_EQ(room().bounded_by, "memory limit of the cgroup /");
}

TEST_F(MemoryRoomOf, GarbageInALimitDoesNotBound) {
  tree_.write("proc/self/cgroup", "no colons\n0::/a\n");
  tree_.write("sys/fs/cgroup/a/memory.max", "12 apples\n");
  tree_.write("sys/fs/cgroup/a/memory.current", "0\n");
  tree_.write("sys/devices/system/node/node0/meminfo", "MemFree:");
  EXPECT_EQ(room().bytes, 2000 * 1024);
}

TEST_F(MemoryRoomOf, AMachineThatDoesNotSayIsAnError) {
  tree_.write("proc/meminfo", "MemTotal: 9000 kB\n");
  const auto root = Sysroot::open(tree_.path());
  const auto room = memory_room(*root, {0});
  ASSERT_FALSE(room);
  EXPECT_EQ(room.error().code, Code::invalid);
}

TEST_F(MemoryRoomOf, HugePagesAreUnknownWithoutTheFile) {
  const auto root = Sysroot::open(tree_.path());
  EXPECT_EQ(huge_page_bytes(*root), std::nullopt);
  tree_.write("proc/self/smaps_rollup", "Rss:  10 kB\nAnonHugePages:      4096 kB\n");
  EXPECT_EQ(huge_page_bytes(*root), 4096 * 1024);
}

constexpr std::int64_t kMib = 1 << 20;

TEST(BufferSizeOf, FourTimesTheCachesWithinBounds) {
  const MemoryRoom plenty{std::int64_t{1} << 40, ""};
  EXPECT_EQ(buffer_size(0, 0, plenty)->text, "64 MiB");
  EXPECT_EQ(buffer_size(0, 16 * kMib, plenty)->text, "64 MiB");
  EXPECT_EQ(buffer_size(0, 17 * kMib, plenty)->text, "68 MiB");
  EXPECT_EQ(buffer_size(0, 256 * kMib, plenty)->text, "1024 MiB");
  EXPECT_EQ(buffer_size(0, 768 * kMib, plenty)->text, "1024 MiB");
  EXPECT_EQ(buffer_size(0, 256 * kMib, plenty)->bytes, 1 << 30);
}

TEST(BufferSizeOf, AGivenSizeIsTakenAsItIs) {
  EXPECT_EQ(buffer_size(3, 768 * kMib, {64 * kMib, ""})->bytes, 3 << 20);
}

TEST(BufferSizeOf, TwoBuffersFitIntoTheRoom) {
  EXPECT_EQ(buffer_size(100, 0, {200 * kMib, "free memory of numa1"})->text, "100 MiB");
  EXPECT_EQ(buffer_size(100, 0, {199 * kMib, "free memory of numa1"})->text,
            "99 MiB (100 wanted, bounded by the free memory of numa1)");
  EXPECT_EQ(buffer_size(0, 0, {2 * kMib, "free memory of numa1"})->bytes, 1 << 20);
}

TEST(BufferSizeOf, NoRoomIsAnError) {
  const auto size = buffer_size(1, 0, {2 * kMib - 1, "free memory of numa1"});
  ASSERT_FALSE(size);
  EXPECT_EQ(size.error().code, Code::busy);
  EXPECT_THAT(size.error().what, testing::HasSubstr("too little free memory of numa1"));
}

}  // namespace
}  // namespace linkburn
