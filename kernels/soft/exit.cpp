// What a process leaves on software GPUs when it exits is listed, if it exits by itself.
#include "kernels/soft/process.h"

namespace linkburn::soft {
namespace {

[[gnu::destructor]] void list_leaks() {
  const Session* session = Session::opened();
  if (session == nullptr) return;
  const Cuda& cuda = session->cuda();
  for (const auto& [begin, allocation] : cuda.memory.all())
    if (cuda.contexts[static_cast<std::size_t>(allocation.gpu)].broken == cuda::kSuccess)
      count_misuse("memory was never freed", allocation.pointer());
  for (const auto& stream : cuda.streams)
    if (!stream->destroyed) count_misuse("a stream was never destroyed", stream.get());
  for (const auto& [handle, event] : cuda.events)
    if (!event->destroyed) count_misuse("an event was never destroyed", handle);
}

}  // namespace
}  // namespace linkburn::soft
