// Whose turn it is. One participant of a drill runs at a time; time passes only while none does.
//
// That makes a drill repeatable to the last digit whatever else the machine does: the order in
// which participants run depends on the drill clock and on their numbers, never on the scheduler.
// A thread that uses the drill clock is a participant. It is announced by the thread that starts
// it, so that time cannot pass between its start and its first wait.
//
// A participant that blocks in something that is no wait of ours (a lock held by one that waits, a
// join, a slow disk) keeps the turn. When it sleeps there for TurnLimits::patience of real time,
// the ticker takes the turn from it: the drill goes on and counts a forced turn (Statistics). Tests
// of repeatability demand zero of them.
//
// A killed process frees its turn, its slots, streams and memory: the ticker sees it die. When the
// ticker dies, or ends the world, every wait returns as if its deadline had come and the drill
// clock goes on with real time, so that deadlines still pass and everything ends.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string_view>

#include "bench/drill/state.h"

namespace linkburn::drill {

struct Wait {
  WaitKind kind = WaitKind::time;
  std::int64_t deadline_ns = kNever;
  std::uint64_t object = 0, seq = 0;
  /// Of WaitKind::files: true when one is ready. Called while the thread has the turn.
  std::function<bool()> look;
  /// Called when the wait counts already and the turn is still held: unlocks what protects the
  /// condition, so that no notify() falls between.
  std::function<void()> let_go;
};

/// A participant's side; turn_keeper.h is the other. May be used by all threads of a process;
/// several objects of one process (the program's and a software device's) see the same slots, which
/// belong to threads. In a world that has ended nothing here waits for anybody.
class Turns {
 public:
  explicit Turns(State& state) : state_(state) {}

  /// Makes the calling thread a participant, if it is none, and returns when it has the turn.
  /// Returns its number (a slot of State::participants, whose `process` is set); -1 when the world
  /// has ended or has no room. Whoever touches the state calls this first: the turn may have been
  /// taken away since.
  int enter();

  /// Comes in as the process that was announced as `process`; otherwise as enter().
  int enter_process(int process);

  /// The calling thread lets go of the turn until one of the things it waits for is there, and has
  /// the turn again when this returns. False: the deadline came first.
  bool wait(const Wait& wait);

  /// Those who wait for the condition of this process may look again.
  void notify(const void* condition);

  /// A thread that this thread is about to start. The new thread calls enter_announced() first.
  /// Returns the number for the calls below; -1 as enter().
  int announce_thread();
  void enter_announced(int number);
  /// The calling thread ends, or will not use the clock again.
  void leave();
  /// Until that thread has left.
  void await_thread(int number);

  /// A process that this thread is about to start; returns its number, for its environment.
  int announce_process(std::string_view name);
  /// The same before the ticker runs, when nobody can have the turn: a process that is there from
  /// the first instant.
  int expect_process(std::string_view name);
  void process_started(int process, pid_t pid);  ///< pid -1: it could not be started
  /// The process has been killed or has said goodbye: time stands still until it is gone.
  void await_exit(pid_t pid);

  bool ended() const { return state_.header.ended != 0; }

  /// The slot of the calling thread; -1: it is no participant.
  int self() const;

  /// Ends the world when its ticker is dead. Asked by those who wait and would wait for ever.
  void check_ticker();

 private:
  Word await_word(int slot);
  void give_up(int slot);
  bool wait_without_world(const Wait& wait);

  State& state_;
};

}  // namespace linkburn::drill
