#include "bench/drill/slots.h"

#include "bench/base/clock.h"
#include "bench/drill/futex.h"

namespace linkburn::drill {
namespace {

constexpr int kGenerations = 1 << 22;  // so that slot and generation fit an int

}  // namespace

int take_slot(State& state, std::int32_t tid, std::int32_t pid) {
  for (int i = 0; i < kMaxParticipants; ++i) {
    Participant& slot = state.participants[i];
    std::int32_t free = 0;
    if (slot.tid != 0 || !slot.tid.compare_exchange_strong(free, tid)) continue;
    slot.pid = pid;
    slot.word = Word::wait;
    slot.process = -1;
    slot.kind = WaitKind::time;
    slot.object = 0, slot.seq = 0;
    slot.deadline_ns = state.header.now_ns;
    slot.woken_ns = kNever;
    slot.notified = slot.looked = slot.timed_out = slot.main = false;
    return i;
  }
  return -1;
}

void free_slot(State& state, int participant) {
  Participant& slot = state.participants[participant];
  slot.generation = (slot.generation + 1) % kGenerations;
  slot.object = 0;
  slot.presence = Presence::free;
  slot.pid = 0;
  slot.tid = 0;
  release_turn(state, participant);
}

int handle_of(const State& state, int participant) {
  return static_cast<int>(state.participants[participant].generation) * kMaxParticipants +
         participant;
}

int slot_of_handle(int handle) { return handle % kMaxParticipants; }

bool handle_valid(const State& state, int handle) {
  const int slot = slot_of_handle(handle);
  return handle >= 0 && state.participants[slot].presence != Presence::free &&
         handle_of(state, slot) == handle;
}

bool is_ready(const State& state, const Participant& waiting) {
  switch (waiting.kind) {
    case WaitKind::time:
    case WaitKind::files:
      return false;
    case WaitKind::condition:
      return waiting.notified;
    case WaitKind::op: {
      const Stream& stream = state.streams[waiting.object];
      return !stream.used || stream.done >= waiting.seq;
    }
    case WaitKind::thread:
      return !handle_valid(state, static_cast<int>(waiting.object));
  }
  return false;
}

void forget_looks(State& state) {
  for (Participant& slot : state.participants)
    if (slot.presence == Presence::waiting) slot.looked = false;
}

void release_turn(State& state, int participant) {
  std::int32_t holder = participant;
  state.header.turn.compare_exchange_strong(holder, -1);
}

void ring(State& state) {
  state.header.doorbell.fetch_add(1);
  futex_wake(&state.header.doorbell);
}

void end_world(State& state) {
  std::int64_t never = 0;
  state.header.ended_real_ns.compare_exchange_strong(never, to_ns(real_clock().now()));
  state.header.ended = 1;
  for (Participant& slot : state.participants) futex_wake(&slot.word);
  futex_wake(&state.header.doorbell);
}

}  // namespace linkburn::drill
