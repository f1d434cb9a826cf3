// One active run per node.
#pragma once

#include <string>
#include <vector>

#include "bench/base/fd.h"
#include "bench/base/result.h"

namespace linkburn {

/// Held from before the first load until the process ends, however it ends: the kernel drops a
/// flock with its last descriptor, and workers do not inherit it.
class NodeLock {
 public:
  /// Takes the lock or says who holds it. `command` is written into the file for the next caller.
  static Result<NodeLock> take(const std::string& command);

  /// The same with given lock files: tests, and containers that share another place.
  static Result<NodeLock> take(const std::string& command, const std::vector<std::string>& files);

  /// Every place that any user's run may use. All that can be opened are locked: on hosts where
  /// only root may write to the first, root and a user still meet at the second.
  static std::vector<std::string> places();

  /// Who holds it now, for doctor; empty when it is free.
  static std::string holder(const std::vector<std::string>& files);

 private:
  std::vector<Fd> files_;
};

}  // namespace linkburn
