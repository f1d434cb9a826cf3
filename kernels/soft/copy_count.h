// How many copies were done and how many were found to be there already; for tests and figures.
#pragma once

#include <cstdint>

namespace linkburn::soft {

struct CopyCount {
  std::uint64_t done = 0, elided = 0;
};

}  // namespace linkburn::soft

extern "C" void linkburn_soft_copies(linkburn::soft::CopyCount* count);
