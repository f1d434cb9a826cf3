// Rates of memory copy paths, from the lap windows in which all lanes of their step ran together.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "report/render/view.h"

namespace linkburn {

class MemoryRates {
 public:
  /// Takes the records in the order of the evidence; other kinds are ignored.
  void take(const Body& body);

  /// In the order of steps and paths; a path without a counted window is left out.
  std::vector<MemoryView> paths() const;

 private:
  std::map<std::pair<std::string, ComponentId>, std::vector<const LapWindow*>> windows_;
  std::map<std::string, const Step*> ends_;
};

}  // namespace linkburn
