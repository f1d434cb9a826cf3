// A drill with a life: processes and threads that wait, write to each other and wake each other as
// a seed says, and note who ran when. The ticker is a process too.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "bench/drill/world.h"
#include "tests/support/temp_dir.h"

namespace linkburn::test {

class Family {
 public:
  static constexpr int kMembers = 4;

  explicit Family(std::uint64_t seed);
  ~Family();
  Family(const Family&) = delete;
  Family& operator=(const Family&) = delete;

  /// Starts the ticker and all members; they stand at the start until everybody has come.
  void start();

  /// Returns when `turns` have been given, or all have ended.
  void await_turns(std::uint64_t turns);

  void kill_member(int number);
  void kill_ticker();

  /// Returns when all members have ended; how many of them did so by themselves. Kills who has not
  /// after a minute.
  int await_members();
  /// Lets the ticker end. True: it did so by itself.
  bool stop_ticker();

  drill::State& state() { return world_->state(); }
  /// All that happened, in its order: time, who, what.
  std::vector<std::uint64_t> trace() const;
  int used_slots() const;

 private:
  struct Shared;
  void live(int number);
  void note(std::uint64_t who, std::uint64_t what);

  TempDir dir_;
  std::uint64_t seed_;
  std::unique_ptr<drill::World> world_;
  Shared* shared_;
  pid_t ticker_ = 0;
  std::array<pid_t, kMembers> members_{};
  std::array<std::array<int, 2>, kMembers> sockets_{};
};

}  // namespace linkburn::test
