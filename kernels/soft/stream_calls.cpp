// The entry points of streams.
#include "bench/drill/model.h"
#include "kernels/soft/entry.h"
#include "kernels/soft/functions.h"
#include "kernels/soft/process.h"

namespace linkburn::cuda {
namespace {

using soft::Cost, soft::Needs, soft::runtime_call, soft::Session;

/// Work on a stream of ours whose context is whole.
RuntimeError on_stream(const char* name, Cost cost, Stream handle,
                       const std::function<RuntimeError(Session&, CUstream_st&)>& work) {
  return runtime_call(name, Needs::context, cost, [&](Session& s, int) {
    CUstream_st* stream = soft::check_stream(s, handle);
    if (stream == nullptr) return kInvalidResourceHandle;
    if (const auto error = soft::state_of_context(s, stream->gpu)) return error;
    return work(s, *stream);
  });
}

}  // namespace

RuntimeError cudaStreamCreateWithFlags(Stream* stream, unsigned flags) {
  if (flags != kStreamNonBlocking)
    soft::misuse("a stream that waits for the legacy default stream");
  return runtime_call("cudaStreamCreateWithFlags", Needs::context, Cost::call,
                      [&](Session& s, int gpu) {
                        if (stream == nullptr) return kInvalidValue;
                        const int number = drill::open_stream(s.state(), s.process(), gpu);
                        if (number < 0) return kOutOfMemory;
                        auto& made = s.cuda().streams.emplace_back(std::make_unique<CUstream_st>());
                        made->number = number, made->gpu = gpu;
                        *stream = made.get();
                        return kSuccess;
                      });
}

RuntimeError cudaStreamDestroy(Stream stream) {
  return on_stream("cudaStreamDestroy", Cost::call, stream, [](Session& s, CUstream_st& found) {
    found.destroyed = true;  // what is in it still runs
    soft::harvest(s);
    return kSuccess;
  });
}

RuntimeError cudaStreamSynchronize(Stream stream) {
  return on_stream("cudaStreamSynchronize", Cost::call, stream, [](Session& s, CUstream_st& found) {
    soft::await_stream(s, found);
    return soft::state_of_context(s, found.gpu);
  });
}

RuntimeError cudaStreamQuery(Stream stream) {
  return on_stream("cudaStreamQuery", Cost::query, stream, [](Session& s, CUstream_st& found) {
    return soft::is_done(s, found, found.last) ? kSuccess : kNotReady;
  });
}

RuntimeError cudaStreamWaitEvent(Stream stream, Event handle, unsigned flags) {
  return on_stream("cudaStreamWaitEvent", Cost::call, stream, [&](Session& s, CUstream_st& found) {
    const CUevent_st* event = soft::check_event(s, handle);
    if (event == nullptr) return kInvalidResourceHandle;
    if (flags != 0) return kInvalidValue;
    if (event->stream == nullptr || event->done || event->stream->number < 0) return kSuccess;
    auto op = soft::make_op(drill::OpKind::wait_op, found.gpu);
    op.other = event->stream->number;
    op.other_seq = event->seq;
    soft::submit(s, found, op);
    return kSuccess;
  });
}

}  // namespace linkburn::cuda
