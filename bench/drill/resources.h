// What transfers share in the world of a drill, as numbers: first number of the kind + place in it.
#pragma once

#include "bench/drill/state.h"

namespace linkburn::drill {

inline constexpr int kEngines = 3;  ///< of a GPU: the values of Engine

inline constexpr Resource kLinkResources = 0;  ///< two of each function: the values of Direction
inline constexpr Resource kMemoryResources = kLinkResources + 2 * kMaxFunctions;
inline constexpr Resource kSocketResources = kMemoryResources + kMaxNumas;  ///< two: out, in
inline constexpr Resource kCopyResources = kSocketResources + 2 * kMaxNumas;
inline constexpr Resource kChipResources = kCopyResources + 2 * kMaxGpus;
inline constexpr Resource kEngineResources = kChipResources + 2 * kMaxGpus;
inline constexpr Resource kSwitchResources = kEngineResources + kEngines * kMaxGpus;  ///< out, in
inline constexpr Resource kPairResources = kSwitchResources + 2 * kMaxGpus;           ///< from, to
inline constexpr Resource kResources = kPairResources + kMaxGpus * kMaxGpus;

Resource link_resource(int function, Direction direction);
Resource engine_resource(int gpu, Engine engine);

/// The function whose link a resource is; -1: it is something else.
inline int link_of(Resource resource) {
  return resource < kMemoryResources ? (resource - kLinkResources) / 2 : -1;
}

/// Bit set of the GPUs that a resource belongs to.
std::uint32_t gpus_at(const State& state, Resource resource);

/// Index of the GPU behind a function; -1: it is something else.
int gpu_of(const State& state, int function);

}  // namespace linkburn::drill
