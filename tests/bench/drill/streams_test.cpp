#include <gtest/gtest.h>

#include "bench/drill/model.h"
#include "tests/support/drill_run.h"
#include "tests/support/drill_state.h"

namespace linkburn::drill {
namespace {

using test::copy_op, test::kernel_op, test::kMs, test::kSecond, test::mark_op, test::run_op;

constexpr double kFlopPerMs = 60e9;  ///< of the small world's GPUs

class DrillStreams : public ::testing::Test {
 protected:
  DrillStreams() { test::keep_awake(s_); }

  int stream(int gpu, int process = 0) { return open_stream(s_, process, gpu); }
  std::uint64_t work(int number, double ms) {
    return submit(s_, number, kernel_op(Engine::fp32_flop, ms * kFlopPerMs, -1));
  }
  std::uint64_t mark(int number, OpKind kind, int other = 0, std::uint64_t other_seq = 0) {
    return submit(s_, number, mark_op(kind, other, other_seq));
  }
  std::int64_t end_of(int number, std::uint64_t seq) { return run_op(s_, number, seq).end_ns; }
  bool done(int number, std::uint64_t seq) const { return s_.streams[number].done >= seq; }
  void lose(int gpu) {
    Fault& fault = test::add_fault(s_, FaultKind::off_bus, Trigger::at);
    fault.gpu = gpu;
    fault.at_ns = s_.header.now_ns;
    drill::advance(s_, s_.header.now_ns);
  }

