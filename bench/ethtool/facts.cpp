#include "bench/ethtool/facts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <linux/ethtool.h>

#include <cerrno>
#include <cstring>

#include "bench/inventory/link_modes.h"

namespace linkburn {
namespace {

std::string reason(int error_number) {
  if (error_number == EPERM || error_number == EACCES) return "needs root";
  if (error_number == EOPNOTSUPP) return "the driver does not tell";
  const char* words = ::strerrordesc_np(error_number);
  return words != nullptr ? words : fmt::format("error {}", error_number);
}

}  // namespace

void EthtoolFacts::add(std::string_view key, std::string_view value) {
  text_ += fmt::format("{} = {}\n", key, value);
}

void EthtoolFacts::add_number(std::string_view key, std::uint64_t value) {
  add(key, std::to_string(value));
}

void EthtoolFacts::add_modes(std::string_view key, std::span<const std::uint32_t> words) {
  add(key, fmt::format("{}", fmt::join(mode_names(words), " ")));
}

void EthtoolFacts::add_bytes(std::string_view key, std::span<const std::uint8_t> bytes) {
  if (!bytes.empty()) add(key, fmt::format("{:02x}", fmt::join(bytes, "")));
}

void EthtoolFacts::add_error(std::string_view key, int error_number) {
  add(key, reason(error_number));
}

void EthtoolFacts::add_link(std::uint32_t speed_mbps, std::uint8_t duplex,
                            std::uint8_t autonegotiation) {
  if (speed_mbps != static_cast<std::uint32_t>(SPEED_UNKNOWN) && speed_mbps != 0)
    add_number("speed_mbps", speed_mbps);
  if (duplex == DUPLEX_FULL || duplex == DUPLEX_HALF)
    add("duplex", duplex == DUPLEX_FULL ? "full" : "half");
  if (autonegotiation == AUTONEG_ENABLE || autonegotiation == AUTONEG_DISABLE)
    add("autonegotiation", autonegotiation == AUTONEG_ENABLE ? "on" : "off");
}

}  // namespace linkburn
