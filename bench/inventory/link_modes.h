// Ethernet link modes: the kernel's bit numbers, the names that ethtool prints, speed and lanes.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace linkburn {

struct LinkMode {
  int bit = 0;
  std::string_view name;  ///< "100000baseCR4/Full"
  int speed_mbps = 0;
  int lanes = 1;
};

/// All link modes up to Linux 6.18; media, pause and FEC bits are no link modes.
std::span<const LinkMode> link_modes();

/// The names of the bits that are set. A newer kernel's bit becomes "bit130".
std::vector<std::string> mode_names(std::span<const std::uint32_t> words);

/// The fastest of these modes; nothing when none of them is known.
std::optional<double> fastest_gbps(const std::vector<std::string>& names);

}  // namespace linkburn
