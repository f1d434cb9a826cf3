// Config space printed as bytes: `lspci -x`, and `xxd` or `hexdump -C` of a config file. Internal
// to the lspci reader.
#pragma once

#include <array>
#include <bitset>
#include <optional>
#include <string>
#include <string_view>

#include "bench/inventory/inventory.h"

namespace linkburn::lspci {

struct HexLine {
  std::size_t offset = 0, size = 0;
  std::array<unsigned char, 16> bytes{};
  bool whole = false;    ///< 16 bytes, and nothing that is none
  bool of_file = false;  ///< as xxd and hexdump print it, with eight digits of offset
};

/// "10: 0c 00 00 fa ...", as far as it can be read; nothing for another line.
std::optional<HexLine> parse_hex_line(std::string_view text);

/// True when a dump of config space begins with this line: the first of lspci's, or the header of a
/// PCI function with a list of capabilities.
bool begins_dump(const HexLine& line);

/// The bytes of one function, with holes where lines are missing.
class HexDump {
 public:
  static constexpr std::size_t kMaxBytes = 4096;

  void put(const HexLine& line);
  /// The `*` of hexdump: the line before it, again and again.
  void repeat() { repeating_ = true; }
  bool has(std::size_t offset) const { return offset < kMaxBytes && there_[offset]; }
  bool of_file() const { return of_file_; }

  /// What the bytes say, into the ids, class and link of a function whose address and name may be
  /// known. False when they say nothing.
  bool fill(PciFunction& function) const;

 private:
  std::string part(std::size_t offset, std::size_t size) const;
  bool is_virtual_function() const;

  std::string bytes_;
  std::bitset<kMaxBytes> there_;
  std::size_t end_ = 0;  ///< of the latest line
  std::array<unsigned char, 16> latest_{};
  bool repeating_ = false, of_file_ = false;
};

}  // namespace linkburn::lspci
