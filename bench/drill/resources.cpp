#include "bench/drill/resources.h"

#include <algorithm>
#include <array>

#include "bench/drill/model.h"

namespace linkburn::drill {
namespace {

constexpr double kGiga = 1e9, kTera = 1e12;

/// Transfers a second of one lane, in GT/s, and what line coding leaves of them.
struct Generation {
  double gts, coding;
};
constexpr std::array kGenerations = std::to_array<Generation>({{2.5, 8.0 / 10},
                                                               {5, 8.0 / 10},
                                                               {8, 128.0 / 130},
                                                               {16, 128.0 / 130},
                                                               {32, 128.0 / 130},
                                                               {64, 236.0 / 256}});

double link_capacity(const State& state, int function) {
  const Function& f = state.functions[function];
  if (f.gone) return 0;
  return line_rate_gbs(f.gen, f.width) * kGiga * state.copy_efficiency * f.drift;
}

double engine_capacity(const Gpu& gpu, Engine engine) {
  const double full = engine == Engine::fp32_flop     ? gpu.fp32_tflops * kTera
                      : engine == Engine::tensor_flop ? gpu.tensor_tflops * kTera
                                                      : gpu.memory_gbs * kGiga;
  return full * gpu.clock_factor;
}

/// Of the links from one GPU to another, or to the switches (-1), that work.
double nvlink_capacity(const Gpu& gpu, int peer) {
  double sum = 0;
  for (const Nvlink& link : gpu.nvlinks)
    if (link.used && link.active && link.peer_gpu == peer) sum += link.rate_gbs;
  return sum * kGiga;
}

}  // namespace

double line_rate_gbs(int gen, int width) {
  if (gen < 1 || gen > static_cast<int>(kGenerations.size()) || width < 1) return 0;
  const Generation& generation = kGenerations[gen - 1];
  return generation.gts * generation.coding * width / 8;
}

Resource link_resource(int function, Direction direction) {
  return kLinkResources + 2 * function + static_cast<int>(direction);
}

Resource engine_resource(int gpu, Engine engine) {
  return kEngineResources + kEngines * gpu + static_cast<int>(engine);
}

int gpu_of(const State& state, int function) {
  if (function < 0 || state.functions[function].device != Device::gpu) return -1;
  for (int g = 0; g < kMaxGpus; ++g)
    if (state.gpus[g].used && state.gpus[g].function == function) return g;
  return -1;
}

std::uint32_t gpus_at(const State& state, Resource resource) {
  const auto bit = [](int gpu) { return gpu < 0 ? 0U : 1U << gpu; };
  if (resource < kMemoryResources) return bit(gpu_of(state, link_of(resource)));
  if (resource < kCopyResources) return 0;
  if (resource < kChipResources) return bit((resource - kCopyResources) / 2);
  if (resource < kEngineResources) return bit((resource - kChipResources) / 2);
  if (resource < kSwitchResources) return bit((resource - kEngineResources) / kEngines);
  if (resource < kPairResources) return bit((resource - kSwitchResources) / 2);
  const int pair = resource - kPairResources;
  return bit(pair / kMaxGpus) | bit(pair % kMaxGpus);
}

double capacity(const State& state, Resource resource) {
  const auto place = [resource](Resource first) {
    return static_cast<std::size_t>(resource - first);
  };
  double rate = 0;
  if (resource < kMemoryResources)
    rate = link_capacity(state, link_of(resource));
  else if (resource < kSocketResources)
    rate = state.numas[place(kMemoryResources)].memory_gbs * kGiga;
  else if (resource < kCopyResources)
    rate = state.numas[place(kSocketResources) / 2].far_gbs * kGiga;
  else if (resource < kChipResources)
    rate = state.gpus[place(kCopyResources) / 2].copy_gbs[place(kCopyResources) % 2] * kGiga;
  else if (resource < kEngineResources)
    rate = state.gpus[place(kChipResources) / 2].chip_to_chip_gbs * kGiga * state.copy_efficiency;
  else if (resource < kSwitchResources)
    rate = engine_capacity(state.gpus[place(kEngineResources) / kEngines],
                           static_cast<Engine>(place(kEngineResources) % kEngines));
  else if (resource < kPairResources)
    rate = nvlink_capacity(state.gpus[place(kSwitchResources) / 2], -1) * state.copy_efficiency;
  else
    rate = nvlink_capacity(state.gpus[place(kPairResources) / kMaxGpus],
                           static_cast<int>(place(kPairResources) % kMaxGpus)) *
           state.copy_efficiency;
  return std::max(rate, 0.0);
}

}  // namespace linkburn::drill
