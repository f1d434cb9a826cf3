// drill_life: a scenario's life as text. One GPU, the first that a fault is about, is loaded with
// copies and a burn; every line shows drill time, the world's own state, and what the program sees:
// rate, NVML, the files of the kernel, and the kernel log as it grows.
//
//   drill_life SCENARIO [--every MS] [--until MS] [--seed N]
//
// The same seed prints the same bytes, whatever else the machine does. What it took in real time is
// said on stderr.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "bench/base/component.h"
#include "bench/base/sysroot.h"
#include "bench/base/text.h"
#include "kernels/launch.h"
#include "kernels/libraries.h"
#include "tests/support/living_drill.h"

namespace linkburn {
namespace {

constexpr std::size_t kCopyBytes = 128 << 20, kResultBytes = 4 << 20;
constexpr std::uint64_t kBurnLimit_ns = 100'000'000;
constexpr std::uint32_t kBurnRounds = 4000;
constexpr int kBurnsAhead = 8;
constexpr double kSpare_ms = 600'000;  // for what is still under way at the end

struct Options {
  std::string scenario;
  std::int64_t every_ms = 1000, until_ms = 0;
  std::uint64_t seed = 7;
};

double until_ms(const Options& options, const drill::Scenario& scenario) {
  return options.until_ms > 0 ? static_cast<double>(options.until_ms) : scenario.minutes * 60'000;
}

bool read_options(int argc, char** argv, Options& options) {
  for (int n = 1; n < argc; ++n) {
    const std::string word = argv[n];
    const std::int64_t number = n + 1 < argc ? parse_int(argv[n + 1]).value_or(0) : 0;
    if (word == "--every" && number > 0)
      options.every_ms = number, ++n;
    else if (word == "--until" && number > 0)
      options.until_ms = number, ++n;
    else if (word == "--seed" && number > 0)
      options.seed = static_cast<std::uint64_t>(number), ++n;
    else if (options.scenario.empty() && word.front() != '-')
      options.scenario = word;
    else
      return false;
  }
  return !options.scenario.empty();
}

/// The GPU that the first fault is about, else the first one.
int watched_gpu(const drill::State& state) {
  const drill::Fault& fault = state.faults[0];
  if (fault.used && fault.gpu >= 0) return fault.gpu;
  for (int gpu = 0; gpu < drill::kMaxGpus; ++gpu)
    if (fault.used && state.gpus[gpu].used && state.gpus[gpu].function == fault.function)
      return gpu;
  return 0;
}

std::string address_of(const drill::State& state, int gpu) {
  const drill::Function& f = state.functions[state.gpus[gpu].function];
  return to_string(PciAddress{f.domain, f.bus, f.slot, f.function});
}

/// Copies to the GPU in one stream, a burn in another. Ends by itself when a call fails.
class Load {
 public:
  Load(const GpuLibraries& libraries, int device)
      : runtime_(*libraries.runtime),
        kernels_(LoadedKernels::load(*libraries.driver, device, "GPU")) {
    const bool ready =
        kernels_ && works(runtime_.cudaSetDevice(device)) &&
        works(runtime_.cudaHostAlloc(&host_, kCopyBytes, cuda::kHostAllocPortable)) &&
        works(runtime_.cudaMalloc(&device_, kCopyBytes)) &&
        works(runtime_.cudaMalloc(&results_, kResultBytes)) &&
        works(runtime_.cudaMalloc(&cut_short_, sizeof(std::uint64_t))) &&
        works(runtime_.cudaStreamCreateWithFlags(&copies_, cuda::kStreamNonBlocking)) &&
        works(runtime_.cudaStreamCreateWithFlags(&burns_, cuda::kStreamNonBlocking)) &&
        works(runtime_.cudaEventCreateWithFlags(&start_, 0)) &&
        works(runtime_.cudaEventCreateWithFlags(&end_, 0));
    if (!ready && error_.empty()) error_ = kernels_ ? "not ready" : kernels_.error().line();
    if (!ready) return;
    const auto size = kernels_->one_wave(kFmaBurn, 256);
    if (size) size_ = *size;
  }

