// Reading captured texts, in bytes per second: a kernel log as long as a busy month, and lspci -vvv
// of many nodes.
#include <benchmark/benchmark.h>

#include <fmt/core.h>

#include <string>

#include "bench/captures/collector.h"

namespace linkburn::bench {
namespace {

constexpr std::size_t kLogBytes = 200UL * 1000 * 1000;
constexpr std::size_t kChunkBytes = 256UL * 1024;

/// One line in a thousand is about a link.
std::string kernel_log() {
  std::string text;
  text.reserve(kLogBytes + 256);
  for (std::int64_t line = 0; text.size() < kLogBytes; ++line) {
    const double seconds = static_cast<double>(line) / 50;
    text += line % 1000 == 999
                ? fmt::format(
                      "[{:12.6f}] pcieport 0000:00:{:02x}.0: AER: Corrected error received: "
                      "0000:{:02x}:00.0\n",
                      seconds, line % 32, line % 200)
                : fmt::format(
                      "[{:12.6f}] audit: type=1400 audit({:.3f}:{}): apparmor=\"ALLOWED\" "
                      "operation=\"open\" profile=\"job\" pid={} comm=\"python3\"\n",
                      seconds, seconds, line, line % 32768);
  }
  return text;
}

std::string lspci_text() {
  std::string text;
  for (int device = 0; device < 20'000; ++device)
    text += fmt::format(
        "{:04x}:{:02x}:00.0 3D controller: NVIDIA Corporation GA100 [A100 PCIe 40GB] (rev a1)\n"
        "\tControl: I/O- Mem+ BusMaster+ SpecCycle- MemWINV- VGASnoop- ParErr- Stepping- SERR-\n"
        "\tCapabilities: [78] Express (v2) Endpoint, MSI 00\n"
        "\t\tLnkCap:\tPort #0, Speed 16GT/s, Width x16, ASPM not supported\n"
        "\t\tLnkSta:\tSpeed 16GT/s (ok), Width x16 (ok)\n"
        "\tKernel driver in use: nvidia\n\n",
        device / 256, device % 256);
  return text;
}

void collect(benchmark::State& state, const std::string& text) {
  for ([[maybe_unused]] auto iteration : state) {
    Collector collector;
    collector.begin("text");
    for (std::size_t at = 0; at < text.size(); at += kChunkBytes)
      collector.take(std::string_view(text).substr(at, kChunkBytes));
    collector.end();
    benchmark::DoNotOptimize(std::move(collector).finish().size());
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}

void collect_kernel_log(benchmark::State& state) { collect(state, kernel_log()); }
void collect_lspci(benchmark::State& state) { collect(state, lspci_text()); }

BENCHMARK(collect_kernel_log)->Unit(benchmark::kMillisecond);
BENCHMARK(collect_lspci)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace linkburn::bench
