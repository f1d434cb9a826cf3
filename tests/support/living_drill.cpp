#include "tests/support/living_drill.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "bench/drill/clock.h"
#include "bench/drill/ticker.h"

namespace linkburn::test {

std::string soft_gpu_library() { return LINKBURN_SOFT_GPU; }

namespace {

bool somebody_is_there(const drill::State& state) {
  return std::any_of(state.participants.begin(), state.participants.end(),
                     [](const auto& one) { return one.presence.load() != drill::Presence::free; });
}

}  // namespace

void LivingDrill::tick(std::int64_t until_ns) {
  // Time begins with the first participant, so that it meets the same world each time.
  while (!somebody_is_there(state()) && !stop_)
    real_clock().sleep_until(real_clock().now() + std::chrono::milliseconds(1));
  drill::Ticker ticker(*world_, tree_.get());
  const Status ended = ticker.run(until_ns, [this] { return stop_.load(); });
  if (!ended) fmt::print(stderr, "the drill has ended: {}\n", ended.error().line());
}

Result<std::unique_ptr<LivingDrill>> LivingDrill::start(const drill::Scenario& scenario,
                                                        std::uint64_t seed, std::int64_t until_ns) {
  std::unique_ptr<LivingDrill> run(new LivingDrill);
  auto world = drill::World::create(run->folder_.path(), scenario, seed);
  if (!world) return world.error();
  run->world_.emplace(std::move(*world));
  auto tree = drill::TreeWriter::create(run->state(), run->tree());
  if (!tree) return tree.error();
  run->tree_ = std::move(*tree);
  run->ticker_ = std::thread([&self = *run, until_ns] { self.tick(until_ns); });
  ::setenv(drill::kWorldVariable, run->folder_.path().c_str(), 1);
  run->clock_ = drill::make_clock(*run->world_);
  run->clock_->sleep_until(instant_from_ns(1000));  // the first wait makes it a participant
  return run;
}

LivingDrill::~LivingDrill() {
  if (clock_ != nullptr) clock_->leave_thread();
  stop_ = true;
  if (ticker_.joinable()) ticker_.join();
  ::unsetenv(drill::kWorldVariable);
}

}  // namespace linkburn::test
