// The kernel log of a drill: records of /dev/kmsg, one after the other in a regular file
// [linux Documentation/ABI/testing/dev-kmsg]. It lies where captures of nodes have theirs;
// dev/kmsg leads to it.
#pragma once

#include "bench/drill/state.h"
#include "bench/drill/tree_files.h"

namespace linkburn::drill {

/// One record with its dictionary. The number of the first line of a world is 0.
std::string kmsg_record(const LogLine& line, std::uint64_t number);

class KernelLogFile {
 public:
  KernelLogFile(TreeFiles& files, const State& state);

  /// Appends the lines that are new; those that the ring has lost are missing by their number.
  void show(TreeFiles& files, const State& state);

 private:
  int file_;
  std::uint64_t written_ = 0;
};

}  // namespace linkburn::drill
