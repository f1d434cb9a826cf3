// Why there is no link, in words. Internal to bench/ethtool.
#pragma once

#include <cstdint>
#include <string>

namespace linkburn {

/// "Autoneg, No partner detected"; substate 0: none was given.
std::string link_detail(std::uint8_t state, std::uint8_t substate);

}  // namespace linkburn
