// The memory of a cable or transceiver: SFF-8472 (SFP), SFF-8636 (QSFP), CMIS (QSFP-DD, OSFP).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "report/evidence/network.h"

namespace linkburn {

/// What could be read; an empty part is unknown.
struct ModuleMemory {
  std::vector<std::uint8_t> lower;        ///< bytes 0 to 127
  std::vector<std::uint8_t> page0;        ///< bytes 128 to 255 of page 0
  std::vector<std::uint8_t> page2;        ///< the same of page 2: thresholds of CMIS
  std::vector<std::uint8_t> page3;        ///< the same of page 3: thresholds of SFF-8636
  std::vector<std::uint8_t> diagnostics;  ///< of an SFP: address 0x51
};

/// How a module's memory is laid out, as told by its first byte.
enum class ModuleLayout { unknown, sff8472, sff8636, cmis };
ModuleLayout layout_of(std::uint8_t identifier);

/// Pairs of hexadecimal digits; nothing on any other text.
std::vector<std::uint8_t> bytes_of_hex(std::string_view text);

/// Nothing for kinds that are not known. A part that is too short leaves its fields unknown.
std::optional<Module> decode_module(const ModuleMemory& memory);

}  // namespace linkburn
