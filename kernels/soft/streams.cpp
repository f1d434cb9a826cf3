#include "kernels/soft/streams.h"

#include <algorithm>
#include <cstddef>
#include <tuple>

#include "bench/drill/model.h"
#include "kernels/soft/process.h"

namespace linkburn::soft {
namespace {

/// How late a call that waits learns what the host has stored into a word.
constexpr std::int64_t kLookAgain = 100'000;

using cuda::CUstream_st;

struct Finished {
  CUstream_st* stream;
  Pending pending;
  Outcome outcome;
  bool failed;
};

const drill::Stream& in_world(Session& session, const CUstream_st& stream) {
  return session.state().streams[static_cast<std::size_t>(stream.number)];
}

void collect(Session& session, CUstream_st& stream, std::vector<Finished>& finished) {
  while (!stream.pending.empty()) {
    Pending& next = stream.pending.front();
    if (next.seq > in_world(session, stream).done) return;
    const drill::Op* op = drill::find_op(session.state(), stream.number, next.seq);
    check(op != nullptr, "an op of a software GPU was lost before its owner saw its end");
    const Outcome outcome{op->end_ns, next.order, op->flipped};
    finished.push_back({&stream, std::move(next), outcome, op->failed});
    stream.pending.pop_front();
  }
}

/// An op fails when its GPU is gone; otherwise its kernel did.
cuda::RuntimeError error_of_failure(Session& session, int gpu) {
  const bool lost = session.state().gpus[static_cast<std::size_t>(gpu)].lost;
  return lost ? cuda::kUnknown : cuda::kLaunchFailure;
}

void take_effect(Session& session, const Finished& op) {
  const int gpu = op.stream->gpu;
  cuda::RuntimeError error = op.failed ? error_of_failure(session, gpu) : cuda::kSuccess;
  if (!op.failed && op.pending.effect) error = op.pending.effect(op.outcome);
  cuda::RuntimeError& broken = session.cuda().contexts[static_cast<std::size_t>(gpu)].broken;
  if (error != cuda::kSuccess && broken == cuda::kSuccess) broken = error;
}

void close_when_drained(Session& session, CUstream_st& stream) {
  if (!stream.destroyed || stream.number < 0 || !stream.pending.empty()) return;
  drill::close_stream(session.state(), stream.number);
  stream.number = -1;
}

}  // namespace

drill::Op make_op(drill::OpKind kind, int gpu) {
  drill::Op op{};
  op.kind = kind;
  op.gpu = gpu;
  op.other = -1;
  return op;
}

std::uint64_t submit(Session& session, CUstream_st& stream, const drill::Op& op, Effect effect) {
  std::uint64_t seq = 0;
  while ((seq = drill::submit(session.state(), stream.number, op)) == 0) {
    if (session.turns().ended()) return 0;
    await_op(session, stream, stream.pending.front().seq);
  }
  stream.last = seq;
  stream.pending.push_back({seq, ++session.cuda().submissions, std::move(effect)});
  return seq;
}

void harvest(Session& session) {
  std::vector<Finished> finished;
  for (const auto& stream : session.cuda().streams)
    if (stream->number >= 0) collect(session, *stream, finished);
  // What waited for another op was submitted after it: that decides among those that end at once.
  std::sort(finished.begin(), finished.end(), [](const Finished& a, const Finished& b) {
    return std::tie(a.outcome.end_ns, a.outcome.order) <
           std::tie(b.outcome.end_ns, b.outcome.order);
  });
  for (const Finished& op : finished) take_effect(session, op);
  for (const auto& stream : session.cuda().streams) close_when_drained(session, *stream);
}

bool is_done(Session& session, const CUstream_st& stream, std::uint64_t seq) {
  return stream.number < 0 || seq <= in_world(session, stream).done;
}

void await_op(Session& session, CUstream_st& stream, std::uint64_t seq) {
  while (!is_done(session, stream, seq) && !session.turns().ended()) {
    drill::Wait wait;
    wait.kind = drill::WaitKind::op;
    wait.object = static_cast<std::uint64_t>(stream.number);
    wait.seq = seq;
    if (session.cuda().words.look(session)) wait.deadline_ns = session.now_ns() + kLookAgain;
    session.wait(wait);
    harvest(session);
  }
}

void await_stream(Session& session, CUstream_st& stream) {
  if (stream.number >= 0) await_op(session, stream, stream.last);
}

void await_gpu(Session& session, int gpu) {
  // Others may add streams while this waits.
  for (std::size_t i = 0; i < session.cuda().streams.size(); ++i)
    if (session.cuda().streams[i]->gpu == gpu) await_stream(session, *session.cuda().streams[i]);
}

CUstream_st* check_stream(Session& session, cuda::Stream stream) {
  // 0, 1 and 2 are the default streams [driver_types.h, cudaStreamLegacy, cudaStreamPerThread].
  if (reinterpret_cast<std::uintptr_t>(stream) <= 2) misuse("a default stream", stream);
  for (const auto& known : session.cuda().streams) {
    if (known.get() != stream) continue;
    if (known->destroyed) misuse("use of a stream that was destroyed", stream);
    return known.get();
  }
  return nullptr;
}

}  // namespace linkburn::soft
