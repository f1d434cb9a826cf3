// Streams of this process. Their ops lie in the world's state, where the ticker runs them; what
// they do to memory is done here, on the program's own thread, when it next calls in (harvest()):
// in the order in which they ended.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>

#include "bench/drill/state.h"
#include "kernels/cuda_types.h"
#include "kernels/soft/session.h"

namespace linkburn::soft {

/// How an op ended.
struct Outcome {
  std::int64_t end_ns = 0;
  std::uint64_t order = 0;  ///< of submission, in this process
  bool flipped = false;
};

/// What a finished op does to memory. kSuccess, or the error that breaks its context.
using Effect = std::function<cuda::RuntimeError(const Outcome&)>;

struct Pending {
  std::uint64_t seq = 0, order = 0;
  Effect effect;  ///< may be empty
};

}  // namespace linkburn::soft

namespace linkburn::cuda {
struct CUstream_st {
  int number = -1;  ///< in State::streams; -1 when it is closed
  int gpu = -1;
  bool destroyed = false;
  std::uint64_t last = 0;  ///< seq of the newest op
  std::deque<soft::Pending> pending;
};
}  // namespace linkburn::cuda

namespace linkburn::soft {

/// An op without path or work.
drill::Op make_op(drill::OpKind kind, int gpu);

/// Appends an op; waits while the stream is full. Returns its seq.
std::uint64_t submit(Session& session, cuda::CUstream_st& stream, const drill::Op& op,
                     Effect effect = {});

/// Does to memory what the ops that have ended do.
void harvest(Session& session);

/// Waits until the op has ended, and harvests.
void await_op(Session& session, cuda::CUstream_st& stream, std::uint64_t seq);
void await_stream(Session& session, cuda::CUstream_st& stream);
void await_gpu(Session& session, int gpu);

bool is_done(Session& session, const cuda::CUstream_st& stream, std::uint64_t seq);

/// The stream of a call. Null: no stream of ours. Named misuse: the legacy default stream, one that
/// was destroyed.
cuda::CUstream_st* check_stream(Session& session, cuda::Stream stream);

}  // namespace linkburn::soft
