// What a PCI function of a drill's node shows of itself and of its link, now: the part of the state
// that its registers and files are made of.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "bench/base/component.h"
#include "bench/drill/state.h"

namespace linkburn::drill {

/// What one end has counted; see Errors.
struct ShownErrors {
  std::array<std::uint64_t, 16> correctable{};
  std::uint64_t nonfatal = 0, fatal = 0;
  std::uint32_t correctable_status = 0, uncorrectable_status = 0;
  bool operator==(const ShownErrors&) const = default;
};

struct ShownFunction {
  bool all_ones = false;  ///< it does not answer, or something above it does not
  bool suspended = false;
  /// The link above a device or below a port. Of a port with nothing below: the reset values.
  std::uint8_t gen = 0, width = 0, target_gen = 0;
  bool training = false, bandwidth_changed = false;  ///< of the upper end alone
  bool card_present = false, link_active = false;    ///< of the upper end alone
  ShownErrors errors;
  bool operator==(const ShownFunction&) const = default;
};

/// `below` is first_below() of a port, which does not change while a world lives.
ShownFunction show_function(const State& state, int function, int below);

PciAddress address_of(const Function& function);

/// Its folder below sys/devices: "pci0000:00/0000:00:01.0/0000:17:00.0".
std::string place_of(const State& state, int function);

/// Whether a link ends at it from above: a root port or a port of a switch that leads down.
bool leads_down(const Function& function);

/// Whether it has a link of its own: all but integrated ones.
bool has_link(const Function& function);

/// The first function on the bus below a port; -1: nothing is there.
int first_below(const State& state, int port);

/// Not there for whoever asks: fallen off the bus, or below something that has.
bool is_out_of_reach(const State& state, int function);

}  // namespace linkburn::drill
