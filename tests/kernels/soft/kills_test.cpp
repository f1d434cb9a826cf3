// Processes that use software GPUs, killed at any moment; and what they do repeats.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <csignal>
#include <random>

#include "bench/drill/model.h"
#include "kernels/nvml_functions.h"
#include "tests/kernels/soft/soft_gpu.h"
#include "tests/support/drill_family.h"
#include "tests/support/process.h"

namespace linkburn::test {
namespace {

constexpr std::uint64_t kSeeds = kSanitized ? 2 : 8;
constexpr int kSteps = 60;
constexpr std::size_t kBytes = 512 * 1024;
/// Member 0 has GPU 0 for itself, 1 and 2 one each below the same switch, 3 shares that of 2.
constexpr std::array<int, DrillFamily::kMembers> kDeviceOf{0, 1, 2, 2};

template <class Value>
std::uint64_t bits(Value value) {
  std::uint64_t all = 0;
  std::memcpy(&all, &value, sizeof value);
  return all;
}

/// What one process does with a GPU. Everything it sees is noted.
class User {
 public:
  User(DrillFamily& family, int number)
      : family_(family),
        number_(static_cast<std::uint64_t>(number)),
        random_(family.seed() * 100 + number_) {
    ::setenv("LINKBURN_DRILL", family.world().folder().c_str(), 1);
    device_ = kDeviceOf.at(static_cast<std::size_t>(number));
    note(gpu_.cudaSetDevice(device_));
    note(gpu_.cuInit(0));
    gpu_.cudaHostAlloc(&host_, kBytes, cuda::kHostAllocPortable);
    gpu_.cudaHostAlloc(&word_, sizeof(std::uint32_t), cuda::kHostAllocPortable);
    gpu_.cudaMalloc(&memory_, kBytes);
    for (auto& stream : streams_) gpu_.cudaStreamCreateWithFlags(&stream, cuda::kStreamNonBlocking);
    for (auto& event : events_) gpu_.cudaEventCreateWithFlags(&event, cuda::kEventDefault);
    soft_function<nvml::Return (*)()>("nvmlInit_v2")();
    read_power_ = soft_function<decltype(read_power_)>("nvmlDeviceGetPowerUsage");
    read_heat_ = soft_function<decltype(read_heat_)>("nvmlDeviceGetTemperature");
    soft_function<nvml::Return (*)(unsigned, nvml::Device*)>("nvmlDeviceGetHandleByIndex_v2")(
        static_cast<unsigned>(device_), &handle_);
  }

  void step() {
    cuda::Stream stream = streams_.at(random_() % 2);
    cuda::Event event = events_.at(random_() % 2);
    const std::size_t bytes = 1 + random_() % kBytes;
    switch (random_() % 8) {
      case 0:
        return note(gpu_.cudaMemcpyAsync(memory_, host_, bytes, cuda::kCopyHostToDevice, stream));
      case 1:
        return note(gpu_.cudaMemcpyAsync(host_, memory_, bytes, cuda::kCopyDeviceToHost, stream));
      case 2:
        return note(gpu_.cudaMemsetAsync(memory_, 7, bytes, stream));
      case 3:
        return note(gpu_.cudaEventRecord(event, stream));
      case 4:
        return note(gpu_.cudaStreamWaitEvent(stream, event, 0));
      case 5:
        return note(gpu_.cudaStreamQuery(stream));
      case 6:
        return pass_gate(stream);
      default:
        return look(event);
    }
  }

 private:
  void note(std::uint64_t what) { family_.note(number_, what); }
  void note(int result) { note(static_cast<std::uint64_t>(result)); }

  /// The stream waits for a word that the host stores.
  void pass_gate(cuda::Stream stream) {
    auto* word = static_cast<std::uint32_t*>(word_);
    const std::uint32_t value = ++gates_;
    note(gpu_.cuStreamWaitValue32_v2(stream, reinterpret_cast<cuda::DevicePointer>(word), value,
                                     cuda::kWaitValueEqual));
    *word = value;
    note(gpu_.cudaStreamSynchronize(stream));
  }

