// A drill whose participants are processes with a life, which note who did what when. The ticker is
// a process too. Any of them may be killed.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "bench/drill/scenario.h"
#include "bench/drill/world.h"
#include "tests/support/temp_dir.h"

namespace linkburn::test {

class DrillFamily {
 public:
  static constexpr int kMembers = 4;

  /// What a member does with its life, in its own process; it is a participant.
  using Life = std::function<void(DrillFamily& family, int number)>;

  DrillFamily(const drill::Scenario& scenario, std::uint64_t seed, Life life);
  ~DrillFamily();
  DrillFamily(const DrillFamily&) = delete;
  DrillFamily& operator=(const DrillFamily&) = delete;

  /// Starts the ticker and all members; they stand at the start until everybody has come.
  void start();

  /// Returns when `turns` have been given, or all have ended.
  void await_turns(std::uint64_t turns);

  void signal_member(int number, int signal);
  void kill_ticker();

  /// Returns when all members have ended; how many of them did so by themselves. Kills who has not
  /// after a minute.
  int await_members();
  /// Lets the ticker end. True: it did so by itself.
  bool stop_ticker();

  drill::World& world() { return *world_; }
  drill::State& state() { return world_->state(); }
  std::uint64_t seed() const { return seed_; }

  /// Appends to the trace, which the turn keeps whole.
  void note(std::uint64_t who, std::uint64_t what);
  /// All that happened, in its order: time, who, what.
  std::vector<std::uint64_t> trace() const;
  int used_slots() const;

 private:
  struct Shared;

  TempDir dir_;
  std::uint64_t seed_;
  Life life_;
  std::unique_ptr<drill::World> world_;
  Shared* shared_;
  pid_t ticker_ = 0;
  std::array<pid_t, kMembers> members_{};
};

/// A process that computes for nothing. A thread would be in the way of fork().
class Burner {
 public:
  Burner();
  ~Burner();
  Burner(const Burner&) = delete;
  Burner& operator=(const Burner&) = delete;

 private:
  pid_t pid_;
};

}  // namespace linkburn::test
