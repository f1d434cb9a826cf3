// How a process that uses software GPUs comes to its end by itself.
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>

#include "tests/kernels/soft/soft_gpu.h"
#include "tests/support/process.h"

namespace linkburn::test {
namespace {

class SoftGpuExitTest : public SoftGpuTest {
 protected:
  void SetUp() override {
    SoftGpuTest::SetUp();
    if (kSanitized)
      GTEST_SKIP() << "the sanitizer has a report of its own at exit, and waits for a reader";
  }

  /// How a child ends that leaves work and memory behind, with its stderr at `fd`.
  int end_of_child(int fd) {
    start();
    const pid_t child = ::fork();
    if (child == 0) {
      ::dup2(fd, STDERR_FILENO);
      (void)gpu.cudaSetDevice(0);
      cuda::Stream in = stream();
      void *to = device_memory(kMiB), *from = pinned_memory(kMiB);
      for (int n = 0; n < 100; ++n)
        (void)gpu.cudaMemcpyAsync(to, from, kMiB, cuda::kCopyDefault, in);
      for (int n = 0; n < 2000; ++n) (void)event();
      std::exit(7);  // NOLINT(concurrency-mt-unsafe): with its handlers
    }
    drill_.clock().leave_thread();
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
};

TEST_F(SoftGpuExitTest, LeavesWhatIsQueued) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  EXPECT_EQ(end_of_child(ends[1]), 7) << "nobody reads what it says";
  std::array<char, 4096> said{};
  ASSERT_GT(::read(ends[0], said.data(), said.size() - 1), 0);
  EXPECT_NE(std::string(said.data()).find("never freed"), std::string::npos);
  ::close(ends[0]), ::close(ends[1]);
}

TEST_F(SoftGpuExitTest, NeedsNobodyToListen) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  ::close(ends[0]);
  EXPECT_EQ(end_of_child(ends[1]), 7);
  ::close(ends[1]);
}

}  // namespace
}  // namespace linkburn::test
