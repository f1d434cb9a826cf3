// A whole drill that runs while the object lives: folder, ticker (on a thread), sysfs tree. The
// calling thread is a participant, and software devices opened in this process belong to it.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "bench/base/clock.h"
#include "bench/base/result.h"
#include "bench/drill/scenario.h"
#include "bench/drill/tree.h"
#include "bench/drill/world.h"
#include "tests/support/temp_dir.h"

namespace linkburn::test {

/// The software GPU of this build.
std::string soft_gpu_library();

class LivingDrill {
 public:
  /// Makes the world, starts its ticker and sets LINKBURN_DRILL. The world ends at `until_ns` on
  /// its clock, so that a call that never returns does not keep it running for ever.
  static Result<std::unique_ptr<LivingDrill>> start(const drill::Scenario& scenario,
                                                    std::uint64_t seed,
                                                    std::int64_t until_ns = drill::kNever);
  ~LivingDrill();

  const Clock& clock() const { return *clock_; }
  const drill::State& state() const { return world_->state(); }
  std::string tree() const { return world_->tree(); }

 private:
  LivingDrill() = default;
  void tick(std::int64_t until_ns);

  TempDir folder_;
  std::optional<drill::World> world_;
  std::unique_ptr<drill::TreeWriter> tree_;
  std::unique_ptr<Clock> clock_;
  std::atomic<bool> stop_{false};
  std::thread ticker_;
};

}  // namespace linkburn::test
