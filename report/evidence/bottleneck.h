// What the kernel says of the slowest link of a path, in one line of its log.
#pragma once

#include <optional>
#include <string_view>

#include "bench/base/component.h"
#include "bench/base/units.h"

namespace linkburn {

/// "... limited by 8.0 GT/s PCIe x4 link at 0000:00:1b.4 (capable of 63.012 Gb/s with 16.0 GT/s
/// PCIe x4 link)" [linux drivers/pci/pci.c, __pcie_print_link_status]: the state of the link below
/// a port when the kernel looked, and the device's own ability. What the port can do is not said.
struct Bottleneck {
  ComponentId port;  ///< the upper end of the limiting link
  std::optional<LinkSpeed> speed, device_speed;
  std::optional<LinkWidth> width, device_width;
  bool all_ones = false;  ///< the device's registers read as all ones: its ability is not known
};

/// Nothing when the line is another one, or cut.
std::optional<Bottleneck> bottleneck_in(std::string_view text);

}  // namespace linkburn
