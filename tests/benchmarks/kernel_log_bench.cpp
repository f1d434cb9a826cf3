// How fast a captured kernel log is read: bytes per second through the collector.
#include <benchmark/benchmark.h>

#include <string>

#include "bench/captures/collector.h"

namespace linkburn::bench {
namespace {

constexpr std::size_t kPieceBytes = 64 * 1024;
constexpr std::size_t kLogBytes = 16U << 20;

/// A log of these lines, one after another.
std::string log_of(const std::vector<std::string>& lines) {
  std::string log;
  for (std::size_t i = 0; log.size() < kLogBytes; ++i) {
    log += "Sep 19 16:18:02 node07 kernel: [" + std::to_string(68183 + i / 1000) + ".6157" +
           std::to_string(10 + i % 90) + "] " + lines[i % lines.size()] + "\n";
  }
  return log;
}

void read_log(benchmark::State& state, const std::vector<std::string>& lines) {
  const std::string log = log_of(lines);
  for ([[maybe_unused]] auto iteration : state) {
    Collector collector;
    collector.begin("log");
    for (std::size_t at = 0; at < log.size(); at += kPieceBytes)
      collector.take(std::string_view(log).substr(at, kPieceBytes));
    collector.end();
    benchmark::DoNotOptimize(std::move(collector).finish());
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(log.size()));
}

BENCHMARK_CAPTURE(read_log, quiet,
                  {"usb 1-1: new high-speed USB device number 4 using xhci_hcd",
                   "audit: type=1400 audit(1656357157.949:4): apparmor=\"STATUS\" operation=\"x\"",
                   "pci 0000:00:1c.0: BAR 13: assigned [io  0x2000-0x2fff]",
                   "EXT4-fs (nvme0n1p2): mounted filesystem with ordered data mode. Opts: (null)"})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(
    read_log, storm,
    {"pcieport 0000:00:03.1: AER: Corrected error received: 0000:00:03.1",
     "pcieport 0000:00:03.1: PCIe Bus Error: severity=Corrected, type=Data Link Layer, (Receiver "
     "ID)",
     "pcieport 0000:00:03.1:   device [1022:1453] error status/mask=00000040/00006000",
     "pcieport 0000:00:03.1:    [ 6] BadTLP                "})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace linkburn::bench