  Load(const Load&) = delete;
  ~Load() {
    for (const cuda::Stream stream : {copies_, burns_})
      if (stream != nullptr)
        runtime_.cudaStreamSynchronize(stream), runtime_.cudaStreamDestroy(stream);
    for (const cuda::Event event : {start_, end_})
      if (event != nullptr) runtime_.cudaEventDestroy(event);
    for (void* memory : {device_, results_, cut_short_}) runtime_.cudaFree(memory);
    runtime_.cudaFreeHost(host_);
  }

  /// Keeps the GPU loaded until then; GB/s of the copies meanwhile, or the error.
  std::string run_until(const Clock& clock, Instant end) {
    double bytes = 0, ms = 0;
    while (error_.empty() && clock.now() < end) {
      burn();
      if (!lap(bytes, ms)) break;
    }
    clock.sleep_until(end);
    return error_.empty() ? fmt::format("{:5.2f} GB/s", ms > 0 ? bytes / 1e6 / ms : 0.0) : error_;
  }

 private:
  bool works(int result) {
    if (result == cuda::kSuccess) return true;
    if (error_.empty()) error_ = fmt::format("CUDA {}", runtime_.cudaGetErrorName(result));
    return false;
  }

  /// Queues burns when none is under way.
  void burn() {
    if (runtime_.cudaStreamQuery(burns_) != cuda::kSuccess) return;
    for (int n = 0; n < kBurnsAhead; ++n) {
      const Status queued = kernels_->launch(
          kFmaBurn, size_, burns_, OnDevice<std::uint32_t>(results_), std::uint64_t{1}, kBurnRounds,
          kBurnLimit_ns, OnDevice<std::uint64_t>(cut_short_));
      if (!queued && error_.empty()) error_ = queued.error().what;
    }
  }

  bool lap(double& bytes, double& ms) {
    constexpr int kCopies = 16;
    if (!works(runtime_.cudaEventRecord(start_, copies_))) return false;
    for (int n = 0; n < kCopies; ++n)
      if (!works(runtime_.cudaMemcpyAsync(device_, host_, kCopyBytes, cuda::kCopyHostToDevice,
                                          copies_)))
        return false;
    float took_ms = 0;
    if (!works(runtime_.cudaEventRecord(end_, copies_)) ||
        !works(runtime_.cudaStreamSynchronize(copies_)) ||
        !works(runtime_.cudaEventElapsedTime(&took_ms, start_, end_)))
      return false;
    bytes += static_cast<double>(kCopies * kCopyBytes), ms += took_ms;
    return true;
  }

