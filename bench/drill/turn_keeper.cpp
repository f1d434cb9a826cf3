#include "bench/drill/turn_keeper.h"

#include <fmt/format.h>

#include <algorithm>

#include "bench/drill/attendance.h"
#include "bench/drill/futex.h"
#include "bench/drill/slots.h"

namespace linkburn::drill {
namespace {

/// Signals and bytes from outside the drill are seen after this much real time.
constexpr Duration kLookPeriod = std::chrono::milliseconds(50);

/// Participants that wake each other for this many turns at one instant never let time pass.
constexpr std::uint64_t kMostTurnsAtOnce = 10'000'000;

}  // namespace

struct TurnKeeper::Impl {
  Impl(State& the_state, TurnLimits limits) : state(the_state), attendance(the_state, limits) {}

  int next_runnable(int of_process);
  int next_looker(int of_process) const;
  bool may_take_part(const Participant& slot, int of_process) const;
  bool grant(int number, Word word);
  std::int64_t earliest_deadline() const;
  Error trouble(std::string_view what, int participant) const;

  State& state;
  Attendance attendance;
  Instant last_look;
};

TurnKeeper::TurnKeeper(State& state, TurnLimits limits)
    : impl_(std::make_unique<Impl>(state, limits)) {}
TurnKeeper::~TurnKeeper() = default;

bool TurnKeeper::Impl::may_take_part(const Participant& slot, int of_process) const {
  return slot.presence == Presence::waiting &&
         (of_process < 0 || slot.pid == state.processes[of_process].pid);
}

/// Who may run and has been able to for the longest, the lowest number first; -1: nobody.
int TurnKeeper::Impl::next_runnable(int of_process) {
  const std::int64_t now = state.header.now_ns;
  int next = -1;
  for (int i = 0; i < kMaxParticipants; ++i) {
    Participant& slot = state.participants[i];
    if (!may_take_part(slot, of_process)) continue;
    if (slot.woken_ns == kNever && is_ready(state, slot)) slot.woken_ns = now;
    if (slot.woken_ns == kNever && slot.deadline_ns <= now) slot.woken_ns = slot.deadline_ns;
    if (slot.woken_ns == kNever) continue;
    if (next < 0 || slot.woken_ns < state.participants[next].woken_ns) next = i;
  }
  return next;
}

int TurnKeeper::Impl::next_looker(int of_process) const {
  for (int i = 0; i < kMaxParticipants; ++i) {
    const Participant& slot = state.participants[i];
    if (may_take_part(slot, of_process) && slot.kind == WaitKind::files && !slot.looked) return i;
  }
  return -1;
}

/// False: no room for its process.
bool TurnKeeper::Impl::grant(int number, Word word) {
  Participant& slot = state.participants[number];
  if (!attendance.adopt(slot)) return false;
  if (word == Word::run) {
    slot.timed_out = !is_ready(state, slot);
    forget_looks(state);
    ++state.statistics.turns;
  } else {
    ++state.statistics.looks;
  }
  slot.presence = Presence::running;
  state.header.turn = number;
  slot.word = word;
  futex_wake(&slot.word);
  return true;
}

std::int64_t TurnKeeper::Impl::earliest_deadline() const {
  std::int64_t earliest = kNever;
  for (const Participant& slot : state.participants)
    if (slot.presence == Presence::waiting) earliest = std::min(earliest, slot.deadline_ns);
  return earliest;
}

Error TurnKeeper::Impl::trouble(std::string_view what, int participant) const {
  if (participant < 0) return {Code::timeout, std::string(what), "drill", {}};
  const Participant& slot = state.participants[participant];
  const char* name = slot.process < 0 ? "" : state.processes[slot.process].name.data();
  return {Code::timeout,
          std::string(what),
          fmt::format("thread {} of process {} {}", slot.tid.load(), slot.pid.load(), name),
          {}};
}

Status TurnKeeper::settle(std::int64_t* next_deadline_ns) {
  Impl& my = *impl_;
  const Instant now = real_clock().now();
  if (now - my.last_look >= kLookPeriod) {
    my.last_look = now;
    forget_looks(my.state);
  }
  for (std::uint64_t turns = 0; turns < kMostTurnsAtOnce; ++turns) {
    if (!my.attendance.await_holder())
      return my.trouble("a participant of the drill works for longer than any work takes",
                        my.state.header.turn);
    my.attendance.await_arrivals();
    my.attendance.care();
    const int leaving = my.attendance.leaving();
    int next = my.next_runnable(leaving);
    const Word word = next >= 0 ? Word::run : Word::look;
    if (next < 0) next = my.next_looker(leaving);
    if (next >= 0 && !my.grant(next, word))
      return my.trouble("the drill has no room for another process", next);
    if (next >= 0) continue;
    if (leaving >= 0) {
      my.attendance.await_exit(leaving);
      continue;
    }
    *next_deadline_ns = my.earliest_deadline();
    return {};
  }
  return my.trouble("the participants of the drill never let time pass", -1);
}

void TurnKeeper::idle(Duration real_time) {
  impl_->attendance.idle(real_time);
  forget_looks(impl_->state);
}

void TurnKeeper::end() { end_world(impl_->state); }

}  // namespace linkburn::drill
