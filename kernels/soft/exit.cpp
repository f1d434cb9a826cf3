// What a process leaves on software GPUs when it exits is listed, if it exits by itself. Other
// threads may still be in a call then, and nobody may read what is said: neither holds up the end.
#include "kernels/soft/process.h"

namespace linkburn::soft {
namespace {

void list_leaks(const Cuda& cuda) {
  for (const auto& [begin, allocation] : cuda.memory.all())
    if (cuda.contexts[static_cast<std::size_t>(allocation.gpu)].broken == cuda::kSuccess)
      count_misuse("memory was never freed", allocation.pointer());
  for (const auto& stream : cuda.streams)
    if (!stream->destroyed) count_misuse("a stream was never destroyed", stream.get());
  for (const auto& [handle, event] : cuda.events)
    if (!event->destroyed) count_misuse("an event was never destroyed", handle);
}

[[gnu::destructor]] void at_exit() {
  Session* session = Session::opened();
  if (session != nullptr) session->at_exit([&] { list_leaks(session->cuda()); });
}

}  // namespace
}  // namespace linkburn::soft
