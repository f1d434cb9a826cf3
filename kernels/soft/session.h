// The software GPU's door: how a call of the program comes into the drill's world.
//
// The library opens the world that LINKBURN_DRILL names (bench/drill/world.h) at the first call. A
// thread that calls in becomes a participant of that world and has the turn while it is in the
// library, so all that is read and written there (state file and what the library keeps of this
// process) is touched by one thread at a time, and in an order that repeats.
//
// Every entry point starts with a Call. It
//   - takes the turn and the lock of this process,
//   - costs drill time: 1 us, 2 us for what can be polled, so that polling loops end,
//   - waits while the driver is stalled by the end of another context (State::stall_until_ns),
//   - never returns when a fault says so (FaultKind::hang with the function's name, or none).
// A lost GPU is the caller's matter: NVML answers GPU_IS_LOST, CUDA an error that sticks
// (contexts.h).
//
// When the world has ended (its ticker is dead), calls go on with what is there and hanging ones
// return, so that every program comes to its end.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>

#include "bench/drill/state.h"
#include "bench/drill/turns.h"
#include "bench/drill/world.h"

namespace linkburn::soft {

inline constexpr int kNoGpu = -1;

/// What a call costs, in ns of drill time.
enum class Cost : std::int64_t { none = 0, call = 1000, query = 2000 };

/// While calls follow each other at once, who waits for files learns of what the program sent
/// between them up to this much later.
inline constexpr std::int64_t kLookPeriod_ns = 16'000;

/// What the library keeps of this process besides the world: CUDA's part (process.h).
struct Cuda;

class Session {
 public:
  /// The session of this process; null when LINKBURN_DRILL is not set or no drill runs there
  /// (said once on stderr): then the answer of an entry point is that there is no driver. One
  /// process joins one drill; a test that goes on to another drill gets a new session with nothing
  /// in it.
  static Session* current();

  /// The one that current() has opened, without opening one.
  static Session* opened();

  Session(drill::World world, drill::Place place);
  ~Session();

  drill::State& state() const { return world_.state(); }
  drill::Turns& turns() { return turns_; }
  Cuda& cuda() const { return *cuda_; }
  std::int64_t now_ns() const { return state().header.now_ns; }
  std::uint64_t number() const { return number_; }  ///< of this session among those of the process

  /// Index of the calling process in State::processes. Known inside a Call.
  int process() const { return process_; }

  /// Gives up lock and turn until the wait is over; see Turns::wait(). Inside a Call only.
  bool wait(const drill::Wait& wait);
  void sleep_until(std::int64_t at_ns);

  /// At exit: does this with what the library keeps, unless a thread is in a call just then.
  template <class Look>
  void at_exit(Look look) {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (lock) look();
  }

  /// What a call costs. Passes without a change of turns while nobody else could do anything in
  /// that time: nothing is due, and who waits for files looks every kLookPeriod_ns all the same.
  void spend(Cost cost);

  /// Lets this call never return. It does only when the world has ended.
  void hang();

 private:
  friend class Call;

  bool alone_until(std::int64_t at_ns) const;

  drill::World world_;
  drill::Turns turns_;
  drill::Place place_;
  std::uint64_t number_;
  int process_ = -1;
  std::mutex mutex_;  ///< never contended while the world lives
  std::unique_ptr<Cuda> cuda_;
};

/// One call of the program into the library. `gpu` is an index of State::gpus. Without a name,
/// whether the call hangs is left to who makes it.
class Call {
 public:
  Call(Session& session, const char* name, Cost cost, int gpu = kNoGpu);
  Call(Session& session, Cost cost);
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

 private:
  Session& session_;
};

/// Whether a fault lets calls of this function hang now.
bool hangs(const drill::State& state, const char* name, int gpu);

/// A misuse of the interface by the program: named on stderr. What would corrupt or crash with a
/// real driver ends the program; the rest is counted (linkburn_soft_misuse()).
[[noreturn]] void misuse(const char* what, const void* pointer = nullptr);
void count_misuse(const char* what, const void* pointer = nullptr);

/// A line on stderr, or none: it neither throws nor waits for somebody to read.
void say_line(std::string_view line);

}  // namespace linkburn::soft
