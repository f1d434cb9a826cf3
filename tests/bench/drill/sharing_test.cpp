// Properties of the shared transfers, over many worlds of random copies, kernels and faults.
#include "bench/drill/sharing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

#include "bench/drill/model.h"
#include "bench/drill/resources.h"
#include "tests/support/drill_run.h"
#include "tests/support/drill_state.h"

namespace linkburn::drill {
namespace {

using test::kMs;

constexpr double kRounding = 1e-9;  ///< relative

/// What runs goes through each resource.
std::array<double, kResources> flows(State& state) {
  std::array<double, kResources> sums{};
  const RunningOps running = running_ops(state);
  for (int i = 0; i < running.count; ++i)
    for (int hop = 0; hop < running.ops[i]->path_length; ++hop)
      sums[running.ops[i]->path[hop]] += running.ops[i]->current().rate;
  return sums;
}

/// Nobody can get more without taking from one who has less or as much: on the way of each op is a
/// full resource of which no other op has more.
bool has_its_share(State& state, const Op& op, const std::array<double, kResources>& sums) {
  const RunningOps running = running_ops(state);
  return std::any_of(op.path.begin(), op.path.begin() + op.path_length, [&](Resource r) {
    if (sums[r] < capacity(state, r) * (1 - kRounding)) return false;
    return std::all_of(
        running.ops.begin(), running.ops.begin() + running.count, [&](const Op* other) {
          const auto end = other->path.begin() + other->path_length;
          const bool shares = std::find(other->path.begin(), end, r) != end;
          return !shares || other->current().rate <= op.current().rate * (1 + kRounding);
        });
  });
}

class RandomWorld {
 public:
  explicit RandomWorld(unsigned seed) : random_(seed) {
    s_.header.seed = seed;
    s_.jitter = 0.002;
    s_.numas[1].memory_gbs = 70;
    for (int n = 0; n < 12; ++n) open_stream(s_, 0, below(3));
    for (int n = 0; n < 6; ++n) add_fault();
  }

  State& state() { return s_; }

  void submit_some() {
    for (int n = 0; n < 4; ++n) {
      const int stream = below(12), gpu = below(3);
      const double bytes = below(5) == 0 ? 0 : below(1 << 28);
      if (below(6) == 0) {
        submit(s_, stream, test::kernel_op(static_cast<Engine>(below(3)), bytes * 1e3, gpu));
        continue;
      }
      const auto way = below(2) == 0 ? Direction::to_device : Direction::from_device;
      const auto path =
          below(3) == 0 ? peer_path(s_, gpu, below(3)) : host_path(s_, gpu, below(2), way);
      submit(s_, stream, test::copy_op(path, bytes, gpu));
    }
  }

 private:
  int below(int limit) { return static_cast<int>(random_() % static_cast<unsigned>(limit)); }

  void add_fault() {
    const std::array kinds{FaultKind::retrain, FaultKind::drift, FaultKind::throttle,
                           FaultKind::off_bus, FaultKind::failed_wake};
    Fault& fault = test::add_fault(s_, kinds[below(kinds.size())],
                                   below(4) == 0 ? Trigger::on_wake : Trigger::at);
    fault.gpu = below(3);
    fault.at_ns = below(100) * kMs, fault.for_ns = below(40) * kMs, fault.repeats = below(3);
    fault.gen = static_cast<std::uint8_t>(below(6)), fault.width = 8;
    fault.amount = 0.1 * (1 + below(9));
  }

