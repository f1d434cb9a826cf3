// Holds back a stream, so that what is queued behind starts at once and together with others.
#pragma once

#include "kernels/device.h"

namespace linkburn::device {

// Waits until the host has written to `flag`, which is mapped host memory. One thread.
LINKBURN_KERNEL void gate(const volatile std::uint32_t* flag, std::uint64_t limit_ns,
                          std::uint32_t* outcome) {
  const Deadline deadline(limit_ns);
  while (*flag == 0)
    if (deadline.passed()) {
      *outcome = kGateTimedOut;
      return;
    }
  *outcome = kGateOpened;
}

}  // namespace linkburn::device
