#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <mutex>
#include <random>

#include "bench/base/clock_thread.h"
#include "bench/drill/clock.h"
#include "tests/support/drill_family.h"
#include "tests/support/drill_state.h"
#include "tests/support/process.h"

namespace linkburn::drill {
namespace {

constexpr std::uint64_t kSeeds = test::kSanitized ? 3 : 24;

constexpr int kSteps = 40;

/// Members wait, write to each other and wake threads of their own, as the seed says.
class Talkers {
 public:
  Talkers() {
    for (auto& ends : sockets_)
      if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends.data()) != 0) std::abort();
  }
  ~Talkers() {
    for (const auto& ends : sockets_) ::close(ends[0]), ::close(ends[1]);
  }
  Talkers(const Talkers&) = delete;
  Talkers& operator=(const Talkers&) = delete;

  void live(test::DrillFamily& family, int number);

 private:
  std::array<std::array<int, 2>, test::DrillFamily::kMembers> sockets_{};
};

void Talkers::live(test::DrillFamily& family, int number) {
  const auto clock = make_clock(family.world());
  std::mt19937_64 random(family.seed() * 100 + static_cast<std::uint64_t>(number));
  std::mutex mutex;
  std::condition_variable changed;
  bool over = false;
  const auto helper_number = static_cast<std::uint64_t>(number + 100);
  ClockThread helper(*clock, [&] {
    std::unique_lock lock(mutex);
    while (!over) {
      const bool notified =
          clock->wait(changed, lock, clock->now() + std::chrono::microseconds(random() % 900));
      family.note(helper_number, notified ? 1 : 0);
    }
  });
  for (int step = 0; step < kSteps; ++step) {
    const Instant then = clock->now() + std::chrono::nanoseconds(random() % 1'000'000);
    const std::uint64_t choice = random() % 4;
    char byte = static_cast<char>(step);
    if (choice == 0) clock->sleep_until(then);
    if (choice == 1 && ::write(sockets_[random() % test::DrillFamily::kMembers][1], &byte, 1) < 0)
      family.note(1000, 0);
    if (choice == 2) {
      pollfd mine{sockets_[static_cast<std::size_t>(number)][0], POLLIN, 0};
      const auto ready = clock->poll({&mine, 1}, then);
      if (ready && *ready > 0 && ::read(mine.fd, &byte, 1) == 1) family.note(2000, byte);
    }
    if (choice == 3) clock->notify_all(changed);
    family.note(static_cast<std::uint64_t>(number), choice);
  }
  {
    const std::lock_guard lock(mutex);
    over = true;
    clock->notify_all(changed);
  }
  helper.join();
}

class Family : public test::DrillFamily {
 public:
  explicit Family(std::uint64_t seed)
      : DrillFamily(test::small_drill_scenario(), seed,
                    [this](DrillFamily& family, int number) { talkers_.live(family, number); }) {}

 private:
  Talkers talkers_;
};

std::vector<std::uint64_t> life(std::uint64_t seed) {
  Family family(seed);
  family.start();
  EXPECT_EQ(family.await_members(), Family::kMembers);
  EXPECT_TRUE(family.stop_ticker());
  EXPECT_EQ(family.state().statistics.forced_turns, 0U);
  return family.trace();
}

TEST(DrillLife, IsTheSameEachTimeAlsoOnABusyMachine) {
  const auto quiet = life(11);
  const test::Burner first;
  const test::Burner second;
  const auto busy = life(11);
  ASSERT_GT(quiet.size(), 500U);
  EXPECT_EQ(quiet, busy);
  EXPECT_NE(quiet, life(12));
}

TEST(DrillKills, LeaveAWorldThatTheOthersCanUse) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    Family family(seed);
    family.start();
    std::mt19937_64 random(seed);
    const auto victim = static_cast<int>(random() % Family::kMembers);
    family.await_turns(random() % 800);
    family.signal_member(victim, SIGKILL);
    EXPECT_GE(family.await_members(), Family::kMembers - 1);
    EXPECT_TRUE(test::eventually([&] { return family.used_slots() == 0; }));
    EXPECT_EQ(family.state().header.turn, -1);
    EXPECT_TRUE(family.stop_ticker());
  }
}

TEST(DrillKills, OfTheTickerEndTheWorldForEverybody) {
  std::vector<std::unique_ptr<Family>> families;
  for (std::uint64_t seed = 1; seed <= kSeeds / 3; ++seed) {
    families.push_back(std::make_unique<Family>(seed));
    families.back()->start();
    families.back()->await_turns(std::mt19937_64(seed)() % 800);
    families.back()->kill_ticker();
  }
  for (const auto& family : families) {
    EXPECT_EQ(family->await_members(), Family::kMembers);
    EXPECT_FALSE(family->stop_ticker());
  }
}

}  // namespace
}  // namespace linkburn::drill
