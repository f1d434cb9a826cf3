// A participant that is killed between two stores of submit(): what others have running goes on as
// if it had never been there.
#include <gtest/gtest.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>

#include "bench/drill/world.h"
#include "tests/support/drill_run.h"
#include "tests/support/drill_state.h"
#include "tests/support/process.h"
#include "tests/support/temp_dir.h"

namespace linkburn::drill {
namespace {

constexpr int kSurvivor = 1, kVictim = 2;
constexpr double kBytes = 1e8;

/// Process 1 copies to GPU 1 when process 2 submits a copy to GPU 2, below the same switch.
class HalfSubmits : public ::testing::Test {
 protected:
  HalfSubmits() : world_(World::create(dir_.path(), scenario(), 7).value()) {
    running_ = open_stream(s_, kSurvivor, 1);
    seq_ = submit(s_, running_, copy(1));
    killed_ = open_stream(s_, kVictim, 2);
    test::run_world(s_, test::kMs / 2);
  }

  static Scenario scenario() {
    const auto state = test::small_drill_state();
    test::keep_awake(*state);
    Scenario made = test::small_drill_scenario();
    made.state = state;
    return made;
  }

  Op copy(int gpu) const {
    return test::copy_op(host_path(s_, gpu, 1, Direction::to_device), kBytes, gpu);
  }
  const Op& survivor() const { return *find_op(s_, running_, seq_); }

  /// Kills a process that submits as soon as it has changed the other's op so many times, seen
  /// after each of its instructions. -1: this may not be traced; 0: it was through before; 1:
  /// killed.
  int kill_after_changes(int changes) {
    const pid_t child = ::fork();
    if (child == 0) {
      if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(1);
      (void)std::raise(SIGSTOP);
      submit(s_, killed_, copy(2));
      ::_exit(0);
    }
    Op before = survivor();
    int status = 0;
    ::waitpid(child, &status, 0);
    if (!WIFSTOPPED(status)) return -1;
    while (WIFSTOPPED(status) && changes > 0) {
      if (::ptrace(PTRACE_SINGLESTEP, child, nullptr, nullptr) != 0) return -1;
      ::waitpid(child, &status, 0);
      if (std::memcmp(&before, &survivor(), sizeof before) == 0) continue;
      --changes;
      std::memcpy(&before, &survivor(), sizeof before);
    }
    if (!WIFSTOPPED(status)) return 0;
    ::kill(child, SIGKILL);
    ::waitpid(child, &status, 0);
    return 1;
  }

  test::TempDir dir_;
  World world_;
  State& s_ = world_.state();
  int running_ = -1, killed_ = -1;
  std::uint64_t seq_ = 0;
};

class HalfSubmitsAfter : public HalfSubmits, public ::testing::WithParamInterface<int> {};

TEST_P(HalfSubmitsAfter, LeaveTheOthersTheirPace) {
  if (test::kSanitized) GTEST_SKIP() << "too many instructions";
  const int killed = kill_after_changes(GetParam());
  if (killed < 0) GTEST_SKIP() << "processes may not be traced here";
  EXPECT_TRUE(killed == 1 || GetParam() > 1) << "the submission changes the pace of the other";
  drop_process(s_, kVictim);
  const double alone_ns = kBytes / (63.0154 * 0.87);
  EXPECT_NEAR(static_cast<double>(test::run_op(s_, running_, seq_).end_ns), alone_ns, 100);
}

INSTANTIATE_TEST_SUITE_P(Changes, HalfSubmitsAfter, ::testing::Range(1, 6));

}  // namespace
}  // namespace linkburn::drill