  void look(cuda::Event event) {
    float ms = -1;
    unsigned milliwatts = 0, celsius = 0;
    note(gpu_.cudaEventSynchronize(event));
    note(gpu_.cudaEventElapsedTime(&ms, events_[0], events_[1]));
    read_power_(handle_, &milliwatts);
    read_heat_(handle_, nvml::kTemperatureGpu, &celsius);
    note(bits(ms)), note(bits(milliwatts)), note(bits(celsius));
  }

  DrillFamily& family_;
  const std::uint64_t number_;
  std::mt19937_64 random_;
  const cuda::Functions& gpu_ = soft_gpu();
  int device_ = 0;
  void *host_ = nullptr, *word_ = nullptr, *memory_ = nullptr;
  std::array<cuda::Stream, 2> streams_{};
  std::array<cuda::Event, 2> events_{};
  std::uint32_t gates_ = 0;
  nvml::Device handle_ = nullptr;
  nvml::Return (*read_power_)(nvml::Device, unsigned*) = nullptr;
  nvml::Return (*read_heat_)(nvml::Device, int, unsigned*) = nullptr;
};

/// Contexts take a moment, so that a life is about its copies.
std::shared_ptr<drill::State> state_with(std::int64_t teardown_ms) {
  auto state = small_drill_state();
  for (drill::Gpu& gpu : state->gpus) {
    gpu.context_ms = 1, gpu.teardown_ms = teardown_ms;
    gpu.idle_after_ms = gpu.wake_ms = 1;
  }
  return state;
}

drill::Scenario scenario_of(std::shared_ptr<const drill::State> state) {
  drill::Scenario scenario = small_drill_scenario();
  scenario.state = std::move(state);
  return scenario;
}

drill::Scenario world_of(std::int64_t teardown_ms) { return scenario_of(state_with(teardown_ms)); }

void live(DrillFamily& family, int number) {
  User user(family, number);
  for (int step = 0; step < kSteps; ++step) user.step();
}

/// What one member saw, and when.
std::vector<std::uint64_t> seen_by(const DrillFamily& family, std::uint64_t member) {
  std::vector<std::uint64_t> seen;
  const auto trace = family.trace();
  for (std::size_t at = 0; at + 3 <= trace.size(); at += 3)
    if (trace[at + 1] == member) seen.insert(seen.end(), &trace[at], &trace[at] + 3);
  return seen;
}

void expect_nothing_left(DrillFamily& family) {
  EXPECT_TRUE(eventually([&] { return family.used_slots() == 0; }));
  const drill::State& state = family.state();
  EXPECT_EQ(state.header.turn, -1);
  for (const auto& stream : state.streams) EXPECT_FALSE(stream.used);
  for (const auto& cell : state.cells) EXPECT_FALSE(cell.used);
  for (const auto& process : state.processes)
    EXPECT_TRUE(!process.used || process.pid == ::getpid());
  for (const auto& gpu : state.gpus) {
    EXPECT_EQ(drill::free_memory(gpu), gpu.memory_bytes);
    EXPECT_EQ(std::count(gpu.contexts.begin(), gpu.contexts.end(), true), 0);
    EXPECT_TRUE(!gpu.used || gpu.owner_process == -1);
  }
}

std::vector<std::uint64_t> whole_life(const drill::Scenario& scenario, std::uint64_t seed) {
  DrillFamily family(scenario, seed, live);
  family.start();
  EXPECT_EQ(family.await_members(), DrillFamily::kMembers);
  expect_nothing_left(family);
  EXPECT_TRUE(family.stop_ticker());
  EXPECT_EQ(family.state().statistics.forced_turns, 0U);
  return family.trace();
}

TEST(SoftGpuLife, IsTheSameEachTimeAlsoOnABusyMachine) {
  const auto made = state_with(3);
  drill::State& state = *made;
  state.tick_ns = 1'000'000;
  drill::Fault& retrain = add_fault(state, drill::FaultKind::retrain, drill::Trigger::at);
  retrain.function = function_of(state, "uplink1"), retrain.gen = 3, retrain.at_ns = 5'000'000;
  drill::Fault& flip = add_fault(state, drill::FaultKind::flip, drill::Trigger::at);
  flip.gpu = 1, flip.at_ns = 4'000'000, set_text(flip.text, "copy");
  const drill::Scenario scenario = scenario_of(made);
  const auto quiet = whole_life(scenario, 21);
  const Burner first;
  const Burner second;
  EXPECT_EQ(quiet, whole_life(scenario, 21));
  EXPECT_GT(quiet.size(), 500U);
  EXPECT_NE(quiet, whole_life(scenario, 22));
}

TEST(SoftGpuKills, LeaveTheOthersWhatIsTheirs) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    DrillFamily undisturbed(world_of(0), seed, live), family(world_of(0), seed, live);
    for (DrillFamily* each : {&undisturbed, &family}) each->start();
    const auto victim = static_cast<int>(1 + random() % (DrillFamily::kMembers - 1));
    family.await_turns(random() % 700);
    family.signal_member(victim, SIGKILL);
    EXPECT_GE(family.await_members(), DrillFamily::kMembers - 1);
    EXPECT_EQ(undisturbed.await_members(), DrillFamily::kMembers);
    expect_nothing_left(family);
    EXPECT_EQ(seen_by(family, 0), seen_by(undisturbed, 0)) << "shares no link with the victim";
    EXPECT_TRUE(family.stop_ticker());
  }
}

