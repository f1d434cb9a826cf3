// The one who lets time pass in a drill. It waits until every participant waits, moves the world to
// the next event, shows it in the tree and the kernel log, and wakes whom it concerns.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>

#include "bench/base/result.h"
#include "bench/drill/turn_keeper.h"
#include "bench/drill/world.h"

namespace linkburn::drill {

class TreeWriter;  // tree.h

class Ticker {
 public:
  /// `tree` may be null: a world without files.
  Ticker(World& world, TreeWriter* tree, TurnLimits limits = {});
  /// Ends the world.
  ~Ticker();

  /// Runs until `stop` returns true, asked between events; or until `until_ns` on the drill clock.
  /// Error: a participant held the turn for longer than any work takes (named).
  Status run(std::int64_t until_ns, const std::function<bool()>& stop);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace linkburn::drill
