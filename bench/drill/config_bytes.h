// The configuration space of a PCI function of a drill's node, as its `config` file holds it.
// [PCI Express Base Specification 6.0, section 7.5; offsets as in linux
// include/uapi/linux/pci_regs.h]
#pragma once

#include <string>

#include "bench/drill/shown_function.h"

namespace linkburn::drill {

/// Buses below a bridge, from its own secondary bus to the last one behind it.
struct Buses {
  std::uint8_t secondary = 0, last = 0;
};

Buses buses_below(const State& state, int bridge);

/// 4096 bytes. A function that does not answer reads as all ones.
std::string config_bytes(const Function& function, const ShownFunction& shown, Buses buses);

}  // namespace linkburn::drill
