// What the world of a drill costs its ticker: an idle node of eight GPUs, and one that copies.
#include <benchmark/benchmark.h>

#include <memory>

#include "bench/drill/model.h"
#include "bench/drill/scenario.h"
#include "bench/drill/ticker.h"
#include "bench/drill/tree.h"
#include "bench/drill/world.h"
#include "tests/support/drill_run.h"
#include "tests/support/drill_state.h"
#include "tests/support/temp_dir.h"

namespace linkburn::bench {
namespace {

/// The small world with eight GPUs: copies of the first behind root ports of their own.
std::shared_ptr<drill::State> eight_gpus() {
  auto state = test::small_drill_state();
  drill::State& s = *state;
  int free = 0;
  while (s.functions[free].used) ++free;
  for (int g = 3; g < 8; ++g) {
    const drill::Gpu& model = s.gpus[0];
    s.functions[free] = s.functions[s.functions[model.function].parent];
    s.functions[free + 1] = s.functions[model.function];
    s.functions[free + 1].parent = free;
    s.gpus[g] = model;
    s.gpus[g].function = free + 1;
    free += 2;
  }
  return state;
}

void idle(benchmark::State& run) {
  const auto state = eight_gpus();
  for (auto _ : run) drill::advance(*state, drill::next_event(*state));
}
BENCHMARK(idle)->Name("drill/idle_tick_of_8_gpus");

/// Each GPU copies in laps of 256 MiB, both ways at once; each lap is followed by the next.
void laps(benchmark::State& run) {
  const auto state = eight_gpus();
  for (int n = 0; n < 16; ++n) drill::open_stream(*state, 0, n / 2);
  const auto feed = [&](int n) {
    const auto way = n % 2 == 0 ? drill::Direction::to_device : drill::Direction::from_device;
    const auto path = drill::host_path(*state, n / 2, -1, way);
    drill::submit(*state, n, test::copy_op(path, 256 << 20, n / 2));
  };
  for (auto _ : run) {
    drill::advance(*state, drill::next_event(*state));
    for (int n = 0; n < 16; ++n)
      while (state->streams[n].submitted - state->streams[n].done < 2) feed(n);
  }
}
BENCHMARK(laps)->Name("drill/event_of_16_copies");

/// A minute of the scenario `idle`, with its ticker and its tree.
void minute_at_rest(benchmark::State& run) {
  const test::TempDir dir;
  const auto world = [&] {
    const auto scenario = drill::load_scenario("idle");
    return std::make_unique<drill::World>(
        std::move(drill::World::create(dir.path(), *scenario, 7)).value());
  }();
  const auto tree = drill::TreeWriter::create(world->state(), world->tree());
  drill::Ticker ticker(*world, tree->get());
  for (auto _ : run) (void)ticker.run(world->state().header.now_ns + 60 * test::kSecond, {});
}
BENCHMARK(minute_at_rest)->Name("drill/minute_of_idle_with_tree")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace linkburn::bench
