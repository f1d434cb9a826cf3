#include "bench/drill/streams.h"

#include <algorithm>

#include "bench/base/result.h"
#include "bench/drill/faults.h"
#include "bench/drill/idle_links.h"
#include "bench/drill/model.h"
#include "bench/drill/resources.h"
#include "bench/drill/sharing.h"

namespace linkburn::drill {
namespace {

constexpr double kComputePower = 1.0, kMemoryPower = 0.7, kCopyPower = 0.15;

std::uint64_t bit_of(int stream) { return std::uint64_t{1} << (stream % 64); }

Stream& open_one(State& state, int stream) {
  check(stream >= 0 && stream < kMaxStreams && state.streams[stream].used,
        "no such stream in this drill");
  return state.streams[stream];
}

bool takes_time(OpKind kind) {
  return kind == OpKind::copy || kind == OpKind::kernel || kind == OpKind::fixed;
}

template <typename Use>
void for_gpus(std::uint32_t set, Use use) {
  for (; set != 0; set &= set - 1) use(std::countr_zero(set));
}

/// The GPU of the op or one that it needs has fallen off the bus, or a link on its way has.
bool out_of_reach(const State& state, const Stream& stream, const Op& op) {
  bool lost = stream.gpu >= 0 && state.gpus[stream.gpu].lost;
  for_gpus(op.gpus, [&](int gpu) { lost = lost || state.gpus[gpu].lost; });
  for (int hop = 0; hop < op.path_length && !lost; ++hop) {
    const int link = link_of(op.path[hop]);
    lost = link >= 0 && state.functions[link].gone;
  }
  return lost;
}

void start(State& state, int stream, Op& op) {
  const std::int64_t now = state.header.now_ns;
  Pace pace{0, 0, now, kNever};
  if (takes_time(op.kind)) {
    const auto lane = static_cast<std::uint64_t>(stream);
    const std::uint64_t seq = state.streams[stream].done + 1;
    // Only ever longer: nothing goes through a link faster than the link can.
    pace.rest = op.work * (1 + state.jitter * noise(state.header.seed, lane, seq));
    const bool at_once = pace.rest <= 0 || (op.kind != OpKind::fixed && op.path_length == 0);
    if (at_once || op.kind == OpKind::fixed)
      pace.due_ns = at_once ? now : due_at(now, pace.rest, 1e9);  // its work counts nanoseconds
  }
  set_pace(op, pace);
  op.start_ns = now;
  if (!takes_time(op.kind)) return;
  for_gpus(op.gpus, [&](int gpu) { wake(state, gpu); });
  flip_bit(state, op);
}

bool is_through(const State& state, const Op& op) {
  switch (op.kind) {
    case OpKind::copy:
    case OpKind::kernel:
    case OpKind::fixed:
      return op.current().due_ns <= state.header.now_ns;
    case OpKind::wait_op:
      return state.streams[op.other].done >= op.other_seq;
    case OpKind::wait_cell:
      return state.cells[op.other].value >= op.other_seq;
    case OpKind::gate:
      return op.open;
    case OpKind::record_event:
    case OpKind::write_cell:
      break;
  }
  return true;
}

void end(State& state, Stream& stream, Op& op, bool failed) {
  if (!failed && op.kind == OpKind::write_cell) state.cells[op.other].value = op.other_seq;
  op.failed = failed;
  op.end_ns = state.header.now_ns;
  if (op.start_ns < 0) op.start_ns = op.end_ns;
  ++stream.done;
}

/// One step of a stream; false: it stands.
bool step(State& state, int number) {
  Stream& stream = state.streams[number];
  Op* op = head_op(stream);
  if (op == nullptr) {
    state.busy_streams[number / 64] &= ~bit_of(number);
    return false;
  }
  const bool failed = out_of_reach(state, stream, *op);
  if (!failed && op->start_ns < 0) start(state, number, *op);
  if (!failed && !is_through(state, *op)) return false;
  end(state, stream, *op, failed);
  return true;
}

double power_share(const Op& op) {
  if (op.kind == OpKind::copy) return kCopyPower;
  if (op.kind != OpKind::kernel) return 0;
  return op.unit == Engine::memory_byte ? kMemoryPower : kComputePower;
}

/// From now on `busy`; what was before is kept for the mean of the tick.
void set_busy(Gpu& gpu, std::int64_t now_ns, double busy) {
  if (busy == gpu.busy) return;
  gpu.busy_sum += gpu.busy * static_cast<double>(now_ns - gpu.busy_since_ns);
  gpu.busy_since_ns = now_ns;
  gpu.busy = busy;
}

/// What an owner asks for must make sense before it stands in the queue.
void check_op(const Stream& stream, const Op& op) {
  check(op.path_length >= 0 && op.path_length <= kMaxPath, "an op's path has no such length");
  for (int hop = 0; hop < op.path_length; ++hop)
    check(op.path[hop] >= 0 && op.path[hop] < kResources, "no such resource in this drill");
  const int gpu = op.gpu >= 0 ? op.gpu : stream.gpu;
  check(gpu < kMaxGpus, "no such GPU in this drill");
  if (op.kind == OpKind::kernel) check(gpu >= 0, "a kernel runs on a GPU");
  if (op.kind == OpKind::wait_op)
    check(op.other >= 0 && op.other < kMaxStreams, "no such stream in this drill");
  if (op.kind == OpKind::wait_cell || op.kind == OpKind::write_cell)
    check(op.other >= 0 && op.other < kMaxCells, "no such cell in this drill");
  check(op.work >= 0, "an op's work is no amount");
}

/// An op as it stands in the queue before its turn comes.
Op as_new(const State& state, const Stream& stream, Op op) {
  if (op.gpu < 0) op.gpu = stream.gpu;
  op.failed = op.flipped = false;
  op.submitted_ns = state.header.now_ns;
  op.start_ns = op.end_ns = -1;
  if (op.kind == OpKind::kernel) op.path_length = 1, op.path[0] = engine_resource(op.gpu, op.unit);
  op.gpus = takes_time(op.kind) && op.gpu >= 0 ? 1U << op.gpu : 0;
  for (int hop = 0; hop < op.path_length; ++hop) op.gpus |= gpus_at(state, op.path[hop]);
  return op;
}

}  // namespace

void set_pace(Op& op, const Pace& pace) {
  const std::uint32_t next = 1 - (op.pace & 1);
  op.paces[next] = pace;
  std::atomic_signal_fence(std::memory_order_release);
  op.pace = next;
}

void run_streams(State& state) {
  if (state.header.ended != 0) return;  // nobody has the turn: several would change it at once
  for (bool moved = true; moved;) {
    moved = false;
    for_busy_streams(state, [&](int stream) {
      while (step(state, stream)) moved = true;
    });
  }
}

std::int64_t next_op_end(const State& state) {
  std::int64_t next = kNever;
  for_busy_streams(state, [&](int stream) {
    const Op* op = head_op(state.streams[stream]);
    if (op != nullptr && op->start_ns >= 0) next = std::min(next, op->current().due_ns);
  });
  return next;
}

void share_load(State& state) {
  if (state.header.ended != 0) return;
  const RunningOps running = running_ops(state);
  share_rates(state, running);
  std::array<double, kMaxGpus> busy{};
  std::uint32_t working = 0;
  for_busy_streams(state, [&](int stream) {
    const Op* op = head_op(state.streams[stream]);
    if (op == nullptr || op->start_ns < 0 || !takes_time(op->kind)) return;
    working |= op->gpus;
    for_gpus(op->gpus, [&](int gpu) { busy[gpu] += power_share(*op); });
  });
  const std::int64_t now = state.header.now_ns;
  for (int g = 0; g < kMaxGpus; ++g) {
    Gpu& gpu = state.gpus[g];
    if (!gpu.used) continue;
    set_busy(gpu, now, std::min(busy[g], 1.0));
    if ((working >> g & 1) != 0)
      gpu.busy_until_ns = kNever;
    else if (gpu.busy_until_ns == kNever)
      gpu.busy_until_ns = now;
  }
}

int open_stream(State& state, int process, int gpu) {
  check(gpu < kMaxGpus, "no such GPU in this drill");
  for (int n = 0; n < kMaxStreams; ++n) {
    Stream& stream = state.streams[n];
    if (stream.used) continue;
    stream.process = process, stream.gpu = gpu;
    stream.used = true;
    return n;
  }
  return -1;
}

void close_stream(State& state, int stream) {
  Stream& queue = open_one(state, stream);
  while (Op* op = head_op(queue)) end(state, queue, *op, true);
  queue.used = false;
  run_streams(state);  // others may have waited for it
  share_load(state);
}

std::uint64_t submit(State& state, int stream, const Op& op) {
  Stream& queue = open_one(state, stream);
  check_op(queue, op);
  if (queue.submitted - queue.done >= kMaxOps) return 0;
  const std::uint64_t seq = queue.submitted + 1;
  op_of(queue, seq) = as_new(state, queue, op);
  state.busy_streams[stream / 64] |= bit_of(stream);
  queue.submitted = seq;
  if (queue.done + 1 == seq) {
    run_streams(state);
    share_load(state);
  }
  return seq;
}

const Op* find_op(const State& state, int stream, std::uint64_t seq) {
  check(stream >= 0 && stream < kMaxStreams, "no such stream in this drill");
  const Stream& queue = state.streams[stream];
  if (seq == 0 || seq > queue.submitted || seq + kMaxOps <= queue.submitted) return nullptr;
  return &op_of(queue, seq);
}

void open_gate(State& state, int stream, std::uint64_t seq) {
  check(find_op(state, stream, seq) != nullptr, "no such gate in this drill");
  op_of(state.streams[stream], seq).open = true;
  run_streams(state);
  share_load(state);
}

int open_cell(State& state, int process) {
  for (int n = 0; n < kMaxCells; ++n) {
    Cell& cell = state.cells[n];
    if (cell.used) continue;
    cell.process = process, cell.value = 0;
    cell.used = true;
    return n;
  }
  return -1;
}

void close_cell(State& state, int cell) {
  check(cell >= 0 && cell < kMaxCells, "no such cell in this drill");
  state.cells[cell].used = false;
}

void write_cell(State& state, int cell, std::uint64_t value) {
  check(cell >= 0 && cell < kMaxCells && state.cells[cell].used, "no such cell in this drill");
  state.cells[cell].value = value;
  run_streams(state);
  share_load(state);
}

void drop_process(State& state, int process) {
  check(process >= 0 && process < kMaxProcesses, "no such process in this drill");
  std::uint32_t had = 0;  // GPUs on which it had something to tear down
  for (int n = 0; n < kMaxStreams; ++n) {
    const Stream& stream = state.streams[n];
    if (!stream.used || stream.process != process) continue;
    if (stream.gpu >= 0) had |= 1U << stream.gpu;
    close_stream(state, n);
  }
  std::int64_t teardown_ms = 0;
  for (int g = 0; g < kMaxGpus; ++g) {
    Gpu& gpu = state.gpus[g];
    if (!gpu.used) continue;
    if (gpu.contexts[process] || gpu.owner_process == process || (had >> g & 1) != 0)
      teardown_ms = std::max(teardown_ms, gpu.teardown_ms);
    gpu.contexts[process] = false;
    gpu.memory_of[process] = 0;
    if (gpu.owner_process == process) gpu.owner_process = -1;
  }
  for (Cell& cell : state.cells)
    if (cell.used && cell.process == process) cell.used = false;
  if (teardown_ms > 0)
    state.stall_until_ns =
        std::max(state.stall_until_ns, later_ms(state.header.now_ns, teardown_ms));
}

}  // namespace linkburn::drill
