#include "bench/drill/turns.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <condition_variable>
#include <mutex>
#include <vector>

#include "bench/base/clock_thread.h"
#include "tests/support/running_drill.h"

namespace linkburn::drill {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

Instant at(std::int64_t ns) { return instant_from_ns(ns); }

/// The calling thread takes part from here on.
const Clock& come_in(test::DrillRun& drill) {
  drill.start();
  return drill.clock();
}

TEST(DrillTurns, GoByTimeAndThenByNumber) {
  test::DrillRun drill;
  const Clock& clock = come_in(drill);
  std::vector<int> order;  // the turn is all the protection that it has
  std::vector<ClockThread> threads;
  for (const int number : {0, 1, 2, 3})
    threads.emplace_back(clock, [&, number] {
      for (int round = 1; round <= 3; ++round) {
        clock.sleep_until(at(round * 1000 - (number == 3 ? 1 : 0)));
        order.push_back(number);
      }
    });
  for (ClockThread& thread : threads) thread.join();
  EXPECT_EQ(order, (std::vector<int>{3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2}));
  EXPECT_EQ(drill.state().statistics.forced_turns, 0U);
}

TEST(DrillTurns, StopTimeWhileOneWorks) {
  test::DrillRun drill;
  const Clock& clock = come_in(drill);
  ClockThread sleeper(clock, [&] { clock.sleep_until(at(5000)); });
  clock.sleep_until(at(1000));
  const Instant end = real_clock().now() + milliseconds(50);
  while (real_clock().now() < end) {
  }
  EXPECT_EQ(clock.now(), at(1000));
  sleeper.join();
  EXPECT_EQ(clock.now(), at(5000));
}

TEST(DrillTurns, ComeBackAtTheMomentOfANotification) {
  test::DrillRun drill;
  const Clock& clock = come_in(drill);
  std::mutex mutex;
  std::condition_variable changed;
  bool ready = false;
  Instant seen{};
  ClockThread waiter(clock, [&] {
    std::unique_lock lock(mutex);
    while (!ready) EXPECT_TRUE(clock.wait(changed, lock, at(9000)));
    seen = clock.now();
    EXPECT_FALSE(clock.wait(changed, lock, at(9000)));
  });
  clock.sleep_until(at(700));
  {
    const std::lock_guard lock(mutex);
    ready = true;
    clock.notify_all(changed);
  }
  waiter.join();
  EXPECT_EQ(seen, at(700));
  EXPECT_EQ(clock.now(), at(9000));
}

TEST(DrillTurns, GoOnWithoutAThreadThatNeverComes) {
  TurnLimits limits;
  limits.arrival = milliseconds(20);
  test::DrillRun drill(limits);
  const Clock& clock = come_in(drill);
  const int number = clock.announce_thread();
  clock.sleep_until(at(1000));
  EXPECT_EQ(drill.state().statistics.forced_turns, 1U);
  clock.await_thread(number);  // it is no longer one of us
  clock.enter_thread(number);  // and if it comes after all, it is a new one
  EXPECT_EQ(clock.now(), at(1000));
}

TEST(DrillTurns, GoOnWithoutAProcessThatCouldNotBeStarted) {
  test::DrillRun drill;
  const Clock& clock = come_in(drill);
  EXPECT_FALSE(clock.announce_child("nobody").empty());
  clock.child_started(-1);
  clock.sleep_until(at(1000));
  EXPECT_FALSE(drill.state().processes[1].used);
  EXPECT_EQ(drill.state().statistics.forced_turns, 0U);
}

TEST(DrillTurns, GoOnWithoutAProcessThatDiesBeforeItComes) {
  test::DrillRun drill;
  const Clock& clock = come_in(drill);
  clock.announce_child("mayfly");
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  clock.child_started(child);
  clock.sleep_until(at(1000));
  EXPECT_EQ(drill.state().statistics.deaths, 1U);
  EXPECT_EQ(::waitpid(child, nullptr, WNOHANG), child);
}

TEST(DrillTurns, StandStillUntilAKilledProcessIsGone) {
  test::DrillRun drill;
  const Clock& clock = come_in(drill);
  clock.announce_child("victim");
  const pid_t child = ::fork();
  if (child == 0) {
    const auto own_clock = make_clock(drill.world());
    Turns(drill.state()).enter_process(1);
    own_clock->sleep_until(kForever);
    ::_exit(1);
  }
  clock.child_started(child);
  clock.sleep_until(at(1000));
  ::kill(child, SIGKILL);
  clock.await_child(child);
  clock.sleep_until(at(1001));
  EXPECT_EQ(::waitpid(child, nullptr, WNOHANG), child);
  EXPECT_EQ(drill.state().statistics.forced_turns, 0U);
}

TEST(DrillTurns, AreTakenFromWhoSleepsInAForeignLock) {
  test::DrillRun drill;
  const Clock& clock = come_in(drill);
  std::mutex foreign;
  Instant got{};
  foreign.lock();
  ClockThread stuck(clock, [&] {
    const std::lock_guard lock(foreign);
    clock.sleep_until(at(1));  // has the turn again from here on
    got = clock.now();
  });
  clock.sleep_until(at(5000));
  foreign.unlock();
  stuck.join();
  EXPECT_EQ(drill.state().statistics.forced_turns, 1U);
  EXPECT_GE(got, at(5000));
}

TEST(DrillTurns, GoToTheNextThreadInASlotWithoutConfusingTheTwo) {
  test::DrillRun drill;
  const Clock& clock = come_in(drill);
  ClockThread first(clock, [] {});
  clock.sleep_until(at(10));
  ClockThread second(clock, [&] { clock.sleep_until(at(1000)); });
  first.join();
  EXPECT_EQ(clock.now(), at(10));
  second.join();
  EXPECT_EQ(clock.now(), at(1000));
}

TEST(DrillTurns, EndWithTheWorldAndTimeIsRealThen) {
  test::DrillRun drill;
  const Clock& clock = come_in(drill);
  clock.sleep_until(at(1000));
  drill.stop();
  EXPECT_TRUE(Turns(drill.state()).ended());
  const Instant before = clock.now();
  clock.sleep_until(before + milliseconds(2));
  EXPECT_GE(clock.now(), before + milliseconds(2));
  std::mutex mutex;
  std::condition_variable changed;
  std::unique_lock lock(mutex);
  EXPECT_FALSE(clock.wait(changed, lock, clock.now() + milliseconds(2)));
  EXPECT_EQ(Turns(drill.state()).enter(), -1);
  EXPECT_FALSE(Turns(drill.state()).wait({WaitKind::op, kNever, 0, 1, {}, {}}));
  ClockThread(clock, [&] { clock.sleep_until(clock.now() + milliseconds(1)); }).join();
}

}  // namespace
}  // namespace linkburn::drill
