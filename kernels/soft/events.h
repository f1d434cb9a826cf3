// Events of this process. Their time is that at which the model ended the op.
#pragma once

#include <cstdint>

#include "kernels/cuda_types.h"
#include "kernels/soft/session.h"

namespace linkburn::cuda {
struct CUevent_st {
  int gpu = -1;
  bool timed = true, destroyed = false;
  CUstream_st* stream = nullptr;  ///< of the last record; null: none yet
  std::uint64_t seq = 0, records = 0;
  bool done = false;
  std::int64_t end_ns = 0;
};
}  // namespace linkburn::cuda

namespace linkburn::soft {

/// The event of a call. Null: no event of ours. Named misuse: one that was destroyed.
cuda::CUevent_st* check_event(Session& session, cuda::Event event);

}  // namespace linkburn::soft
