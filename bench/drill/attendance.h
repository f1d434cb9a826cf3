// Who takes part in a drill: the ticker's waiting, in real time, for those who have the turn,
// should come or should go; and its clearing away of the dead.
#pragma once

#include <string>

#include "bench/base/clock.h"
#include "bench/drill/state.h"
#include "bench/drill/turn_keeper.h"

namespace linkburn::drill {

class Attendance {
 public:
  Attendance(State& state, TurnLimits limits) : state_(state), limits_(limits) {}

  /// Returns when nobody has the turn. False: one worked with it for longer than any work takes.
  bool await_holder();

  /// Returns when everybody who was announced has come, or is given up.
  void await_arrivals();

  /// A process that ends: only its own threads may run until it is gone. -1: none does.
  int leaving() const;
  /// Its threads cannot run: waits a moment for it to be gone, and gives up waiting in the end.
  void await_exit(int process);

  /// Looks for the dead; often called, now and then done.
  void care();

  /// Before its first turn a participant gets its process. False: no room for one more.
  bool adopt(Participant& newcomer);

  /// Sleeps until somebody rings.
  void idle(Duration real_time);

 private:
  /// What is waited for, and since when.
  struct Watch {
    int of = -1;
    Instant since, asleep_since;
    std::uint64_t sleeps = 0;
    int looks_asleep = 0;
    Duration nap{};
  };
  static Watch watch_of(int number);

  template <class Awaited>
  bool nap(Watch& watch, Awaited awaited) const;
  bool check_holder(int holder, Watch& watch);
  void take_turn_away(int holder);
  int first_missing() const;
  void check_missing(int missing, const Watch& watch);
  void give_up(int missing);
  bool dead(const Process& process) const;
  void bury(int process);
  void drop_claims();

  State& state_;
  const TurnLimits limits_;
  Watch exit_watch_;
  Instant last_care_;
};

}  // namespace linkburn::drill
