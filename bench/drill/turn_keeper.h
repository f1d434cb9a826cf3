// The ticker's side of the turn-taking (turns.h): hands out turns and says when time may pass.
#pragma once

#include <memory>
#include <string>

#include "bench/base/clock.h"
#include "bench/drill/state.h"

namespace linkburn::drill {

/// How long a participant is waited for, in real time.
struct TurnLimits {
  Duration patience = std::chrono::milliseconds(200);  ///< asleep with the turn: it is taken away
  Duration arrival = std::chrono::seconds(30);  ///< of who was announced; then it goes on without
  Duration exit = std::chrono::seconds(2);      ///< of a process that leaves; then time passes
  Duration work = std::chrono::seconds(60);     ///< computing with the turn; then settle() fails
};

/// One thread calls it.
class TurnKeeper {
 public:
  explicit TurnKeeper(State& state, TurnLimits limits = {});
  ~TurnKeeper();

  /// Hands out turns until nobody can run before `*next_deadline_ns`, the earliest deadline of
  /// those who wait (kNever: none has one). Error: one worked for too long, or they keep each other
  /// running and never let time pass.
  Status settle(std::int64_t* next_deadline_ns);

  /// Nothing is due: waits in real time for somebody new, and lets all look at their files again.
  void idle(Duration real_time);

  /// Ends the world: everybody runs on in real time.
  void end();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace linkburn::drill
