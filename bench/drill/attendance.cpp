#include "bench/drill/attendance.h"

#include <algorithm>
#include <cstdlib>

#include "bench/drill/futex.h"
#include "bench/drill/model.h"
#include "bench/drill/slots.h"
#include "bench/drill/tasks.h"

namespace linkburn::drill {
namespace {

constexpr Duration kFirstNap = std::chrono::microseconds(500);
constexpr Duration kLongestNap = std::chrono::milliseconds(10);
constexpr Duration kCarePeriod = std::chrono::milliseconds(20);
/// Time that passed while the ticker itself stood still says nothing about how long others slept.
constexpr int kLooksBeforeTaking = 10;

Instant real_now() { return real_clock().now(); }

}  // namespace

Attendance::Watch Attendance::watch_of(int number) {
  const Instant now = real_now();
  return {number, now, now, 0, 0, kFirstNap};
}

/// Sleeps while `awaited()` holds, until somebody rings. False: nobody did, time to look closer.
template <class Awaited>
bool Attendance::nap(Watch& watch, Awaited awaited) const {
  const std::uint32_t rung = state_.header.doorbell;
  if (!awaited()) return true;
  if (futex_wait(&state_.header.doorbell, rung, watch.nap)) return true;
  watch.nap = std::min(watch.nap * 2, kLongestNap);
  return false;
}

bool Attendance::await_holder() {
  Watch watch;
  while (true) {
    const int holder = state_.header.turn;
    if (holder < 0) return true;
    if (watch.of != holder) watch = watch_of(holder);
    const bool rung = nap(watch, [&] { return state_.header.turn == holder; });
    if (!rung && !check_holder(holder, watch)) return false;
  }
}

bool Attendance::check_holder(int holder, Watch& watch) {
  Participant& slot = state_.participants[holder];
  if (slot.process >= 0 && dead(state_.processes[slot.process])) {
    bury(slot.process);
    return true;
  }
  const Instant now = real_now();
  const ThreadFacts facts = thread_facts(slot.pid, slot.tid);
  // One sleep of many does no harm; one without end holds up the world.
  if (!(facts.asleep || facts.gone) || facts.sleeps != watch.sleeps)
    watch.asleep_since = now, watch.looks_asleep = 0;
  watch.sleeps = facts.sleeps;
  if (++watch.looks_asleep > kLooksBeforeTaking && now - watch.asleep_since >= limits_.patience) {
    if (facts.gone)
      free_slot(state_, holder);
    else
      take_turn_away(holder);
  }
  return now - watch.since < limits_.work;
}

void Attendance::take_turn_away(int holder) {
  Presence running = Presence::running;
  state_.participants[holder].presence.compare_exchange_strong(running, Presence::outside);
  release_turn(state_, holder);
  ++state_.statistics.forced_turns;
}

int Attendance::first_missing() const {
  for (int i = 0; i < kMaxParticipants; ++i) {
    const Participant& slot = state_.participants[i];
    const Presence presence = slot.presence;
    // Who has just come says last which thread it is.
    if (presence == Presence::expected || (presence == Presence::waiting && slot.tid < 0)) return i;
  }
  return -1;
}

void Attendance::await_arrivals() {
  Watch watch;
  for (int missing = first_missing(); missing >= 0; missing = first_missing()) {
    if (watch.of != missing) watch = watch_of(missing);
    if (!nap(watch, [&] { return first_missing() == missing; })) check_missing(missing, watch);
  }
}

void Attendance::check_missing(int missing, const Watch& watch) {
  const Participant& slot = state_.participants[missing];
  const Process& process = state_.processes[slot.process];
  if (dead(process)) return bury(slot.process);
  const bool nobody_starts_it = process.pid == 0 && is_gone(std::abs(slot.tid), 0);
  if (nobody_starts_it || real_now() - watch.since >= limits_.arrival) give_up(missing);
}

void Attendance::give_up(int missing) {
  const Participant& slot = state_.participants[missing];
  Process& process = state_.processes[slot.process];
  if (slot.main) process.presence = Presence::running;
  if (slot.main && process.pid == 0) process.used = false;
  free_slot(state_, missing);
  ++state_.statistics.forced_turns;
}

int Attendance::leaving() const {
  for (int i = 0; i < kMaxProcesses; ++i)
    if (state_.processes[i].used && state_.processes[i].presence == Presence::leaving) return i;
  return -1;
}

void Attendance::await_exit(int process) {
  Process& leaver = state_.processes[process];
  if (exit_watch_.of != process) exit_watch_ = watch_of(process);
  if (!dead(leaver)) {
    if (real_now() - exit_watch_.since < limits_.exit) {
      nap(exit_watch_, [] { return true; });
      return;
    }
    leaver.presence = Presence::running;
    ++state_.statistics.forced_turns;
  } else {
    bury(process);
  }
  exit_watch_.of = -1;
}

void Attendance::care() {
  const Instant now = real_now();
  if (now - last_care_ < kCarePeriod) return;
  last_care_ = now;
  for (int i = 0; i < kMaxProcesses; ++i)
    if (state_.processes[i].used && dead(state_.processes[i])) bury(i);
  drop_claims();
}

/// Slots of threads that died between two steps of taking them, or where nobody waits for them.
void Attendance::drop_claims() {
  for (int i = 0; i < kMaxParticipants; ++i) {
    Participant& slot = state_.participants[i];
    const std::int32_t tid = slot.tid;
    if (tid == 0) continue;
    const Presence presence = slot.presence;
    if (presence != Presence::free && presence != Presence::outside) continue;
    if (is_gone(std::abs(tid), 0)) free_slot(state_, i);
  }
}

bool Attendance::dead(const Process& process) const {
  return process.pid > 0 && is_gone(process.pid, process.start_time);
}

void Attendance::bury(int process) {
  for (int i = 0; i < kMaxParticipants; ++i) {
    const Participant& slot = state_.participants[i];
    if (slot.presence != Presence::free && slot.process == process) free_slot(state_, i);
  }
  drop_process(state_, process);
  state_.processes[process].used = false;
  ++state_.statistics.deaths;
  forget_looks(state_);  // its sockets are closed
}

bool Attendance::adopt(Participant& newcomer) {
  if (newcomer.process < 0) {
    int free = -1;
    for (int i = kMaxProcesses - 1; i >= 0; --i) {
      const Process& process = state_.processes[i];
      if (!process.used) free = i;
      if (process.used && process.pid == newcomer.pid) newcomer.process = i;
    }
    if (newcomer.process < 0) newcomer.process = free;
    if (newcomer.process < 0) return false;
  }
  Process& process = state_.processes[newcomer.process];
  if (process.used && process.presence != Presence::expected) return true;
  if (!process.used) process.name = {};
  process.pid = newcomer.pid;
  process.start_time = start_time(newcomer.pid);
  process.presence = Presence::running;
  process.used = true;
  return true;
}

void Attendance::idle(Duration real_time) {
  futex_wait(&state_.header.doorbell, state_.header.doorbell, real_time);
}

}  // namespace linkburn::drill
