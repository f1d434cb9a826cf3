#include "bench/inventory/link_modes.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace linkburn {
namespace {

// Bits and names [linux include/uapi/linux/ethtool.h, enum ethtool_link_mode_bit_indices; ethtool
// netlink/settings.c]; lanes [linux net/ethtool/common.c, link_mode_params].
constexpr LinkMode kModes[] = {
    {0, "10baseT/Half", 10, 1},
    {1, "10baseT/Full", 10, 1},
    {2, "100baseT/Half", 100, 1},
    {3, "100baseT/Full", 100, 1},
    {4, "1000baseT/Half", 1000, 1},
    {5, "1000baseT/Full", 1000, 1},
    {12, "10000baseT/Full", 10000, 1},
    {15, "2500baseX/Full", 2500, 1},
    {17, "1000baseKX/Full", 1000, 1},
    {18, "10000baseKX4/Full", 10000, 4},
    {19, "10000baseKR/Full", 10000, 1},
    {21, "20000baseMLD2/Full", 20000, 2},
    {22, "20000baseKR2/Full", 20000, 2},
    {23, "40000baseKR4/Full", 40000, 4},
    {24, "40000baseCR4/Full", 40000, 4},
    {25, "40000baseSR4/Full", 40000, 4},
    {26, "40000baseLR4/Full", 40000, 4},
    {27, "56000baseKR4/Full", 56000, 4},
    {28, "56000baseCR4/Full", 56000, 4},
    {29, "56000baseSR4/Full", 56000, 4},
    {30, "56000baseLR4/Full", 56000, 4},
    {31, "25000baseCR/Full", 25000, 1},
    {32, "25000baseKR/Full", 25000, 1},
    {33, "25000baseSR/Full", 25000, 1},
    {34, "50000baseCR2/Full", 50000, 2},
    {35, "50000baseKR2/Full", 50000, 2},
    {36, "100000baseKR4/Full", 100000, 4},
    {37, "100000baseSR4/Full", 100000, 4},
    {38, "100000baseCR4/Full", 100000, 4},
    {39, "100000baseLR4_ER4/Full", 100000, 4},
    {40, "50000baseSR2/Full", 50000, 2},
    {41, "1000baseX/Full", 1000, 1},
    {42, "10000baseCR/Full", 10000, 1},
    {43, "10000baseSR/Full", 10000, 1},
    {44, "10000baseLR/Full", 10000, 1},
    {45, "10000baseLRM/Full", 10000, 1},
    {46, "10000baseER/Full", 10000, 1},
    {47, "2500baseT/Full", 2500, 1},
    {48, "5000baseT/Full", 5000, 1},
    {52, "50000baseKR/Full", 50000, 1},
    {53, "50000baseSR/Full", 50000, 1},
    {54, "50000baseCR/Full", 50000, 1},
    {55, "50000baseLR_ER_FR/Full", 50000, 1},
    {56, "50000baseDR/Full", 50000, 1},
    {57, "100000baseKR2/Full", 100000, 2},
    {58, "100000baseSR2/Full", 100000, 2},
    {59, "100000baseCR2/Full", 100000, 2},
    {60, "100000baseLR2_ER2_FR2/Full", 100000, 2},
    {61, "100000baseDR2/Full", 100000, 2},
    {62, "200000baseKR4/Full", 200000, 4},
    {63, "200000baseSR4/Full", 200000, 4},
    {64, "200000baseLR4_ER4_FR4/Full", 200000, 4},
    {65, "200000baseDR4/Full", 200000, 4},
    {66, "200000baseCR4/Full", 200000, 4},
    {67, "100baseT1/Full", 100, 1},
    {68, "1000baseT1/Full", 1000, 1},
    {69, "400000baseKR8/Full", 400000, 8},
    {70, "400000baseSR8/Full", 400000, 8},
    {71, "400000baseLR8_ER8_FR8/Full", 400000, 8},
    {72, "400000baseDR8/Full", 400000, 8},
    {73, "400000baseCR8/Full", 400000, 8},
    {75, "100000baseKR/Full", 100000, 1},
    {76, "100000baseSR/Full", 100000, 1},
    {77, "100000baseLR_ER_FR/Full", 100000, 1},
    {78, "100000baseCR/Full", 100000, 1},
    {79, "100000baseDR/Full", 100000, 1},
    {80, "200000baseKR2/Full", 200000, 2},
    {81, "200000baseSR2/Full", 200000, 2},
    {82, "200000baseLR2_ER2_FR2/Full", 200000, 2},
    {83, "200000baseDR2/Full", 200000, 2},
    {84, "200000baseCR2/Full", 200000, 2},
    {85, "400000baseKR4/Full", 400000, 4},
    {86, "400000baseSR4/Full", 400000, 4},
    {87, "400000baseLR4_ER4_FR4/Full", 400000, 4},
    {88, "400000baseDR4/Full", 400000, 4},
    {89, "400000baseCR4/Full", 400000, 4},
    {90, "100baseFX/Half", 100, 1},
    {91, "100baseFX/Full", 100, 1},
    {92, "10baseT1L/Full", 10, 1},
    {93, "800000baseCR8/Full", 800000, 8},
    {94, "800000baseKR8/Full", 800000, 8},
    {95, "800000baseDR8/Full", 800000, 8},
    {96, "800000baseDR8_2/Full", 800000, 8},
    {97, "800000baseSR8/Full", 800000, 8},
    {98, "800000baseVR8/Full", 800000, 8},
    {99, "10baseT1S/Full", 10, 1},
    {100, "10baseT1S/Half", 10, 1},
    {101, "10baseT1S_P2MP/Half", 10, 1},
    {102, "10baseT1BRR/Full", 10, 1},
    {103, "200000baseCR/Full", 200000, 1},
    {104, "200000baseKR/Full", 200000, 1},
    {105, "200000baseDR/Full", 200000, 1},
    {106, "200000baseDR_2/Full", 200000, 1},
    {107, "200000baseSR/Full", 200000, 1},
    {108, "200000baseVR/Full", 200000, 1},
    {109, "400000baseCR2/Full", 400000, 2},
    {110, "400000baseKR2/Full", 400000, 2},
    {111, "400000baseDR2/Full", 400000, 2},
    {112, "400000baseDR2_2/Full", 400000, 2},
    {113, "400000baseSR2/Full", 400000, 2},
    {114, "400000baseVR2/Full", 400000, 2},
    {115, "800000baseCR4/Full", 800000, 4},
    {116, "800000baseKR4/Full", 800000, 4},
    {117, "800000baseDR4/Full", 800000, 4},
    {118, "800000baseDR4_2/Full", 800000, 4},
    {119, "800000baseSR4/Full", 800000, 4},
    {120, "800000baseVR4/Full", 800000, 4},
    {121, "1600000baseCR8/Full", 1600000, 8},
    {122, "1600000baseKR8/Full", 1600000, 8},
    {123, "1600000baseDR8/Full", 1600000, 8},
    {124, "1600000baseDR8_2/Full", 1600000, 8},
};

// Bits of the same set that are no link modes: autonegotiation, media, pause and FEC.
constexpr std::array kOtherBits{6, 7, 8, 9, 10, 11, 13, 14, 16, 20, 49, 50, 51, 74};

const LinkMode* mode_of_bit(int bit) {
  const auto found = std::lower_bound(std::begin(kModes), std::end(kModes), bit,
                                      [](const LinkMode& m, int wanted) { return m.bit < wanted; });
  return found != std::end(kModes) && found->bit == bit ? &*found : nullptr;
}

}  // namespace

std::span<const LinkMode> link_modes() { return kModes; }

std::vector<std::string> mode_names(std::span<const std::uint32_t> words) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < words.size() * 32; ++i) {
    const int bit = static_cast<int>(i);
    if ((words[i / 32] >> (i % 32) & 1U) == 0 ||
        std::find(kOtherBits.begin(), kOtherBits.end(), bit) != kOtherBits.end())
      continue;
    const LinkMode* mode = mode_of_bit(bit);
    names.push_back(mode != nullptr ? std::string(mode->name) : fmt::format("bit{}", bit));
  }
  return names;
}

std::optional<double> fastest_gbps(const std::vector<std::string>& names) {
  int fastest = 0;
  for (const std::string& name : names)
    for (const LinkMode& mode : kModes)
      if (mode.name == name) fastest = std::max(fastest, mode.speed_mbps);
  return fastest > 0 ? std::optional(fastest / 1000.0) : std::nullopt;
}

}  // namespace linkburn
