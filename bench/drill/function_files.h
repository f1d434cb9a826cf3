// The files of one PCI function in a drill's tree.
#pragma once

#include <optional>
#include <string>

#include "bench/drill/config_bytes.h"
#include "bench/drill/tree_files.h"

namespace linkburn::drill {

class FunctionFiles {
 public:
  /// Writes what does not change: ids, place, driver, slot.
  FunctionFiles(TreeFiles& files, const State& state, int function);

  /// Writes what has changed since the last call.
  void show(TreeFiles& files, const State& state);

 private:
  int function_, below_;
  Buses buses_;
  int config_, speed_, width_, status_, power_state_;
  int correctable_, nonfatal_, fatal_;
  std::optional<ShownFunction> last_;
};

/// "sys/devices/pci0000:00/0000:00:01.0"
std::string folder_of(const State& state, int function);

}  // namespace linkburn::drill
