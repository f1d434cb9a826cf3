#include "bench/workloads/thread_team.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include "bench/base/clock.h"
#include "tests/support/process.h"

namespace linkburn {
namespace {

using testing::ElementsAre;

TEST(Spread, TakesCoresEvenlyBeforeSiblings) {
  const NodeCpus cpus{{0, 1, 2, 3, 4, 5, 6, 7}, {8, 9, 10, 11, 12, 13, 14, 15}};
  EXPECT_THAT(spread(cpus, 1), ElementsAre(0));
  EXPECT_THAT(spread(cpus, 2), ElementsAre(0, 4));
  EXPECT_THAT(spread(cpus, 3), ElementsAre(0, 2, 5));
  EXPECT_THAT(spread(cpus, 8), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(spread(cpus, 9), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8));
}

TEST(Spread, TakesAllThereAreAndNoMore) {
  EXPECT_THAT(spread({{3}, {}}, 8), ElementsAre(3));
  EXPECT_THAT(spread({{3}, {7}}, 8), ElementsAre(3, 7));
}

class Team : public testing::Test {
 protected:
  void SetUp() override {
    auto topology = HostTopology::load();
    ASSERT_TRUE(topology) << topology.error().line();
    topology_ = std::make_unique<HostTopology>(*std::move(topology));
    const auto before = topology_->thread_binding();
    ASSERT_TRUE(before) << before.error().line();
    cpus_ = *before;
  }

  /// As many members as there are CPUs; two on one CPU when there is only one.
  std::unique_ptr<ThreadTeam> start() {
    std::vector<int> cpus = cpus_;
    if (cpus.size() == 1) cpus.push_back(cpus.front());
    auto team = ThreadTeam::start(*topology_, cpus);
    EXPECT_TRUE(team) << team.error().line();
    return *std::move(team);
  }

  std::unique_ptr<HostTopology> topology_;
  std::vector<int> cpus_;
};

TEST_F(Team, EachMemberWorksOnceARoundOnItsOwnCpu) {
  const auto team = start();
  std::vector<int> rounds(static_cast<std::size_t>(team->size()));
  std::vector<int> seen(rounds.size(), -1);
  for (int round = 0; round < 1000; ++round)
    team->run([&](int member) {
      ++rounds[static_cast<std::size_t>(member)];
      seen[static_cast<std::size_t>(member)] = ::sched_getcpu();
    });
  EXPECT_THAT(rounds, testing::Each(1000));
  EXPECT_EQ(seen, team->cpus());
}

TEST_F(Team, WakesMembersThatWentToSleep) {
  const auto team = start();
  std::atomic<int> done = 0;
  for (int round = 0; round < 3; ++round) {
    real_clock().sleep_until(real_clock().now() + std::chrono::milliseconds(20));
    team->run([&](int) { ++done; });
  }
  EXPECT_EQ(done, 3 * team->size());
}

TEST_F(Team, LeavesNoThreadAndNoBindingBehind) {
  const std::int64_t threads = test::threads_at_rest();
  start();
  EXPECT_TRUE(test::eventually([&] { return test::status_number("Threads") == threads; }));
  EXPECT_EQ(*topology_->thread_binding(), cpus_);
}

TEST_F(Team, ACpuThatDoesNotExistIsAnErrorAndLeavesNothing) {
  const std::int64_t threads = test::threads_at_rest();
  const auto team = ThreadTeam::start(*topology_, {cpus_.front(), 100000});
  ASSERT_FALSE(team);
  EXPECT_THAT(team.error().line(), testing::HasSubstr("CPU 100000"));
  EXPECT_TRUE(test::eventually([&] { return test::status_number("Threads") == threads; }));
  EXPECT_EQ(*topology_->thread_binding(), cpus_);
}

}  // namespace
}  // namespace linkburn
