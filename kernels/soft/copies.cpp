// The entry points that move and set bytes. Whole copies take effect at once, when they have ended;
// how long they take is the model's (bench/drill/model.h).
#include <algorithm>

#include "bench/drill/model.h"
#include "kernels/soft/entry.h"
#include "kernels/soft/flips.h"
#include "kernels/soft/functions.h"
#include "kernels/soft/process.h"

namespace linkburn::cuda {
namespace {

using drill::Direction, drill::OpKind, soft::Cost, soft::Needs, soft::runtime_call, soft::Session,
    soft::Span;

/// Pageable memory goes through a buffer of the driver, which makes its copies slow: a round figure
/// that is far below any limit, not one of a device.
constexpr double kPageableFactor = 3;

bool fits(int kind, const Span& to, const Span& from) {
  switch (kind) {
    case kCopyHostToDevice:
      return to.on_device() && !from.on_device();
    case kCopyDeviceToHost:
      return !to.on_device() && from.on_device();
    case kCopyDeviceToDevice:
      return to.on_device() && from.on_device();
    default:
      return kind == kCopyDefault;
  }
}

void set_path(drill::Op& op, const std::vector<drill::Resource>& path) {
  const std::size_t length = std::min<std::size_t>(path.size(), drill::kMaxPath);
  std::copy_n(path.begin(), length, op.path.begin());
  op.path_length = static_cast<std::int32_t>(length);
}

std::vector<drill::Resource> staged_path(const drill::State& state, int from, int to) {
  const auto numa = [&](int gpu) { return state.gpus[static_cast<std::size_t>(gpu)].numa; };
  auto path = drill::host_path(state, from, numa(from), Direction::from_device);
  const auto second = drill::host_path(state, to, numa(from), Direction::to_device);
  path.insert(path.end(), second.begin(), second.end());
  return path;
}

/// Between two GPUs: straight when one has access to the other, else through host memory.
drill::Op peer_copy(Session& s, const Span& to, const Span& from) {
  const int here = from.allocation->gpu, there = to.allocation->gpu;
  auto op = soft::make_op(OpKind::copy, here);
  op.work = static_cast<double>(to.bytes);
  const auto& contexts = s.cuda().contexts;
  const auto enabled = [&](int a, int b) {
    return contexts[static_cast<std::size_t>(a)].peers[static_cast<std::size_t>(b)];
  };
  const bool straight = enabled(here, there) || enabled(there, here);
  set_path(op, straight ? drill::peer_path(s.state(), here, there)
                        : staged_path(s.state(), here, there));
  return op;
}

/// Traffic within the memory of one GPU.
drill::Op memory_traffic(int gpu, double bytes) {
  auto op = soft::make_op(OpKind::kernel, gpu);
  op.unit = drill::Engine::memory_byte;
  op.work = bytes;
  return op;
}

drill::Op host_copy(Session& s, const Span& to, const Span& from) {
  const bool up = to.on_device();
  const Span &device = up ? to : from, &host = up ? from : to;
  const int gpu = device.allocation->gpu;
  auto op = soft::make_op(OpKind::copy, gpu);
  const bool pageable = host.allocation == nullptr;
  const int numa =
      pageable ? s.state().gpus[static_cast<std::size_t>(gpu)].numa : host.allocation->numa;
  op.work = static_cast<double>(to.bytes) * (pageable ? kPageableFactor : 1);
  set_path(op, drill::host_path(s.state(), gpu, numa,
                                up ? Direction::to_device : Direction::from_device));
  return op;
}

drill::Op copy_op(Session& s, const Span& to, const Span& from) {
  if (!to.on_device() || !from.on_device()) return host_copy(s, to, from);
  if (to.allocation->gpu != from.allocation->gpu) return peer_copy(s, to, from);
  return memory_traffic(to.allocation->gpu, 2 * static_cast<double>(to.bytes));
}

RuntimeError copy(Session& s, const Span& to, const Span& from, CUstream_st& stream) {
  if (to.bytes == 0) return kSuccess;
  if (!to.on_device() && !from.on_device()) return kInvalidValue;
  const auto move = [&s, to, from](const soft::Outcome& outcome) {
    s.cuda().memory.copy(to, from);
    if (outcome.flipped) soft::flip_bit(s, to, outcome.order);
    return kSuccess;
  };
  const std::uint64_t seq = soft::submit(s, stream, copy_op(s, to, from), move);
  if (to.allocation == nullptr || from.allocation == nullptr) {
    const Span& pageable = to.allocation == nullptr ? to : from;
    soft::count_misuse("an asynchronous copy of pageable memory", pageable.view);
    soft::await_op(s, stream, seq);
  }
  return soft::state_of_context(s, stream.gpu);
}

}  // namespace

RuntimeError cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, int kind,
                             Stream stream) {
  return runtime_call("cudaMemcpyAsync", Needs::context, Cost::call, [&](Session& s, int) {
    CUstream_st* found = soft::check_stream(s, stream);
    if (found == nullptr) return kInvalidResourceHandle;
    if (const auto error = soft::state_of_context(s, found->gpu)) return error;
    const Span target = s.cuda().memory.span(to, bytes);
    const Span source = s.cuda().memory.span(from, bytes);
    return fits(kind, target, source) ? copy(s, target, source, *found) : kInvalidValue;
  });
}

RuntimeError cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                                 std::size_t bytes, Stream stream) {
  return runtime_call("cudaMemcpyPeerAsync", Needs::context, Cost::call, [&](Session& s, int) {
    CUstream_st* found = soft::check_stream(s, stream);
    if (found == nullptr) return kInvalidResourceHandle;
    const int there = soft::gpu_of(s, to_device), here = soft::gpu_of(s, from_device);
    if (there == soft::kNoGpu || here == soft::kNoGpu) return kInvalidDevice;
    for (const int gpu : {found->gpu, here, there})
      if (const auto error = soft::state_of_context(s, gpu)) return error;
    const Span target = s.cuda().memory.span(to, bytes);
    const Span source = s.cuda().memory.span(from, bytes);
    if (!target.on_device() || !source.on_device() || target.allocation->gpu != there ||
        source.allocation->gpu != here)
      return kInvalidValue;
    return copy(s, target, source, *found);
  });
}

RuntimeError cudaMemsetAsync(void* to, int value, std::size_t bytes, Stream stream) {
  return runtime_call("cudaMemsetAsync", Needs::context, Cost::call, [&](Session& s, int) {
    CUstream_st* found = soft::check_stream(s, stream);
    if (found == nullptr) return kInvalidResourceHandle;
    if (const auto error = soft::state_of_context(s, found->gpu)) return error;
    const Span target = s.cuda().memory.span(to, bytes);
    if (target.allocation == nullptr) return kInvalidValue;
    if (bytes == 0) return kSuccess;
    const auto fill = [&s, target, value](const soft::Outcome&) {
      s.cuda().memory.fill(target, value);
      return kSuccess;
    };
    soft::submit(s, *found, memory_traffic(found->gpu, static_cast<double>(bytes)), fill);
    return kSuccess;
  });
}

}  // namespace linkburn::cuda
