#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <random>

#include "bench/drill/world.h"
#include "tests/bench/drill/family.h"
#include "tests/support/process.h"

namespace linkburn::drill {
namespace {

constexpr std::uint64_t kSeeds = test::kSanitized ? 3 : 24;

/// A process that computes for nothing. A thread would be in the way of fork().
class Burner {
 public:
  Burner() : pid_(::fork()) {
    if (pid_ != 0) return;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (volatile int spin = 0;;) spin = 1 - spin;
  }
  ~Burner() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Burner(const Burner&) = delete;
  Burner& operator=(const Burner&) = delete;

 private:
  pid_t pid_;
};

std::vector<std::uint64_t> life(std::uint64_t seed) {
  test::Family family(seed);
  family.start();
  EXPECT_EQ(family.await_members(), test::Family::kMembers);
  EXPECT_TRUE(family.stop_ticker());
  EXPECT_EQ(family.state().statistics.forced_turns, 0U);
  return family.trace();
}

TEST(DrillLife, IsTheSameEachTimeAlsoOnABusyMachine) {
  const auto quiet = life(11);
  const Burner first;
  const Burner second;
  const auto busy = life(11);
  ASSERT_GT(quiet.size(), 500U);
  EXPECT_EQ(quiet, busy);
  EXPECT_NE(quiet, life(12));
}

TEST(DrillKills, LeaveAWorldThatTheOthersCanUse) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    test::Family family(seed);
    family.start();
    std::mt19937_64 random(seed);
    const auto victim = static_cast<int>(random() % test::Family::kMembers);
    family.await_turns(random() % 800);
    family.kill_member(victim);
    EXPECT_GE(family.await_members(), test::Family::kMembers - 1);
    EXPECT_TRUE(test::eventually([&] { return family.used_slots() == 0; }));
    EXPECT_EQ(family.state().header.turn, -1);
    EXPECT_TRUE(family.stop_ticker());
  }
}

TEST(DrillKills, OfTheTickerEndTheWorldForEverybody) {
  std::vector<std::unique_ptr<test::Family>> families;
  for (std::uint64_t seed = 1; seed <= kSeeds / 3; ++seed) {
    families.push_back(std::make_unique<test::Family>(seed));
    families.back()->start();
    families.back()->await_turns(std::mt19937_64(seed)() % 800);
    families.back()->kill_ticker();
  }
  for (const auto& family : families) {
    EXPECT_EQ(family->await_members(), test::Family::kMembers);
    EXPECT_FALSE(family->stop_ticker());
  }
}

}  // namespace
}  // namespace linkburn::drill
