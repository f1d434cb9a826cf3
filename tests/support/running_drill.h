// A running drill for tests: a world of small_drill_state() whose ticker is a thread of the test.
#pragma once

#include <atomic>
#include <memory>
#include <thread>

#include "bench/drill/clock.h"
#include "bench/drill/ticker.h"
#include "bench/drill/turns.h"
#include "tests/support/drill_state.h"
#include "tests/support/temp_dir.h"

namespace linkburn::test {

class DrillRun {
 public:
  explicit DrillRun(drill::TurnLimits limits = {}, std::uint64_t seed = 7)
      : world_(make_world(dir_.path(), seed)),
        limits_(limits),
        clock_(drill::make_clock(*world_)) {}

  ~DrillRun() { stop(); }

  /// The calling thread takes part from the first instant.
  void start() {
    drill::Turns turns(state());
    const int process = turns.expect_process("test");
    ticker_ = std::thread([this] {
      await_caller();  // on a busy machine it could come too late
      drill::Ticker ticker(*world_, nullptr, limits_);
      status_ = ticker.run(drill::kNever, [this] { return stopped_.load(); });
    });
    turns.enter_process(process);
  }

  /// Ends the world.
  void stop() {
    clock_->leave_thread();  // the ticker waits for who has the turn
    stopped_ = true;
    if (ticker_.joinable()) ticker_.join();
  }

  drill::World& world() { return *world_; }
  drill::State& state() { return world_->state(); }
  const Clock& clock() { return *clock_; }
  const Status& status() const { return status_; }  ///< of the ticker, after stop()

 private:
  void await_caller() {
    for (const auto& slot : state().participants)
      while (slot.presence == drill::Presence::expected)
        real_clock().sleep_until(real_clock().now() + std::chrono::microseconds(100));
  }

  static std::unique_ptr<drill::World> make_world(const std::string& folder, std::uint64_t seed) {
    auto world = drill::World::create(folder, small_drill_scenario(), seed);
    return std::make_unique<drill::World>(std::move(world).value());
  }

  TempDir dir_;
  std::unique_ptr<drill::World> world_;
  const drill::TurnLimits limits_;
  std::unique_ptr<Clock> clock_;
  std::atomic<bool> stopped_{false};
  Status status_;
  std::thread ticker_;
};

}  // namespace linkburn::test
