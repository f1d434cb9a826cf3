// Reading and judging evidence, in records per second.
#include <benchmark/benchmark.h>

#include <string>

#include "bench/inventory/inventory.h"
#include "report/evidence/codec.h"
#include "report/evidence/reader.h"
#include "report/verdict.h"
#include "tests/support/temp_dir.h"
#include "tests/support/tree.h"

namespace linkburn::bench {
namespace {

/// The big node's inventory and an hour of heartbeats of every link: a run as long as an
/// acceptance.
Evidence hour_of_evidence() {
  const test::TempDir dir;
  Evidence evidence;
  if (!test::unpack_tree(test::node_file("switch8.tree"), {}, dir.path() + "/node"))
    return evidence;
  const auto root = Sysroot::open(dir.path() + "/node");
  if (!root) return evidence;
  const Inventory inventory = discover(*root, read_directly(*root));
  const auto add = [&](Body body) {
    const auto seq = static_cast<std::int64_t>(evidence.records.size()) + 1;
    evidence.records.push_back({seq, seq * 1'000'000, std::move(body)});
  };
  RunStart start;
  start.mode = "run";
  start.require = {"presence", "width", "speed"};
  add(start);
  for (Body& body : to_records(inventory)) add(std::move(body));
  for (int second = 0; second < 3600; second += 2)
    for (const Link& link : inventory.links)
      add(Reading{link.component,
                  "link_width",
                  "lanes",
                  link.device_end.width ? std::optional<double>(link.device_end.width->lanes)
                                        : std::nullopt,
                  {},
                  Phase::measure,
                  "step-1"});
  add(RunEnd{"complete", std::nullopt, 0, 0});
  return evidence;
}

void judge_evidence(benchmark::State& state) {
  const Evidence evidence = hour_of_evidence();
  for ([[maybe_unused]] auto iteration : state) benchmark::DoNotOptimize(judge(evidence).exit);
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(evidence.records.size()));
}

void read_evidence_text(benchmark::State& state) {
  std::string text;
  const Evidence evidence = hour_of_evidence();
  for (const Record& record : evidence.records) text += encode(record) + "\n";
  for ([[maybe_unused]] auto iteration : state)
    benchmark::DoNotOptimize(parse_evidence(text, "benchmark").has_value());
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(evidence.records.size()));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}

BENCHMARK(judge_evidence)->Unit(benchmark::kMillisecond);
BENCHMARK(read_evidence_text)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace linkburn::bench
