// The entry points by which streams wait for and write a word of memory.
#include "bench/drill/model.h"
#include "kernels/soft/entry.h"
#include "kernels/soft/functions.h"
#include "kernels/soft/process.h"

namespace linkburn::cuda {
namespace {

using soft::Cost, soft::driver_call, soft::Needs, soft::Session, soft::Span;

using Work = std::function<int(Session&, CUstream_st&, const Span&, std::uint32_t*)>;

/// Work on a stream and an aligned word that a GPU can reach.
DriverResult on_word(const char* name, Stream handle, DevicePointer address, const Work& work) {
  return driver_call(name, Needs::context, Cost::call, [&](Session& s, int) {
    CUstream_st* stream = soft::check_stream(s, handle);
    if (stream == nullptr) return kInvalidResourceHandle;
    const auto* pointer =
        reinterpret_cast<const void*>(address);  // NOLINT(performance-no-int-to-ptr)
    if (address == 0 || address % 4 != 0) return kDriverInvalidValue;
    const Span span = s.cuda().memory.span(pointer, 4);
    if (span.allocation == nullptr) return kDriverInvalidValue;
    return work(s, *stream, span, reinterpret_cast<std::uint32_t*>(span.view));
  });
}

/// The model counts cells upwards, so waiting for exactly a value is a gate that we open.
int wait_for(Session& s, CUstream_st& stream, std::uint32_t* word, std::uint32_t value,
             unsigned flags) {
  if (flags == kWaitValueEqual) {
    const auto seq = soft::submit(s, stream, soft::make_op(drill::OpKind::gate, stream.gpu));
    soft::Gate gate{stream.number, seq};
    gate.word = word, gate.value = value;
    s.cuda().words.add(gate);
  } else {
    auto op = soft::make_op(drill::OpKind::wait_cell, stream.gpu);
    op.other = s.cuda().words.cell(s, word);
    op.other_seq = value;
    if (op.other < 0) return kOutOfMemory;
    soft::submit(s, stream, op);
  }
  s.cuda().words.look(s);
  return kSuccess;
}

}  // namespace

DriverResult cuStreamWaitValue32_v2(Stream stream, DevicePointer address, std::uint32_t value,
                                    unsigned flags) {
  if (flags != kWaitValueAtLeast && flags != kWaitValueEqual) return kNotSupported;
  return on_word("cuStreamWaitValue32_v2", stream, address,
                 [&](Session& s, CUstream_st& found, const Span&, std::uint32_t* word) {
                   return wait_for(s, found, word, value, flags);
                 });
}

DriverResult cuStreamWriteValue32_v2(Stream stream, DevicePointer address, std::uint32_t value,
                                     unsigned flags) {
  if (flags != kWriteValueDefault) return kNotSupported;
  return on_word("cuStreamWriteValue32_v2", stream, address,
                 [&](Session& s, CUstream_st& found, const Span& span, std::uint32_t* word) {
                   auto op = soft::make_op(drill::OpKind::write_cell, found.gpu);
                   op.other = s.cuda().words.cell(s, word);
                   op.other_seq = value;
                   if (op.other < 0) return kOutOfMemory;
                   soft::submit(s, found, op, [&s, span, word, value](const soft::Outcome&) {
                     s.cuda().memory.written(span);
                     *word = value;
                     return kSuccess;
                   });
                   return kSuccess;
                 });
}

// Exports memory to a NIC; there is none on this side of a drill that could take it.
DriverResult cuMemGetHandleForAddressRange(void*, DevicePointer, std::size_t, int,
                                           unsigned long long) {
  return driver_call("cuMemGetHandleForAddressRange", Needs::context, Cost::call,
                     [](Session&, int) { return kNotSupported; });
}

}  // namespace linkburn::cuda
