// What the library keeps of one process besides the world's state: its devices, contexts, memory,
// streams, events and modules. Touched inside a Call only (session.h).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "bench/drill/state.h"
#include "kernels/soft/contexts.h"
#include "kernels/soft/events.h"
#include "kernels/soft/memory.h"
#include "kernels/soft/modules.h"
#include "kernels/soft/streams.h"
#include "kernels/soft/words.h"

namespace linkburn::soft {

struct Cuda {
  std::vector<int> devices;  ///< GPU of each ordinal, as the driver found them at the first call
  bool devices_known = false, driver_started = false;
  std::array<ContextOfGpu, drill::kMaxGpus> contexts;
  Memory memory;
  Words words;
  // Handles are never given to anybody else, so that the use of a destroyed one is seen.
  std::vector<std::unique_ptr<cuda::CUstream_st>> streams;
  std::map<const cuda::CUevent_st*, std::unique_ptr<cuda::CUevent_st>> events;
  std::vector<std::unique_ptr<cuda::CUmod_st>> modules;
  std::uint64_t submissions = 0;
};

}  // namespace linkburn::soft
