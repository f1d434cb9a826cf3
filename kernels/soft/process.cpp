#include "kernels/soft/process.h"

extern "C" void linkburn_soft_copies(linkburn::soft::CopyCount* count) {
  *count = {};
  const auto* session = linkburn::soft::Session::opened();
  if (session != nullptr) *count = session->cuda().memory.count();
}
