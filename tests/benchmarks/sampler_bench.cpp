// What one round of the pcie_link sensor costs, and what share of a core that is at 50 rounds a
// second. The files are those of a tree on disk; a live sysfs read adds the kernel's own register
// read.
#include <benchmark/benchmark.h>

#include "bench/sensors/table.h"
#include "tests/support/temp_dir.h"
#include "tests/support/tree.h"

namespace linkburn::bench {
namespace {

constexpr double kRoundsPerSecond = 50;
constexpr double kGoalLinks = 40;

void sample_links(benchmark::State& state) {
  const test::TempDir dir;
  const auto unpacked =
      test::unpack_tree(test::node_file("switch8.tree"), {}, dir.path() + "/node");
  if (!unpacked) return state.SkipWithError(unpacked.error().line().c_str());
  const auto root = Sysroot::open(dir.path() + "/node");
  if (!root) return state.SkipWithError(root.error().line().c_str());
  const Inventory inventory = discover(*root, read_directly(*root));
  EvidenceWriter evidence(real_clock());
  const auto sensor = sensors()[0]->make({real_clock(), *root, inventory, evidence});
  Moment moment{Phase::measure, "step-1", real_clock().now()};
  // The moment stands still, so that rounds are compared without their heartbeat.
  for ([[maybe_unused]] auto iteration : state) sensor->sample(moment);
  const auto links = static_cast<double>(inventory.links.size());
  state.counters["links"] = links;
  state.counters["ends_per_s"] = benchmark::Counter(
      static_cast<double>(state.iterations()) * links * 2, benchmark::Counter::kIsRate);
  // Seconds of CPU per second of run time, for 40 links: the inverse of a rate.
  state.counters["core_share_40_links_50_hz"] = benchmark::Counter(
      static_cast<double>(state.iterations()) * links / kGoalLinks / kRoundsPerSecond,
      benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

BENCHMARK(sample_links)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace linkburn::bench
