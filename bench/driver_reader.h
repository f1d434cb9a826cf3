// Reads files that enter drivers through a worker, so that a file that never returns costs one
// worker and not the run.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/base/clock.h"
#include "bench/inventory/inventory.h"
#include "bench/worker/supervisor.h"

namespace linkburn {

class DriverReader {
 public:
  /// No file is waited for longer than this; after two that hang no further one is tried.
  static constexpr Duration kPatience = std::chrono::seconds(6);

  DriverReader(const Clock& clock, std::vector<std::string> worker_command, int wake_fd);

  /// One file below the live root. Blocks for kPatience at most.
  Result<std::string> read(const std::string& path);

  /// Reads many files in one go; each answer is kept for one read().
  void fetch(const std::vector<std::string>& paths);

  /// read() as a function, for discover().
  DriverFiles files();

  /// Lets the worker go.
  void close();

 private:
  Status ensure_worker();
  void take(const Record& record);
  void fetch_batch(std::vector<std::string> paths);
  bool all_answered();
  Error why_unanswered();

  const Clock& clock_;
  Supervisor supervisor_;
  std::optional<int> worker_;
  std::vector<std::string> batch_;  ///< asked for in one message
  std::size_t answered_ = 0;        ///< of them; the worker answers in their order
  std::map<std::string, Result<std::string>> answers_;
  int hangs_ = 0;
};

}  // namespace linkburn
