// The node of a drill as the kernel would show it: a sysfs tree and a kernel log, written from the
// state. Files are changed in place (one pwrite of the whole text, same length of descriptor), so
// that kept descriptors see the change, and only when their content changes.
#pragma once

#include <memory>
#include <string>

#include "bench/base/result.h"
#include "bench/base/sysroot.h"
#include "bench/drill/state.h"

namespace linkburn::drill {

/// "linkburn/drill", which holds the name of the scenario.
inline constexpr const char* kTreeMarker = kDrillMarker;

class TreeWriter {
 public:
  /// Writes the whole tree below `folder`.
  static Result<std::unique_ptr<TreeWriter>> create(const State& state, const std::string& folder);
  ~TreeWriter();

  /// Writes what has changed since the last call, and new lines of the kernel log.
  Status update(const State& state);

 private:
  struct Impl;
  explicit TreeWriter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace linkburn::drill
