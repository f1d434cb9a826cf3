#include "bench/drill/turns.h"

#include <unistd.h>

#include <algorithm>

#include "bench/base/clock.h"
#include "bench/drill/futex.h"
#include "bench/drill/slots.h"
#include "bench/drill/tasks.h"

namespace linkburn::drill {
namespace {

constexpr Duration kTickerCheck = std::chrono::seconds(1);
/// In a world that has ended: loops that wait for what will never come do not burn a core.
constexpr Duration kPaceWithoutWorld = std::chrono::milliseconds(5);

struct Self {
  const State* state = nullptr;
  int slot = 0;
};

/// Where this thread was found last; only as good as the slot's tid.
thread_local Self last_self;

}  // namespace

int Turns::self() const {
  const pid_t tid = ::gettid();
  if (last_self.state == &state_ && state_.participants[last_self.slot].tid == tid)
    return last_self.slot;
  for (int i = 0; i < kMaxParticipants; ++i)
    if (state_.participants[i].tid == tid) {
      last_self = {&state_, i};
      return i;
    }
  return -1;
}

void Turns::check_ticker() {
  const Header& header = state_.header;
  if (!ended() && is_gone(header.ticker_pid, header.ticker_start_time)) end_world(state_);
}

int Turns::enter() {
  if (ended()) return -1;
  int slot = self();
  if (slot < 0) slot = take_slot(state_, ::gettid(), ::getpid());
  if (slot < 0) return -1;
  Participant& me = state_.participants[slot];
  if (me.presence == Presence::running) return slot;
  me.kind = WaitKind::time;
  me.deadline_ns = state_.header.now_ns;
  give_up(slot);
  return await_word(slot) == Word::run ? slot : -1;
}

/// The slot tells all about the wait; from here on it is the ticker's.
void Turns::give_up(int slot) {
  state_.participants[slot].woken_ns = kNever;
  state_.participants[slot].presence = Presence::waiting;
  release_turn(state_, slot);
  ring(state_);
}

/// What the ticker says to the waiting thread; Word::wait when the world has ended.
Word Turns::await_word(int slot) {
  Participant& me = state_.participants[slot];
  while (!ended()) {
    const Word word = me.word;
    if (word == Word::wait) {
      if (!futex_wait(&me.word, static_cast<std::uint32_t>(Word::wait), kTickerCheck))
        check_ticker();
      continue;
    }
    me.word = Word::wait;
    // Who had the turn before wrote this last: what it did is seen from here on.
    const bool mine = state_.header.turn == slot;
    if (mine && me.presence == Presence::running) return word;
    give_up(slot);  // came too late, the turn went on to others
  }
  return Word::wait;
}

bool Turns::wait_without_world(const Wait& wait) {
  if (wait.let_go) wait.let_go();
  if (wait.look && wait.look()) return true;
  const std::int64_t now =
      state_.header.now_ns + to_ns(real_clock().now()) - state_.header.ended_real_ns;
  const Duration rest(std::max<std::int64_t>(0, wait.deadline_ns - now));
  real_clock().sleep_until(real_clock().now() + std::min(rest, kPaceWithoutWorld));
  return false;
}

bool Turns::wait(const Wait& wait) {
  const int slot = enter();
  if (slot < 0) return wait_without_world(wait);
  Participant& me = state_.participants[slot];
  if (wait.look && wait.look()) return true;
  me.kind = wait.kind, me.seq = wait.seq;
  me.deadline_ns = std::max<std::int64_t>(wait.deadline_ns, state_.header.now_ns);
  me.looked = true;
  me.timed_out = false;
  me.notified = false;
  me.object = wait.object;
  if (wait.let_go) wait.let_go();
  give_up(slot);
  Word word = await_word(slot);
  while (word == Word::look) {
    if (wait.look()) {
      forget_looks(state_);
      return true;
    }
    me.looked = true;
    give_up(slot);
    word = await_word(slot);
  }
  me.object = 0;
  if (wait.look) return wait.look();
  return word == Word::run && !me.timed_out;
}

void Turns::notify(const void* condition) {
  const auto object = reinterpret_cast<std::uintptr_t>(condition);
  const pid_t pid = ::getpid();
  for (Participant& slot : state_.participants)
    if (slot.object == object && slot.pid == pid) slot.notified = true;
  // With the turn there is no hurry: the ticker looks when this thread waits.
  const int slot = self();
  if (slot < 0 || state_.header.turn != slot) ring(state_);
}

int Turns::announce_thread() {
  const int announcer = enter();
  if (announcer < 0) return -1;
  const int slot = take_slot(state_, -::gettid(), ::getpid());
  if (slot < 0) return -1;
  Participant& announced = state_.participants[slot];
  announced.process = state_.participants[announcer].process;
  announced.presence = Presence::expected;
  return handle_of(state_, slot);
}

void Turns::enter_announced(int number) {
  if (number >= 0 && !ended()) {
    const int slot = slot_of_handle(number);
    Participant& me = state_.participants[slot];
    Presence expected = Presence::expected;
    if (handle_valid(state_, number) &&
        me.presence.compare_exchange_strong(expected, Presence::waiting)) {
      me.tid = ::gettid();
      ring(state_);
      await_word(slot);
      return;
    }
  }
  enter();
}

void Turns::leave() {
  if (self() < 0) return;
  const int slot = enter();
  if (slot < 0) return;
  free_slot(state_, slot);
  ring(state_);
}

void Turns::await_thread(int number) {
  if (number < 0) return;
  wait({WaitKind::thread, kNever, static_cast<std::uint64_t>(number), 0, {}, {}});
}

int Turns::announce_process(std::string_view name) {
  return enter() < 0 ? -1 : expect_process(name);
}

int Turns::expect_process(std::string_view name) {
  int number = 0;
  while (number < kMaxProcesses && state_.processes[number].used) ++number;
  const int slot = number < kMaxProcesses ? take_slot(state_, -::gettid(), 0) : -1;
  if (slot < 0) return -1;
  Process& process = state_.processes[number];
  process.pid = 0, process.start_time = 0;
  process.name = {};
  name.copy(process.name.data(), process.name.size() - 1);
  process.presence = Presence::expected;
  Participant& first = state_.participants[slot];
  first.process = number;
  first.main = true;
  first.presence = Presence::expected;
  process.used = true;  // last: a process that nobody is expected in would stay for ever
  return number;
}

void Turns::process_started(int process, pid_t pid) {
  if (process < 0 || enter() < 0) return;
  Process& announced = state_.processes[process];
  if (pid > 0) {
    announced.start_time = start_time(pid);
    announced.pid = pid;
    return;
  }
  for (int i = 0; i < kMaxParticipants; ++i) {
    const Participant& slot = state_.participants[i];
    if (slot.presence == Presence::expected && slot.main && slot.process == process)
      free_slot(state_, i);
  }
  announced.used = false;
}

int Turns::enter_process(int process) {
  if (ended()) return -1;
  for (int i = 0; i < kMaxParticipants; ++i) {
    Participant& me = state_.participants[i];
    Presence expected = Presence::expected;
    if (me.presence != expected || !me.main || me.process != process) continue;
    if (!me.presence.compare_exchange_strong(expected, Presence::waiting)) break;
    me.pid = ::getpid();
    me.tid = ::gettid();
    ring(state_);
    return await_word(i) == Word::run ? i : -1;
  }
  return enter();
}

void Turns::await_exit(pid_t pid) {
  if (enter() < 0) return;
  for (Process& process : state_.processes)
    if (process.used && process.pid == pid && process.presence != Presence::expected)
      process.presence = Presence::leaving;
}

}  // namespace linkburn::drill
