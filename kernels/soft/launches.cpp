// Launches of kernels: paced by the model, computed by the CPU twin when the model has ended them.
#include <array>
#include <cstring>

#include "kernels/soft/flips.h"
#include "kernels/soft/modules.h"
#include "kernels/soft/process.h"
#include "kernels/twins.h"

namespace linkburn::soft {
namespace {

/// A launch as it was made: CUDA copies the arguments before cuLaunchKernel() returns.
struct Launch {
  const Twin* twin;
  LaunchSize size;
  std::vector<std::uint64_t> values;
  std::vector<Span> memory;  ///< of each argument: what it points into
  bool wild = false;         ///< a pointer leads nowhere

  std::vector<void*> arguments() {
    std::vector<void*> each;
    for (auto& value : values) each.push_back(&value);
    return each;
  }
};

/// From where a pointer leads to the end of its allocation, in the library's view.
void follow(Session& session, Launch& launch, std::size_t index) {
  std::uint64_t& value = launch.values[index];
  if (value == 0) return;                                      // a kernel may have no use for it
  const auto* pointer = reinterpret_cast<const void*>(value);  // NOLINT(performance-no-int-to-ptr)
  const Allocation* found = session.cuda().memory.find(pointer);
  if (found == nullptr || value >= found->begin + found->bytes) {
    launch.wild = true;
    return;
  }
  launch.memory[index] = session.cuda().memory.span(pointer, found->bytes - (value - found->begin));
  value = reinterpret_cast<std::uint64_t>(launch.memory[index].view);
}

Launch take(Session& session, const Twin& twin, LaunchSize size, void** parameters) {
  Launch launch{&twin, size, {}, {}};
  launch.values.resize(twin.arguments.size());
  launch.memory.resize(twin.arguments.size());
  for (std::size_t i = 0; i < twin.arguments.size(); ++i) {
    std::memcpy(&launch.values[i], parameters[i], twin.arguments[i].bytes);
    if (twin.arguments[i].device_pointer) follow(session, launch, i);
  }
  return launch;
}

/// The results of a burn are where its first pointer leads, a word of each thread.
Span results_of(const Launch& launch) {
  Span span = launch.memory.front();
  span.bytes = std::min(span.bytes, std::size_t{launch.size.blocks} * launch.size.threads * 4);
  return span;
}

cuda::RuntimeError compute(Session& session, Launch& launch, const Outcome& outcome) {
  if (launch.wild) return cuda::kIllegalAddress;
  for (const Span& span : launch.memory) session.cuda().memory.written(span);
  launch.twin->run(launch.size, launch.arguments().data(), Effort::stand_in);
  if (outcome.flipped && launch.memory.front().bytes > 0)
    flip_bit(session, results_of(launch), outcome.order);
  return cuda::kSuccess;
}

drill::Engine engine_of(Pace pace) {
  switch (pace) {
    case Pace::fp32_flop:
      return drill::Engine::fp32_flop;
    case Pace::tensor_flop:
      return drill::Engine::tensor_flop;
    default:
      return drill::Engine::memory_byte;
  }
}

drill::Op kernel_op(int gpu, Launch& launch) {
  auto op = make_op(drill::OpKind::kernel, gpu);
  op.unit = engine_of(launch.twin->pace);
  if (!launch.wild) op.work = launch.twin->work(launch.size, launch.arguments().data());
  return op;
}

}  // namespace

cuda::DriverResult launch(Session& session, const Twin& twin, cuda::CUstream_st& stream,
                          LaunchSize size, void** parameters) {
  auto made = std::make_shared<Launch>(take(session, twin, size, parameters));
  const bool waits = twin.pace == Pace::host_flag && !made->wild;
  const auto op = waits ? make_op(drill::OpKind::gate, stream.gpu) : kernel_op(stream.gpu, *made);
  const std::uint64_t seq = submit(session, stream, op, [&session, made](const Outcome& outcome) {
    return compute(session, *made, outcome);
  });
  if (waits) {
    Gate gate{stream.number, seq};
    gate.word = reinterpret_cast<const std::uint32_t*>(made->memory.front().view);
    gate.any_but = true;  // opens when the word is not 0
    gate.limit_ns = static_cast<std::int64_t>(made->values[1]);
    session.cuda().words.add(gate);
    session.cuda().words.look(session);
  }
  return state_of_context(session, stream.gpu);
}

}  // namespace linkburn::soft
