// Typed units at module borders, and the only conversions between them.
// 1 GB = 1e9 bytes, 1 Gb/s = 1e9 bits/s; GT/s counts transfers of one lane.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace linkburn {

/// PCIe link speed of one lane, in mega-transfers per second so that 2.5 GT/s is an integer.
struct LinkSpeed {
  int mts = 0;
  auto operator<=>(const LinkSpeed&) const = default;
  double gts() const { return mts / 1000.0; }
};

/// PCIe link width in lanes.
struct LinkWidth {
  int lanes = 0;
  auto operator<=>(const LinkWidth&) const = default;
};

/// A data rate; bytes per second inside, printed in GB/s or Gb/s.
struct Rate {
  double bytes_per_s = 0;
  auto operator<=>(const Rate&) const = default;
  double gb_per_s() const { return bytes_per_s / 1e9; }
  double gbit_per_s() const { return bytes_per_s * 8 / 1e9; }
};

/// Speeds of the PCIe base specification, generations 1 to 6.
inline constexpr int kPcieGenerations = 6;
std::optional<LinkSpeed> speed_of_generation(int generation);
std::optional<int> generation_of(LinkSpeed speed);

/// Link rate after line coding: 8b/10b at generations 1 and 2, 128b/130b at 3 to 5, 242/256 of a
/// FLIT at 6 [PCI Express Base Specification 6.0, section 4.2; linux drivers/pci/pci.h,
/// PCIE_SPEED2MBS_ENC counts generation 6 as 1:1].
Rate link_rate(LinkSpeed speed, LinkWidth width);

/// "8.0 GT/s PCIe", "8 GT/s" and the like; nothing for "Unknown" and any text without a leading
/// number [linux drivers/pci/pci-sysfs.c, current_link_speed_show].
std::optional<LinkSpeed> parse_link_speed(std::string_view text);

std::string to_string(LinkSpeed speed);                   // "16.0 GT/s"
std::string to_string(LinkWidth width);                   // "x16"
std::string to_string(LinkSpeed speed, LinkWidth width);  // "16.0 GT/s x16"
std::string to_string(Rate rate);                         // "31.5 GB/s"

}  // namespace linkburn