  const cuda::RuntimeTable& runtime_;
  Result<LoadedKernels> kernels_;
  void *host_ = nullptr, *device_ = nullptr, *results_ = nullptr, *cut_short_ = nullptr;
  cuda::Stream copies_ = nullptr, burns_ = nullptr;
  cuda::Event start_ = nullptr, end_ = nullptr;
  LaunchSize size_{132, 256};
  std::string error_;
};

std::string file_text(const Sysroot& root, const std::string& path) {
  const auto text = root.read(path);
  return text ? std::string(trim(*text)) : "-";
}

std::string shown_by_nvml(const nvml::NvmlTable& nvml, nvml::Device device) {
  unsigned generation = 0, width = 0, celsius = 0, milliwatts = 0;
  const int result = nvml.nvmlDeviceGetCurrPcieLinkGeneration(device, &generation);
  if (result != nvml::kSuccess) return nvml.nvmlErrorString(result);
  nvml.nvmlDeviceGetCurrPcieLinkWidth(device, &width);
  nvml.nvmlDeviceGetTemperature(device, nvml::kTemperatureGpu, &celsius);
  nvml.nvmlDeviceGetPowerUsage(device, &milliwatts);
  return fmt::format("gen{} x{:<2} {:2} C {:3} W", generation, width, celsius, milliwatts / 1000);
}

/// Prints what the kernel log has gained since the last call.
void print_log(const drill::State& state, std::uint64_t& shown) {
  for (; shown < state.log_count; ++shown) {
    const drill::LogLine& line = state.log[shown % drill::kMaxLogLines];
    fmt::print("{:>9.3f} s  kernel: {}\n", static_cast<double>(line.at_ns) / 1e9, line.text.data());
  }
}

struct View {
  const drill::State& state;
  const Sysroot& root;
  const nvml::NvmlTable& nvml;
  nvml::Device device;
  int gpu;
};

void print_line(const View& view, Instant now, const std::string& rate) {
  const drill::Gpu& gpu = view.state.gpus[view.gpu];
  const drill::Function& f = view.state.functions[gpu.function];
  const std::string folder = "/sys/bus/pci/devices/" + address_of(view.state, view.gpu);
  fmt::print("{:>9.3f} s  {:4.1f} C  gen{} x{:<2}  {:<12}  sysfs {:>13} x{:<2}  NVML {}\n",
             static_cast<double>(to_ns(now)) / 1e9, gpu.temperature_c, f.gen, f.width, rate,
             file_text(view.root, folder + "/current_link_speed"),
             file_text(view.root, folder + "/current_link_width"),
             shown_by_nvml(view.nvml, view.device));
}

/// Everything after the drill has begun; the exit code.
int live(const Options& options, const drill::Scenario& scenario, const test::LivingDrill& drill) {
  const std::string library = test::soft_gpu_library();
  const auto libraries = open_gpu_libraries({library, library, library, {}}, drill.clock());
  const auto root = Sysroot::open(drill.tree());
  if (!libraries || !root || !libraries->runtime || !libraries->driver || !libraries->nvml) {
    fmt::print(stderr, "drill_life: the software GPU cannot be opened: {}\n", library);
    return 1;
  }
  const int gpu = watched_gpu(drill.state());
  const std::string address = address_of(drill.state(), gpu);
  int ordinal = 0;
  nvml::Device device = nullptr;
  libraries->driver->cuInit(0);
  libraries->nvml->nvmlInit_v2();
  libraries->nvml->nvmlDeviceGetHandleByPciBusId_v2(address.c_str(), &device);
  libraries->runtime->cudaDeviceGetByPCIBusId(&ordinal, address.c_str());
  fmt::print("{}: {}; seed {}, watched: {} {}\n", scenario.name, scenario.purpose, options.seed,
             drill.state().functions[drill.state().gpus[gpu].function].name.data(), address);

  const View view{drill.state(), *root, *libraries->nvml, device, gpu};
  const Clock& clock = drill.clock();
  std::uint64_t log_shown = 0;
  print_line(view, clock.now(), "at rest");
  Load load(*libraries, ordinal);
  for (double at_ms = static_cast<double>(options.every_ms); at_ms <= until_ms(options, scenario);
       at_ms += static_cast<double>(options.every_ms)) {
    const Instant end = instant_from_ns(static_cast<std::int64_t>(at_ms * 1e6));
    if (clock.now() >= end) continue;  // a context took its time
    const std::string rate = load.run_until(clock, end);
    print_log(drill.state(), log_shown);
    print_line(view, clock.now(), rate);
  }
  return 0;
}

int run(const Options& options) {
  const Instant began = real_clock().now();
  const auto scenario = drill::load_scenario(options.scenario);
  if (!scenario) {
    fmt::print(stderr, "drill_life: {}\n", scenario.error().line());
    return 1;
  }
  auto drill = test::LivingDrill::start(
      *scenario, options.seed,
      static_cast<std::int64_t>((until_ms(options, *scenario) + kSpare_ms) * 1e6));
  if (!drill) {
    fmt::print(stderr, "drill_life: {}\n", drill.error().line());
    return 1;
  }
  fmt::print("DRILL: software devices\n");
  const int code = live(options, *scenario, **drill);
  fmt::print("DRILL: nothing here is about hardware\n");
  const auto drill_s = static_cast<double>(to_ns((*drill)->clock().now())) / 1e9;
  const std::chrono::duration<double> real = real_clock().now() - began;
  const auto& counted = (*drill)->state().statistics;
  fmt::print(stderr, "{:.1f} s of drill time in {:.2f} s; {} turns, {} of them forced\n", drill_s,
             real.count(), counted.turns, counted.forced_turns);
  return code;
}

}  // namespace
}  // namespace linkburn

int main(int argc, char** argv) {
  linkburn::Options options;
  if (!linkburn::read_options(argc, argv, options)) {
    fmt::print(stderr, "usage: drill_life SCENARIO [--every MS] [--until MS] [--seed N]\n");
    return 2;
  }
  return linkburn::run(options);
}
