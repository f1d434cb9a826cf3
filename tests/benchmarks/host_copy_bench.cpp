// host_copy against the C library's memcpy and against a STREAM copy loop: same buffers, same
// threads on the same CPUs, same slices. The three take turns, so that a busy machine disturbs all
// alike.
#include <benchmark/benchmark.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "bench/workloads/host_copy.h"
#include "tests/benchmarks/stream_loop.h"

namespace linkburn::bench {
namespace {

using namespace std::chrono_literals;

constexpr int kRounds = 15;
constexpr Duration kTurn = 150ms;

class NoProgress final : public Progress {
 public:
  void doing(std::string_view, Duration) override {}
  bool stop_requested() const override { return false; }
};

void copy_memcpy(std::byte* to, const std::byte* from, std::size_t bytes) {
  std::memcpy(to, from, bytes);
}

struct Contender {
  std::string name;
  std::function<void()> lap;
  std::vector<double> gb_per_s;

  double median() {
    std::ranges::nth_element(gb_per_s, gb_per_s.begin() + std::ssize(gb_per_s) / 2);
    return gb_per_s[gb_per_s.size() / 2];
  }
};

/// Laps for one turn; the first one only brings the CPUs back to this contender.
void take_turn(Contender& contender, double lap_bytes) {
  contender.lap();
  const Instant start = real_clock().now();
  Instant end = start;
  double bytes = 0;
  while (end - start < kTurn) {
    contender.lap();
    bytes += lap_bytes;
    end = real_clock().now();
  }
  contender.gb_per_s.push_back(bytes / static_cast<double>((end - start).count()));
}

void host_copy_against_peers(benchmark::State& state) {
  NoProgress progress;
  HostCopy host_copy(real_clock());
  LaneSpec lane;
  lane.params["threads"] = fmt::format("{}", state.range(0));
  if (const Status ready = host_copy.prepare(lane, progress); !ready) {
    state.SkipWithError(ready.error().line().c_str());
    return;
  }
  std::array contenders{
      Contender{"host_copy", [&] { benchmark::DoNotOptimize(host_copy.lap().has_value()); }, {}},
      Contender{"memcpy", [&] { host_copy.pass(copy_memcpy); }, {}},
      Contender{"stream", [&] { host_copy.pass(stream_copy); }, {}}};
  const auto lap_bytes = static_cast<double>(host_copy.source().size_bytes());
  std::size_t first = 0;
  for ([[maybe_unused]] auto round : state) {
    const Instant start = real_clock().now();
    for (std::size_t turn = 0; turn < contenders.size(); ++turn)
      take_turn(contenders[(first + turn) % contenders.size()], lap_bytes);
    ++first;
    state.SetIterationTime(std::chrono::duration<double>(real_clock().now() - start).count());
  }
  for (Contender& contender : contenders)
    state.counters[contender.name + "_GBps"] = contender.median();
  state.counters["ratio"] =
      contenders[0].median() / std::max(contenders[1].median(), contenders[2].median());
  const Facts facts = host_copy.facts();
  state.SetLabel(fmt::format("{}, threads {}, buffer {}, huge pages {}", facts.at("method"),
                             facts.at("threads"), facts.at("buffer"), facts.at("huge_pages")));
}

BENCHMARK(host_copy_against_peers)
    ->ArgName("threads")
    ->Arg(1)
    ->Arg(0)  // as many as the workload takes by itself
    ->UseManualTime()
    ->Iterations(kRounds)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace linkburn::bench
