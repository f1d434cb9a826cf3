// Kernels: loaded as data, word by word what their text says, the same each time.
#include <algorithm>
#include <cstring>
#include <vector>

#include "bench/base/pattern_word.h"
#include "kernels/launch.h"
#include "tests/conformance/holders.h"

namespace linkburn::conformance {
namespace {

constexpr std::uint64_t kSeed = 11, kLimit_ns = 100'000'000;
constexpr LaunchSize kSize{4, 128};

/// The kernels on device 0, a stream, and a word list there and here.
class Bench {
 public:
  Bench(Probe& p, std::size_t bytes)
      : p_(p),
        stream(p),
        device(p, bytes),
        host(p, bytes),
        kernels_(LoadedKernels::load(p.on().driver, 0, "GPU 0")) {
    p.expect(kernels_.has_value(), kernels_ ? "" : kernels_.error().line());
    if (stream && device)
      p.works(p.on().runtime.cudaMemsetAsync(device.at(), 0, bytes, stream), "cudaMemsetAsync");
  }

  explicit operator bool() const { return kernels_ && stream && device && host; }

  template <class... Arguments, class... Given>
  bool run(const Kernel<Arguments...>& kernel, LaunchSize size, Given... given) {
    const Status done = kernels_->launch(kernel, size, stream, given...);
    return p_.expect(done.has_value(), done ? "" : done.error().line());
  }

  /// Brings `bytes` of the device's memory here.
  bool fetch(std::size_t bytes) {
    return copy(p_, host.at(), device.at(), bytes, cuda::kCopyDeviceToHost, stream) &&
           stream.wait();
  }

  const LoadedKernels& kernels() const { return *kernels_; }

 private:
  Probe& p_;

 public:
  OwnStream stream;
  DeviceMemory device;
  PinnedMemory host;

 private:
  Result<LoadedKernels> kernels_;
};

std::uint64_t word_at(const std::uint8_t* bytes, std::size_t index) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes + 8 * index, 8);
  return word;
}

void a_pattern_is_what_its_text_says(Probe& p) {
  constexpr std::size_t kWords = 100'003, kFirst = 5;
  Bench bench(p, 8 * kWords);
  if (!bench) return;
  // The last word is left alone.
  bench.run(kPatternFill, kSize, OnDevice<std::uint64_t>(bench.device.at()), kWords - 1, kSeed,
            kFirst);
  if (!bench.fetch(8 * kWords)) return;
  for (std::size_t n = 0; n + 1 < kWords; ++n) {
    const std::uint64_t seen = word_at(bench.host.at(), n),
                        wanted = pattern_word(kSeed, kFirst + n);
    if (!p.expect(seen == wanted, fmt::format("word {} is {:x}, not {:x}", n, seen, wanted)))
      return;
  }
  p.expect(word_at(bench.host.at(), kWords - 1) == 0, "a word behind the end is written");
}

/// How many words differ from the pattern, and the first of them.
WrongWords compare(Probe& p, Bench& bench, std::size_t words) {
  WrongWords wrong{};
  const DeviceMemory found(p, sizeof wrong);
  const PinnedMemory back(p, sizeof wrong);
  if (!found || !back) return wrong;
  p.works(p.on().runtime.cudaMemsetAsync(found.at(), 0, sizeof wrong, bench.stream),
          "cudaMemsetAsync");
  bench.run(kPatternCompare, kSize, OnDevice<std::uint64_t>(bench.device.at()), words, kSeed,
            std::uint64_t{0}, OnDevice<WrongWords>(found.at()));
  copy(p, back.at(), found.at(), sizeof wrong, cuda::kCopyDeviceToHost, bench.stream);
  bench.stream.wait();
  std::memcpy(&wrong, back.at(), sizeof wrong);
  return wrong;
}

void a_comparison_finds_the_wrong_word(Probe& p) {
  constexpr std::size_t kWords = 50'001, kWrong = 31'415;
  Bench bench(p, 8 * kWords);
  if (!bench) return;
  bench.run(kPatternFill, kSize, OnDevice<std::uint64_t>(bench.device.at()), kWords, kSeed,
            std::uint64_t{0});
  WrongWords wrong = compare(p, bench, kWords);
  p.expect(wrong.count == 0, fmt::format("{} words of the pattern are wrong", wrong.count));
  const std::uint64_t flipped = pattern_word(kSeed, kWrong) ^ 0x1000;
  std::memcpy(bench.host.at(), &flipped, 8);
  copy(p, bench.device.at(8 * kWrong), bench.host.at(), 8, cuda::kCopyHostToDevice, bench.stream);
  wrong = compare(p, bench, kWords);
  p.expect(wrong.count == 1, fmt::format("{} wrong words of one", wrong.count));
  p.expect(wrong.kept[0].word == kWrong && wrong.kept[0].seen == flipped,
           fmt::format("word {} is named, with {:x}", wrong.kept[0].word, wrong.kept[0].seen));
}