TEST(SoftGpuKills, WithTheTurnStallTheOthersForTheTeardown) {
  constexpr std::int64_t teardown_ms = 400;
  for (int fatal_step = 0; fatal_step < kSteps / 2; fatal_step += kSanitized ? 20 : 7) {
    SCOPED_TRACE(fatal_step);
    DrillFamily family(world_of(teardown_ms), 5, [&](DrillFamily& mine, int number) {
      if (number > 1) return;
      User user(mine, number);
      for (int step = 0; step < kSteps; ++step) {
        if (number == 1 && step == fatal_step) (void)std::raise(SIGKILL);
        user.step();
      }
    });
    family.start();
    EXPECT_EQ(family.await_members(), DrillFamily::kMembers - 1);
    expect_nothing_left(family);
    const auto survivor = seen_by(family, 0);
    std::uint64_t longest = 0;
    for (std::size_t at = 3; at < survivor.size(); at += 3)
      longest = std::max(longest, survivor[at] - survivor[at - 3]);
    EXPECT_GE(longest, teardown_ms * 1'000'000 * 9 / 10);
    EXPECT_TRUE(family.stop_ticker());
  }
}

TEST(SoftGpuKills, HaveAnEndAlsoForWhoWasStopped) {
  DrillFamily family(world_of(0), 3, live);
  family.start();
  family.await_turns(100);
  family.signal_member(2, SIGSTOP);
  EXPECT_TRUE(eventually([&] { return family.used_slots() == 1; })) << "the others go on";
  family.signal_member(2, SIGCONT);
  EXPECT_EQ(family.await_members(), DrillFamily::kMembers);
  expect_nothing_left(family);
  EXPECT_TRUE(family.stop_ticker());
}

TEST(SoftGpuKills, OfTheTickerEndTheWorldForEverybody) {
  std::vector<std::unique_ptr<DrillFamily>> families;
  for (std::uint64_t seed = 1; seed <= kSeeds / 2; ++seed) {
    families.push_back(std::make_unique<DrillFamily>(world_of(0), seed, live));
    families.back()->start();
    families.back()->await_turns(std::mt19937_64(seed)() % 700);
    families.back()->kill_ticker();
  }
  for (const auto& family : families) {
    EXPECT_EQ(family->await_members(), DrillFamily::kMembers);
    EXPECT_FALSE(family->stop_ticker());
  }
}

}  // namespace
}  // namespace linkburn::test
