// Misuse of the interface by the program, named and not forgiven.
#include <fmt/format.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "kernels/soft/session.h"

namespace linkburn::soft {
namespace {

std::atomic<unsigned> counted{0};

void name(const char* what, const void* pointer) {
  if (pointer == nullptr)
    fmt::print(stderr, "linkburn software GPU: misuse: {}\n", what);
  else
    fmt::print(stderr, "linkburn software GPU: misuse: {}: {}\n", what, pointer);
}

}  // namespace

void misuse(const char* what, const void* pointer) {
  name(what, pointer);
  std::abort();
}

void count_misuse(const char* what, const void* pointer) {
  ++counted;
  name(what, pointer);
}

}  // namespace linkburn::soft

/// How often this process misused the interface in a way that does not end it.
extern "C" unsigned linkburn_soft_misuse() { return linkburn::soft::counted; }