std::vector<std::uint8_t> burn(Probe& p, const Burn& kernel, std::uint64_t seed) {
  const std::size_t bytes = std::size_t{4} * kSize.blocks * kSize.threads;
  Bench bench(p, bytes);
  const DeviceMemory left_early(p, 8);
  if (!bench || !left_early) return {};
  p.works(p.on().runtime.cudaMemsetAsync(left_early.at(), 0, 8, bench.stream), "cudaMemsetAsync");
  bench.run(kernel, kSize, OnDevice<std::uint32_t>(bench.device.at()), seed, 16U, kLimit_ns,
            OnDevice<std::uint64_t>(left_early.at()));
  if (!bench.fetch(bytes)) return {};
  return {bench.host.bytes().begin(), bench.host.bytes().end()};
}

void burns_repeat_bit_by_bit(Probe& p) {
  for (const Burn& kernel : {kFmaBurn, kTensorBurn}) {
    const auto first = burn(p, kernel, 1), again = burn(p, kernel, 1), other = burn(p, kernel, 2);
    const auto written = [](std::uint8_t byte) { return byte != 0; };
    p.expect(std::ranges::any_of(first, written), fmt::format("{} writes nothing", kernel.name));
    p.expect(first == again, fmt::format("{} gives two results", kernel.name));
    p.expect(first != other, fmt::format("{} does not heed its seed", kernel.name));
  }
}

void memory_traffic_keeps_the_memory(Probe& p) {
  constexpr std::size_t kWords = 65'536;
  constexpr std::uint32_t kEvenRounds = 4;
  Bench bench(p, 8 * kWords);
  const DeviceMemory cut_short(p, 8);
  if (!bench || !cut_short) return;
  p.works(p.on().runtime.cudaMemsetAsync(cut_short.at(), 0, 8, bench.stream), "cudaMemsetAsync");
  bench.run(kPatternFill, kSize, OnDevice<std::uint64_t>(bench.device.at()), kWords, kSeed,
            std::uint64_t{0});
  bench.run(kMemoryBurn, kSize, OnDevice<WordPair>(bench.device.at()), kWords / 2, kEvenRounds,
            kLimit_ns, OnDevice<std::uint64_t>(cut_short.at()));
  const WrongWords wrong = compare(p, bench, kWords);
  p.expect(wrong.count == 0, fmt::format("{} words are wrong after it", wrong.count));
}

/// A flag in mapped host memory and the device's pointers to it.
struct Flag {
  explicit Flag(Probe& probe) : p(probe) {
    constexpr unsigned kFlags = cuda::kHostAllocPortable | cuda::kHostAllocMapped;
    p.works(p.on().runtime.cudaHostAlloc(&host, 8, kFlags), "cudaHostAlloc");
    if (host == nullptr) return;
    std::memset(host, 0, 8);
    p.works(p.on().runtime.cudaHostGetDevicePointer(&device, host, 0), "cudaHostGetDevicePointer");
  }
  Flag(const Flag&) = delete;
  ~Flag() { p.on().runtime.cudaFreeHost(host); }
  volatile std::uint32_t* words() const { return static_cast<std::uint32_t*>(host); }
  OnDevice<std::uint32_t> word(int n) const {
    return OnDevice<std::uint32_t>(static_cast<std::uint32_t*>(device) + n);
  }

  Probe& p;
  void *host = nullptr, *device = nullptr;
};

/// A kernel that waits for the host, for at most `limit_ns`; what it says of itself.
std::uint32_t outcome_of_gate(Probe& p, std::uint64_t limit_ns, bool open) {
  Bench bench(p, 8);
  const Flag flag(p);
  if (!bench || flag.device == nullptr) return 0;
  bench.run(kGate, LaunchSize{1, 1}, flag.word(0), limit_ns, flag.word(1));
  p.result(bench.stream.query(), cuda::kNotReady, "cudaStreamQuery before the gate");
  p.on().runtime.cudaGetLastError();
  if (open) flag.words()[0] = 1;
  bench.stream.wait();
  return flag.words()[1];
}

void a_gate_opens_by_a_flag(Probe& p) {
  const auto outcome = outcome_of_gate(p, kLongestLaunch_ns, true);
  p.expect(outcome == kGateOpened, fmt::format("it says {}", outcome));
}

void a_gate_gives_up(Probe& p) {
  const auto outcome = outcome_of_gate(p, 20'000'000, false);
  p.expect(outcome == kGateTimedOut, fmt::format("it says {}", outcome));
}

void a_wave_has_a_size(Probe& p) {
  Bench bench(p, 8);
  if (!bench) return;
  const auto size = bench.kernels().one_wave(kFmaBurn, 256);
  if (!p.expect(size.has_value(), size ? "" : size.error().line())) return;
  p.expect(size->threads == 256 && size->blocks >= 1, fmt::format("{} blocks", size->blocks));
}

constexpr Item kItems[] = {
    {"a pattern is what its text says, word by word", "checked copies",
     a_pattern_is_what_its_text_says},
    {"a comparison finds the one wrong word", "checked copies", a_comparison_finds_the_wrong_word},
    {"burns repeat bit by bit, and heed their seed", "silent errors", burns_repeat_bit_by_bit},
    {"memory traffic keeps the memory", "silent errors", memory_traffic_keeps_the_memory},
    {"a gate of a kernel opens by a flag of the host", "common start of lanes",
     a_gate_opens_by_a_flag},
    {"a gate of a kernel gives up in time", "no launch without an end", a_gate_gives_up},
    {"a burn is told how many blocks fill the device", "burn", a_wave_has_a_size},
};

}  // namespace

std::span<const Item> kernel_items() { return kItems; }

}  // namespace linkburn::conformance
