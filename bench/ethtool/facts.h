// The text of answers as it grows. Internal to bench/ethtool.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace linkburn {

class EthtoolFacts {
 public:
  void add(std::string_view key, std::string_view value);
  void add_number(std::string_view key, std::uint64_t value);
  /// Link modes by the bits that stand for them.
  void add_modes(std::string_view key, std::span<const std::uint32_t> words);
  void add_bytes(std::string_view key, std::span<const std::uint8_t> bytes);
  /// Why a question has no answer, from its errno.
  void add_error(std::string_view key, int error_number);
  /// Speed, duplex and autonegotiation as the kernel numbers them.
  void add_link(std::uint32_t speed_mbps, std::uint8_t duplex, std::uint8_t autonegotiation);

  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace linkburn
