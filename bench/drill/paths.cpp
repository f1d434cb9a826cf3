// Which resources a copy needs on its way.
#include <algorithm>

#include "bench/base/result.h"
#include "bench/drill/model.h"
#include "bench/drill/resources.h"

namespace linkburn::drill {
namespace {

constexpr Direction kOut = Direction::from_device, kIn = Direction::to_device;

bool is_gpu(const State& state, int gpu) {
  return gpu >= 0 && gpu < kMaxGpus && state.gpus[gpu].used;
}

bool is_numa(const State& state, int numa) {
  return numa >= 0 && numa < kMaxNumas && state.numas[numa].used;
}

bool has_link(const Function& f) {
  return f.kind == PortKind::endpoint || f.kind == PortKind::switch_upstream;
}

/// Of a pair of resources in both directions that belongs to a GPU.
Resource of_gpu(Resource first, int gpu, Direction direction) {
  return first + 2 * gpu + static_cast<int>(direction);
}

/// The links from a function up to, and without, another; -1: up to the root complex.
void add_links(const State& state, int function, int above, Direction direction,
               std::vector<Resource>& path) {
  for (int hops = 0; function >= 0 && function != above && hops < kMaxFunctions; ++hops) {
    const Function& f = state.functions[function];
    if (has_link(f)) path.push_back(link_resource(function, direction));
    function = f.parent;
  }
}

/// From one socket to another; nothing when one of them is not known.
void add_sockets(const State& state, int from, int to, std::vector<Resource>& path) {
  if (from == to || !is_numa(state, from) || !is_numa(state, to)) return;
  path.push_back(kSocketResources + 2 * from);
  path.push_back(kSocketResources + 2 * to + 1);
}

/// From a GPU up to `above`, or down to it.
void add_gpu_end(const State& state, int gpu, int above, Direction direction,
                 std::vector<Resource>& path) {
  const Gpu& g = state.gpus[gpu];
  const auto limit = static_cast<std::size_t>(direction);
  if (g.copy_gbs[limit] > 0) path.push_back(of_gpu(kCopyResources, gpu, direction));
  if (g.chip_to_chip_gbs > 0)
    path.push_back(of_gpu(kChipResources, gpu, direction));
  else
    add_links(state, g.function, above, direction, path);
}

bool is_above(const State& state, int function, int other) {
  for (int hops = 0; other >= 0 && hops < kMaxFunctions; ++hops) {
    if (other == function) return true;
    other = state.functions[other].parent;
  }
  return false;
}

/// The closest function above both GPUs; -1: they meet in the root complex.
int meeting_point(const State& state, int a, int b) {
  const Gpu &from = state.gpus[a], &to = state.gpus[b];
  if (from.chip_to_chip_gbs > 0 || to.chip_to_chip_gbs > 0) return -1;
  int above = from.function;
  for (int hops = 0; above >= 0 && hops < kMaxFunctions; ++hops) {
    if (is_above(state, above, to.function)) return above;
    above = state.functions[above].parent;
  }
  return -1;
}

bool linked(const Gpu& gpu, int peer) {
  return std::any_of(gpu.nvlinks.begin(), gpu.nvlinks.end(), [peer](const Nvlink& link) {
    return link.used && link.active && link.peer_gpu == peer;
  });
}

std::vector<Resource> short_enough(std::vector<Resource> path) {
  check(path.size() <= kMaxPath, "a path in a drill has too many parts");
  return path;
}

}  // namespace

std::vector<Resource> host_path(const State& state, int gpu, int numa, Direction direction) {
  check(is_gpu(state, gpu), "no such GPU in this drill");
  const int near = state.gpus[gpu].numa;
  const int memory = is_numa(state, numa) ? numa : near;
  std::vector<Resource> path;
  if (is_numa(state, memory)) path.push_back(kMemoryResources + memory);
  if (direction == kIn)
    add_sockets(state, memory, near, path);
  else
    add_sockets(state, near, memory, path);
  add_gpu_end(state, gpu, -1, direction, path);
  return short_enough(std::move(path));
}

std::vector<Resource> peer_path(const State& state, int from_gpu, int to_gpu) {
  check(is_gpu(state, from_gpu) && is_gpu(state, to_gpu), "no such GPU in this drill");
  const Gpu &from = state.gpus[from_gpu], &to = state.gpus[to_gpu];
  if (from_gpu == to_gpu) {  // reads and writes its own memory
    const Resource memory = engine_resource(from_gpu, Engine::memory_byte);
    return {memory, memory};
  }
  if (linked(from, to_gpu)) return {kPairResources + kMaxGpus * from_gpu + to_gpu};
  if (linked(from, -1) && linked(to, -1))
    return {of_gpu(kSwitchResources, from_gpu, kOut), of_gpu(kSwitchResources, to_gpu, kIn)};
  const int above = meeting_point(state, from_gpu, to_gpu);
  std::vector<Resource> path;
  add_gpu_end(state, from_gpu, above, kOut, path);
  if (above < 0) add_sockets(state, from.numa, to.numa, path);
  add_gpu_end(state, to_gpu, above, kIn, path);
  return short_enough(std::move(path));
}

bool peers(const State& state, int from_gpu, int to_gpu) {
  if (from_gpu == to_gpu || !is_gpu(state, from_gpu) || !is_gpu(state, to_gpu)) return false;
  const Gpu &from = state.gpus[from_gpu], &to = state.gpus[to_gpu];
  return !from.lost && !to.lost && !from.mig && !to.mig;
}

}  // namespace linkburn::drill
