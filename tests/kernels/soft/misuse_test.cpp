// What a program may not do with a GPU ends it, with a name. Each in a process of its own, which
// joins the drill of this one.
#include <sys/wait.h>

#include "tests/kernels/soft/soft_gpu.h"

namespace linkburn::test {
namespace {

class MisuseTest : public SoftGpuTest {
 protected:
  void SetUp() override { start(); }

  void begin() {
    (void)gpu.cudaSetDevice(0);
    device = static_cast<unsigned char*>(device_memory(4096));
    host = pinned_memory(4096);
    in = stream();
  }
  void queue(void* to, const void* from, std::size_t bytes, cuda::Stream where) {
    (void)gpu.cudaMemcpyAsync(to, from, bytes, cuda::kCopyDefault, where);
  }

  unsigned char *device = nullptr, *host = nullptr;
  cuda::Stream in = nullptr;
};

TEST_F(MisuseTest, TheHostMayNotReadMemoryOfAGpu) {
  EXPECT_DEATH((begin(), (void)*const_cast<volatile unsigned char*>(device)),
               "misuse: the host touches memory of a GPU");
}

TEST_F(MisuseTest, TheHostMayNotWriteMemoryOfAGpu) {
  EXPECT_DEATH((begin(), device[100] = 1), "misuse: the host touches memory of a GPU");
}

TEST_F(MisuseTest, FreedMemoryIsNobodysAnyMore) {
  EXPECT_DEATH((begin(), gpu.cudaFree(device), queue(device, host, 16, in)),
               "misuse: use of memory that was freed");
  EXPECT_DEATH((begin(), gpu.cudaFree(device), gpu.cudaFree(device)), "misuse: memory freed twice");
  EXPECT_DEATH((begin(), gpu.cudaFreeHost(host), host[3] = 1),
               "misuse: the host touches memory that was freed");
}

TEST_F(MisuseTest, ACopyEndsWhereItsAllocationDoes) {
  EXPECT_DEATH((begin(), queue(device, host + 1, 4096, in)), "misuse: access beyond an allocation");
  EXPECT_DEATH((begin(), queue(device + 4000, host, 97, in)),
               "misuse: access beyond an allocation");
}

TEST_F(MisuseTest, DestroyedStreamsAndEventsAreGone) {
  EXPECT_DEATH((begin(), gpu.cudaStreamDestroy(in), gpu.cudaStreamQuery(in)),
               "misuse: use of a stream that was destroyed");
  const auto use_event = [&] {
    begin();
    cuda::Event made = event();
    gpu.cudaEventDestroy(made);
    gpu.cudaEventRecord(made, in);
  };
  EXPECT_DEATH(use_event(), "misuse: use of an event that was destroyed");
}

TEST_F(MisuseTest, TheDefaultStreamIsNotForUs) {
  EXPECT_DEATH((begin(), queue(device, host, 16, nullptr)), "misuse: a default stream");
  cuda::Stream blocking = nullptr;
  EXPECT_DEATH((begin(), gpu.cudaStreamCreateWithFlags(&blocking, 0)),
               "misuse: a stream that waits for the legacy default stream");
}

TEST_F(MisuseTest, WhatIsLeftAtExitIsListed) {
  const auto leave = [&] {
    begin();
    (void)event();
    std::exit(0);
  };
  // A leak checker takes what the ticker's thread holds, which is not in the child, for lost.
  const auto exited = [](int status) { return WIFEXITED(status); };
  EXPECT_EXIT(leave(), exited,
              "memory was never freed.*\n.*memory was never freed.*\n.*stream was never "
              "destroyed.*\n.*event was never destroyed");
}

TEST_F(MisuseTest, OtherFaultsOfTheProgramAreLeftToItsOwnHandler) {
  const auto touch_nothing = [&] {
    begin();
    auto* nowhere = reinterpret_cast<volatile int*>(8);
    *nowhere = 1;
  };
  EXPECT_DEATH(touch_nothing(), "");
}

}  // namespace
}  // namespace linkburn::test
