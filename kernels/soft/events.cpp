#include "kernels/soft/events.h"

#include "kernels/soft/entry.h"
#include "kernels/soft/functions.h"
#include "kernels/soft/process.h"

namespace linkburn::soft {

cuda::CUevent_st* check_event(Session& session, cuda::Event event) {
  const auto known = session.cuda().events.find(event);
  if (known == session.cuda().events.end()) return nullptr;
  if (known->second->destroyed) misuse("use of an event that was destroyed", event);
  return known->second.get();
}

}  // namespace linkburn::soft

namespace linkburn::cuda {
namespace {

using soft::Cost, soft::Needs, soft::runtime_call, soft::Session;

RuntimeError on_event(const char* name, Cost cost, Event handle,
                      const std::function<RuntimeError(Session&, CUevent_st&)>& work) {
  return runtime_call(name, Needs::context, cost, [&](Session& s, int) {
    CUevent_st* event = soft::check_event(s, handle);
    if (event == nullptr) return kInvalidResourceHandle;
    if (const auto error = soft::state_of_context(s, event->gpu)) return error;
    return work(s, *event);
  });
}

RuntimeError record(Session& s, CUevent_st& event, Stream handle) {
  CUstream_st* stream = soft::check_stream(s, handle);
  if (stream == nullptr || stream->gpu != event.gpu) return kInvalidResourceHandle;
  event.stream = stream;
  event.done = false;
  event.seq = 0;  // an earlier record that ends while this one waits for room is not this one
  CUevent_st* kept = &event;
  const std::uint64_t order = ++event.records;
  const auto note_end = [kept, order](const soft::Outcome& outcome) {
    if (kept->records == order) kept->done = true, kept->end_ns = outcome.end_ns;
    return kSuccess;
  };
  event.seq =
      soft::submit(s, *stream, soft::make_op(drill::OpKind::record_event, stream->gpu), note_end);
  return kSuccess;
}

RuntimeError elapsed(const CUevent_st& start, const CUevent_st& end, float* ms) {
  if (!start.timed || !end.timed || start.gpu != end.gpu) return kInvalidResourceHandle;
  if (start.stream == nullptr || end.stream == nullptr) return kInvalidResourceHandle;
  if (!start.done || !end.done) return kNotReady;
  *ms = static_cast<float>(static_cast<double>(end.end_ns - start.end_ns) / 1e6);
  return kSuccess;
}

}  // namespace

RuntimeError cudaEventCreateWithFlags(Event* event, unsigned flags) {
  if ((flags & ~(kEventBlockingSync | kEventDisableTiming)) != 0) return kInvalidValue;
  return runtime_call("cudaEventCreateWithFlags", Needs::context, Cost::call,
                      [&](Session& s, int gpu) {
                        if (event == nullptr) return kInvalidValue;
                        auto made = std::make_unique<CUevent_st>();
                        made->gpu = gpu;
                        made->timed = (flags & kEventDisableTiming) == 0;
                        *event = made.get();
                        s.cuda().events[*event] = std::move(made);
                        return kSuccess;
                      });
}

RuntimeError cudaEventRecord(Event event, Stream stream) {
  return on_event("cudaEventRecord", Cost::call, event,
                  [&](Session& s, CUevent_st& found) { return record(s, found, stream); });
}

// An event that was never recorded has nothing to wait for [CUDA Runtime API, cudaEventQuery].
RuntimeError cudaEventQuery(Event event) {
  return on_event("cudaEventQuery", Cost::query, event, [](Session&, CUevent_st& found) {
    return found.stream == nullptr || found.done ? kSuccess : kNotReady;
  });
}

RuntimeError cudaEventSynchronize(Event event) {
  return on_event("cudaEventSynchronize", Cost::call, event, [](Session& s, CUevent_st& found) {
    if (found.stream != nullptr && !found.done) soft::await_op(s, *found.stream, found.seq);
    return soft::state_of_context(s, found.gpu);
  });
}

RuntimeError cudaEventElapsedTime(float* ms, Event start, Event end) {
  return on_event("cudaEventElapsedTime", Cost::call, start, [&](Session& s, CUevent_st& first) {
    const CUevent_st* last = soft::check_event(s, end);
    return last == nullptr ? kInvalidResourceHandle : elapsed(first, *last, ms);
  });
}

RuntimeError cudaEventDestroy(Event event) {
  return on_event("cudaEventDestroy", Cost::call, event, [](Session&, CUevent_st& found) {
    found.destroyed = true;
    return kSuccess;
  });
}

}  // namespace linkburn::cuda