  std::shared_ptr<State> state_ = test::small_drill_state();
  State& s_ = *state_;
};

TEST_F(DrillStreams, OpsRunOneAfterTheOther) {
  const int a = stream(0);
  const auto first = work(a, 2), second = work(a, 1);
  EXPECT_EQ(end_of(a, second), 3 * kMs);
  EXPECT_EQ(find_op(s_, a, second)->start_ns, find_op(s_, a, first)->end_ns);
}

TEST_F(DrillStreams, AMarkIsDoneWhenItsTurnComes) {
  const int a = stream(0);
  const auto before = mark(a, OpKind::record_event);
  EXPECT_EQ(find_op(s_, a, before)->end_ns, 0);
  work(a, 2);
  const auto after = mark(a, OpKind::record_event);
  EXPECT_FALSE(done(a, after));
  EXPECT_EQ(end_of(a, after), 2 * kMs);
}

TEST_F(DrillStreams, AFixedOpTakesItsTimeWhateverElseRuns) {
  const int a = stream(0), b = stream(0);
  work(a, 10);
  Op op = mark_op(OpKind::fixed);
  op.work = 3e6;
  EXPECT_EQ(end_of(b, submit(s_, b, op)), 3 * kMs);
}

TEST_F(DrillStreams, AStreamWaitsForAnOpOfAnother) {
  const int a = stream(0), b = stream(1);
  const auto first = work(a, 5);
  const auto wait = mark(b, OpKind::wait_op, a, first);
  const auto then = work(b, 1);
  EXPECT_EQ(end_of(b, then), 6 * kMs);
  EXPECT_EQ(find_op(s_, b, wait)->end_ns, 5 * kMs);
  EXPECT_TRUE(done(b, mark(b, OpKind::wait_op, a, first)));
}

TEST_F(DrillStreams, AStreamWaitsForACellThatAnOpOrItsOwnerWrites) {
  const int a = stream(0), b = stream(1), cell = open_cell(s_, 0);
  work(a, 4);
  mark(a, OpKind::write_cell, cell, 7);
  const auto exact = mark(b, OpKind::wait_cell, cell, 7),
             more = mark(b, OpKind::wait_cell, cell, 8);
  EXPECT_EQ(end_of(b, exact), 4 * kMs);
  EXPECT_FALSE(done(b, more));
  EXPECT_EQ(next_event(s_), kNever);
  write_cell(s_, cell, 9);
  EXPECT_TRUE(done(b, more));
}

TEST_F(DrillStreams, AGateHoldsAStreamUntilItsOwnerOpensIt) {
  const int a = stream(0);
  const auto gate = mark(a, OpKind::gate), then = work(a, 1);
  advance(s_, 5 * kMs);
  EXPECT_FALSE(done(a, gate));
  open_gate(s_, a, gate);
  EXPECT_TRUE(done(a, gate));
  EXPECT_EQ(end_of(a, then), 6 * kMs);
}

TEST_F(DrillStreams, AGateMayBeOpenBeforeItsTurnComes) {
  const int a = stream(0);
  work(a, 2);
  const auto gate = mark(a, OpKind::gate);
  open_gate(s_, a, gate);
  EXPECT_EQ(end_of(a, gate), 2 * kMs);
}

TEST_F(DrillStreams, AnOpWithoutWorkOrWayIsDoneAtOnce) {
  const int a = stream(0);
  EXPECT_TRUE(done(a, work(a, 0)));
  EXPECT_TRUE(done(a, submit(s_, a, copy_op(host_path(s_, 0, 0, Direction::to_device), 0, 0))));
  EXPECT_TRUE(done(a, submit(s_, a, copy_op({}, 1e9, 0))));
  EXPECT_EQ(s_.header.now_ns, 0);
}

TEST_F(DrillStreams, AFullStreamTakesNoOpUntilOneIsDone) {
  const int a = stream(0);
  const auto gate = mark(a, OpKind::gate);
  for (int n = 1; n < kMaxOps; ++n) EXPECT_NE(mark(a, OpKind::record_event), 0U);
  EXPECT_EQ(mark(a, OpKind::record_event), 0U);
  open_gate(s_, a, gate);
  const auto seq = mark(a, OpKind::record_event);
  EXPECT_EQ(seq, static_cast<std::uint64_t>(kMaxOps) + 1);
  EXPECT_EQ(find_op(s_, a, seq - kMaxOps), nullptr) << "its place has been taken";
  EXPECT_NE(find_op(s_, a, seq - kMaxOps + 1), nullptr);
  EXPECT_EQ(find_op(s_, a, seq + 1), nullptr);
  EXPECT_EQ(find_op(s_, a, 0), nullptr);
}

TEST_F(DrillStreams, ThereIsRoomForSoManyStreamsAndCells) {
  for (int n = 0; n < kMaxStreams; ++n) EXPECT_EQ(stream(0), n);
  EXPECT_EQ(stream(0), -1);
  close_stream(s_, 3);
  EXPECT_EQ(stream(0), 3);
  for (int n = 0; n < kMaxCells; ++n) EXPECT_EQ(open_cell(s_, 0), n);
  EXPECT_EQ(open_cell(s_, 0), -1);
  close_cell(s_, 5);
  EXPECT_EQ(open_cell(s_, 0), 5);
}

TEST_F(DrillStreams, HundredsOfOpsOfOneInstantAreDoneInIt) {
  const int gate_stream = stream(0);
  const auto gate = mark(gate_stream, OpKind::gate);
  for (int n = 1; n < kMaxStreams; ++n) {
    const int number = stream(0);
    mark(number, OpKind::wait_op, gate_stream, gate);
    for (int k = 0; k < 20; ++k) mark(number, OpKind::record_event);
  }
  EXPECT_FALSE(done(1, 1));
  open_gate(s_, gate_stream, gate);
  for (int n = 1; n < kMaxStreams; ++n) EXPECT_TRUE(done(n, 21));
  EXPECT_EQ(next_event(s_), kNever);
}

TEST_F(DrillStreams, AChainOfWaitsAgainstTheOrderOfStreamsIsDoneInOneInstant) {
  for (int n = 0; n < kMaxStreams; ++n) stream(0);
  for (int n = 0; n + 1 < kMaxStreams; ++n) mark(n, OpKind::wait_op, n + 1, 1);
  EXPECT_FALSE(done(0, 1));
  mark(kMaxStreams - 1, OpKind::record_event);
  EXPECT_TRUE(done(0, 1));
}

TEST_F(DrillStreams, OpsOfALostGpuFailAndSoDoAllLaterOnes) {
  const int a = stream(0), other = stream(1);
  const auto running = work(a, 5), behind = work(a, 5), unharmed = work(other, 5);
  const auto gate = mark(a, OpKind::gate);
  test::run_world(s_, kMs);
  lose(0);
  for (const auto seq : {running, behind, gate}) {
    EXPECT_TRUE(find_op(s_, a, seq)->failed);
    EXPECT_EQ(find_op(s_, a, seq)->end_ns, kMs);
  }
  const auto later = work(a, 5);
  EXPECT_TRUE(find_op(s_, a, later)->failed);
  EXPECT_EQ(end_of(other, unharmed), 5 * kMs);
  EXPECT_FALSE(find_op(s_, other, unharmed)->failed);
}

TEST_F(DrillStreams, ACopyToALostPeerFailsOnTheStreamOfTheOther) {
  const int a = stream(1);
  const auto seq = submit(s_, a, copy_op(peer_path(s_, 1, 2), 1e9, 1));
  lose(2);
  EXPECT_TRUE(find_op(s_, a, seq)->failed);
  EXPECT_EQ(end_of(a, work(a, 1)), kMs) << "the GPU itself goes on";
}

TEST_F(DrillStreams, ACopyThroughALostDeviceThatIsNoGpuFails) {
  const int a = stream(1);
  auto path = host_path(s_, 1, 1, Direction::to_device);
  path.push_back(2 * test::function_of(s_, "nic0"));
  const auto seq = submit(s_, a, copy_op(path, 1e9, 1));
  Fault& fault = test::add_fault(s_, FaultKind::off_bus, Trigger::at);
  fault.function = test::function_of(s_, "nic0");
  advance(s_, 0);
  EXPECT_TRUE(find_op(s_, a, seq)->failed);
  EXPECT_FALSE(s_.gpus[1].lost);
}

TEST_F(DrillStreams, AClosedStreamFailsWhatItHadAndReleasesThoseWhoWait) {
  const int a = stream(0), b = stream(1);
  const auto never = mark(a, OpKind::gate);
  const auto wait = mark(b, OpKind::wait_op, a, never);
  close_stream(s_, a);
  EXPECT_TRUE(find_op(s_, a, never)->failed);
  EXPECT_TRUE(done(b, wait));
  EXPECT_FALSE(find_op(s_, b, wait)->failed);
}

TEST_F(DrillStreams, NumbersOfOpsGoOnWhenAStreamIsOpenedAnew) {
  const int a = stream(0);
  const auto old = mark(a, OpKind::record_event);
  close_stream(s_, a);
  ASSERT_EQ(stream(0, 1), a);
  const auto wait_elsewhere = mark(stream(1), OpKind::wait_op, a, old);
  EXPECT_EQ(wait_elsewhere, 1U);
  EXPECT_GT(mark(a, OpKind::record_event), old);
}

TEST_F(DrillStreams, AProcessThatIsDroppedLeavesNothingAndStallsTheOthers) {
  const int mine = stream(0, 3), other = stream(0, 4), cell = open_cell(s_, 3);
  s_.gpus[0].owner_process = 3, s_.gpus[0].contexts[3] = true;
  s_.gpus[0].memory_bytes = 1000, s_.gpus[0].memory_of[2] = 100, s_.gpus[0].memory_of[3] = 200;
  const auto half = work(mine, 10), rest = work(other, 10);
  test::run_world(s_, 2 * kMs);
  drop_process(s_, 3);
  EXPECT_FALSE(s_.streams[mine].used);
  EXPECT_FALSE(s_.cells[cell].used);
  EXPECT_EQ(s_.gpus[0].owner_process, -1);
  EXPECT_FALSE(s_.gpus[0].contexts[3]);
  EXPECT_EQ(free_memory(s_.gpus[0]), 900U);
  EXPECT_TRUE(find_op(s_, mine, half)->failed);
  EXPECT_EQ(s_.stall_until_ns, 2 * kMs + 400 * kMs);
  EXPECT_EQ(end_of(other, rest), 11 * kMs) << "1 ms done by halves, then 9 alone";
}

TEST_F(DrillStreams, AProcessThatHadNothingStallsNobody) {
  stream(0, 4);
  drop_process(s_, 3);
  EXPECT_EQ(s_.stall_until_ns, 0);
}

TEST_F(DrillStreams, AnEmptyWorldNeverMovesByItself) {
  const auto empty = std::make_shared<State>();
  EXPECT_EQ(next_event(*empty), kNever);
  advance(*empty, kSecond);
  EXPECT_EQ(empty->header.now_ns, kSecond);
  EXPECT_EQ(next_event(*empty), kNever);
}

}  // namespace
}  // namespace linkburn::drill
