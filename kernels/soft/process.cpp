#include "kernels/soft/process.h"

extern "C" linkburn::soft::CopyCount linkburn_soft_copies() {
  const auto* session = linkburn::soft::Session::opened();
  return session == nullptr ? linkburn::soft::CopyCount{} : session->cuda().memory.count();
}