  std::mt19937 random_;
  std::shared_ptr<State> state_ = test::small_drill_state();
  State& s_ = *state_;
};

/// One event and the flows after it.
void expect_fair_event(State& state) {
  drill::advance(state, next_event(state));
  const auto sums = flows(state);
  for (Resource r = 0; r < kResources; ++r) {
    if (sums[r] == 0) continue;
    ASSERT_LE(sums[r], capacity(state, r) * (1 + kRounding)) << "resource " << r;
  }
  const RunningOps running = running_ops(state);
  for (int i = 0; i < running.count; ++i)
    ASSERT_TRUE(has_its_share(state, *running.ops[i], sums)) << "op " << i;
}

TEST(DrillSharing, NoResourceGivesMoreThanItHasAndNobodyGetsLessThanHisShare) {
  for (unsigned seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE(seed);
    RandomWorld world(seed);
    State& state = world.state();
    for (int event = 0; event < 400; ++event) {
      if (event < 200 && event % 3 == 0) world.submit_some();
      ASSERT_NO_FATAL_FAILURE(expect_fair_event(state));
    }
    test::run_world(state, state.header.now_ns + 100 * test::kSecond);
    for (int n = 0; n < 12; ++n)
      EXPECT_EQ(state.streams[n].done, state.streams[n].submitted) << "all ops end";
  }
}

TEST(DrillSharing, NoOpEndsBeforeItsBytesAreThrough) {
  RandomWorld world(42);
  State& state = world.state();
  std::array<std::array<double, kMaxOps>, 12> through{};
  for (int event = 0; event < 400; ++event) {
    if (event < 200 && event % 3 == 0) world.submit_some();
    const std::int64_t next = next_event(state);
    for (int n = 0; n < 12; ++n) {
      const Stream& stream = state.streams[n];
      const auto passed_s = static_cast<double>(next - state.header.now_ns) / 1e9;
      if (stream.done < stream.submitted)
        through[n][stream.done % kMaxOps] +=
            stream.ops[stream.done % kMaxOps].current().rate * passed_s;
    }
    drill::advance(state, next);
  }
  int seen = 0;
  for (int n = 0; n < 12; ++n)
    for (std::uint64_t seq = 1; seq <= state.streams[n].done; ++seq) {
      const Op& op = *find_op(state, n, seq);
      if (op.failed || op.path_length == 0) continue;
      ++seen;
      EXPECT_GE(through[n][seq - 1], op.work * (1 - kRounding));
      EXPECT_LE(through[n][seq - 1], op.work * 1.003 + 1e6) << "at most jitter and a nanosecond";
    }
  EXPECT_GT(seen, 50);
}

TEST(DrillSharing, TwoWorldsOfOneSeedAreTheSameToTheLastBit) {
  RandomWorld one(7), two(7);
  for (int event = 0; event < 400; ++event) {
    if (event % 3 == 0) one.submit_some(), two.submit_some();
    ASSERT_EQ(next_event(one.state()), next_event(two.state()));
    drill::advance(one.state(), next_event(one.state()));
    drill::advance(two.state(), next_event(two.state()));
  }
  for (int g = 0; g < 3; ++g)
    EXPECT_EQ(one.state().gpus[g].temperature_c, two.state().gpus[g].temperature_c);
  EXPECT_EQ(test::log_of(one.state()), test::log_of(two.state()));
}

TEST(DrillSharing, ExtraLooksAtTheWorldDoNotChangeWhatComesOutOfIt) {
  RandomWorld one(9), two(9);
  for (int event = 0; event < 300; ++event) {
    if (event % 3 == 0) one.submit_some(), two.submit_some();
    const std::int64_t next = next_event(one.state()), now = one.state().header.now_ns;
    drill::advance(one.state(), next);
    for (int part = 1; part < 4; ++part) drill::advance(two.state(), now + (next - now) * part / 4);
    drill::advance(two.state(), next);
    ASSERT_EQ(next_event(one.state()), next_event(two.state()));
  }
}

TEST(DrillSharing, WhatIsTooFarAwayNeverComes) {
  EXPECT_EQ(due_at(0, 10, 0), kNever);
  EXPECT_EQ(due_at(0, 10, -1), kNever);
  EXPECT_EQ(due_at(0, 1e30, 1), kNever);
  EXPECT_EQ(due_at(kNever - 5, 10, 1e9), kNever);
  EXPECT_EQ(due_at(7, 0, 1), 7);
  EXPECT_EQ(due_at(7, 1, 3), 7 + 333'333'334);
}

}  // namespace
}  // namespace linkburn::drill
