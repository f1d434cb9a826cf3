// `linkburn doctor`: what can be tested on this machine, what cannot, and what to do about each.
#pragma once

#include <string>
#include <vector>

#include "bench/session.h"

namespace linkburn {

struct DoctorLine {
  std::string what;    ///< "PCIe links"
  std::string state;   ///< "ok", "limited", "missing", "none"
  std::string detail;  ///< what was found
  std::string effect;  ///< what cannot be told because of it; empty when ok
  std::string fix;     ///< what to do; empty when nothing can or must be done
};

/// Prints the lines. Exit 0 when something can be judged here, 3 when not.
int doctor_command(const Session& session);

}  // namespace linkburn
