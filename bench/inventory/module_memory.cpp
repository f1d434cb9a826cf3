#include "bench/inventory/module_memory.h"

#include <algorithm>
#include <array>
#include <string>

#include "bench/base/ascii.h"
#include "bench/base/text.h"

namespace linkburn {
namespace {

using Bytes = std::vector<std::uint8_t>;

struct Identifier {
  std::uint8_t code;
  std::string_view name;
  ModuleLayout layout;
};

// [SFF-8024, identifier values]
constexpr std::array kIdentifiers{
    Identifier{0x03, "SFP", ModuleLayout::sff8472},
    Identifier{0x0b, "DWDM-SFP", ModuleLayout::sff8472},
    Identifier{0x0c, "QSFP", ModuleLayout::sff8636},
    Identifier{0x0d, "QSFP+", ModuleLayout::sff8636},
    Identifier{0x11, "QSFP28", ModuleLayout::sff8636},
    Identifier{0x18, "QSFP-DD", ModuleLayout::cmis},
    Identifier{0x19, "OSFP", ModuleLayout::cmis},
    Identifier{0x1b, "DSFP", ModuleLayout::cmis},
    Identifier{0x1e, "QSFP with CMIS", ModuleLayout::cmis},
    Identifier{0x1f, "SFP-DD", ModuleLayout::cmis},
};

/// A range of codes of one rate.
struct CodeRate {
  std::uint8_t first, last;
  int gbps;
};

// Of a QSFP; codes that say one lane in one form and four in the other count as four
// [SFF-8024, extended specification compliance codes; ethtool qsfp.h].
constexpr std::array kExtendedCompliance{
    CodeRate{0x01, 0x09, 100}, CodeRate{0x0b, 0x0b, 100}, CodeRate{0x10, 0x12, 40},
    CodeRate{0x17, 0x1b, 100}, CodeRate{0x1f, 0x1f, 40},  CodeRate{0x20, 0x27, 100},
    CodeRate{0x30, 0x33, 200}, CodeRate{0x40, 0x44, 200}, CodeRate{0x46, 0x46, 200},
};

// [SFF-8024, host electrical interface codes]
constexpr std::array kHostInterfaces{
    CodeRate{0x03, 0x04, 10},  CodeRate{0x05, 0x05, 25},   CodeRate{0x06, 0x07, 40},
    CodeRate{0x08, 0x0a, 50},  CodeRate{0x0b, 0x0d, 100},  CodeRate{0x0e, 0x0f, 200},
    CodeRate{0x10, 0x11, 400}, CodeRate{0x13, 0x13, 10},   CodeRate{0x14, 0x16, 25},
    CodeRate{0x17, 0x17, 40},  CodeRate{0x18, 0x18, 50},   CodeRate{0x19, 0x1b, 100},
    CodeRate{0x1c, 0x1c, 200}, CodeRate{0x1d, 0x1d, 400},  CodeRate{0x1e, 0x1e, 200},
    CodeRate{0x1f, 0x1f, 400}, CodeRate{0x41, 0x42, 100},  CodeRate{0x43, 0x45, 50},
    CodeRate{0x46, 0x46, 100}, CodeRate{0x47, 0x47, 200},  CodeRate{0x48, 0x48, 400},
    CodeRate{0x49, 0x49, 800}, CodeRate{0x4b, 0x4c, 100},  CodeRate{0x4d, 0x4e, 200},
    CodeRate{0x4f, 0x50, 400}, CodeRate{0x51, 0x52, 800},  CodeRate{0x55, 0x56, 1600},
    CodeRate{0x57, 0x57, 800}, CodeRate{0x58, 0x58, 1600}, CodeRate{0x80, 0x80, 200},
    CodeRate{0x81, 0x81, 400}, CodeRate{0x82, 0x82, 800},  CodeRate{0x83, 0x83, 1600},
};

// InfiniBand codes of the same list name the rate of a lane: EDR, HDR, NDR.
constexpr std::array kLaneInterfaces{CodeRate{0x30, 0x30, 25}, CodeRate{0x31, 0x31, 50},
                                     CodeRate{0x32, 0x32, 100}};

template <std::size_t N>
std::optional<int> rate_of(const std::array<CodeRate, N>& rates, std::uint8_t code) {
  for (const CodeRate& rate : rates)
    if (code >= rate.first && code <= rate.last) return rate.gbps;
  return std::nullopt;
}

const Identifier* identifier_of(std::uint8_t code) {
  for (const Identifier& known : kIdentifiers)
    if (known.code == code) return &known;
  return nullptr;
}

std::string ascii(const Bytes& bytes, std::size_t first, std::size_t length) {
  if (bytes.size() < first + length) return {};
  const auto at = bytes.begin() + static_cast<std::ptrdiff_t>(first);
  const std::string text(at, at + static_cast<std::ptrdiff_t>(length));
  return printable(trim(text));
}

/// Signed, in 1/256 degrees. A cable without a sensor reads 0.
std::optional<double> temperature(const Bytes& bytes, std::size_t at) {
  if (bytes.size() < at + 2) return std::nullopt;
  const auto raw = static_cast<std::int16_t>(bytes[at] << 8 | bytes[at + 1]);
  return raw != 0 ? std::optional(raw / 256.0) : std::nullopt;
}

/// Units of 100 Mb/s, or when that is not enough (0xff) the second one in units of 250 Mb/s.
std::optional<double> nominal_gbps(std::uint8_t hundreds, std::uint8_t quarters) {
  if (hundreds == 0xff && quarters != 0) return quarters * 0.25;
  return hundreds != 0 && hundreds != 0xff ? std::optional(hundreds * 0.1) : std::nullopt;
}

/// [SFF-8472: vendor 20, part 40, serial 68, nominal rate 12 and 66, diagnostics 92; second
/// address: temperature 96, high alarm 0]
void decode_sff8472(const ModuleMemory& memory, Module& module) {
  const Bytes& lower = memory.lower;
  module.vendor = ascii(lower, 20, 16);
  module.part_number = ascii(lower, 40, 16);
  module.serial = ascii(lower, 68, 16);
  if (lower.size() <= 92) return;
  module.rate_gbps = nominal_gbps(lower[12], lower[66]);
  const bool measured = (lower[92] & 0x40U) != 0;
  const bool calibrated_by_the_reader = (lower[92] & 0x10U) != 0;
  if (!measured || calibrated_by_the_reader) return;
  module.temperature_c = temperature(memory.diagnostics, 96);
  module.temperature_high_alarm_c = temperature(memory.diagnostics, 0);
}

/// Four lanes. With PAM4 (encoding 8) makers differ in whether the nominal rate counts symbols or
/// bits, so it says nothing then.
std::optional<double> rate_of_sff8636(const Bytes& page0) {
  if (page0.size() < 128) return std::nullopt;
  const auto at = [&](std::size_t byte) { return page0[byte - 128]; };
  if (const auto rate = rate_of(kExtendedCompliance, at(192))) return *rate;
  if (at(139) == 8) return std::nullopt;
  if (const auto lane = nominal_gbps(at(140), at(222))) return 4 * *lane;
  if ((at(131) & 0x0fU) != 0) return 40;  // 40GBASE-CR4, -SR4, -LR4 or active cable
  return std::nullopt;
}

/// [SFF-8636: vendor 148, part 168, serial 196; temperature 22; page 3: high alarm 128]
void decode_sff8636(const ModuleMemory& memory, Module& module) {
  module.vendor = ascii(memory.page0, 148 - 128, 16);
  module.part_number = ascii(memory.page0, 168 - 128, 16);
  module.serial = ascii(memory.page0, 196 - 128, 16);
  module.rate_gbps = rate_of_sff8636(memory.page0);
  module.temperature_c = temperature(memory.lower, 22);
  module.temperature_high_alarm_c = temperature(memory.page3, 0);
}

/// The fastest of up to eight applications of four bytes from byte 86 on; the upper half of the
/// third byte is the number of host lanes, and 0xff ends the list [CMIS 5.0, section 8.2.11].
std::optional<double> rate_of_cmis(const Bytes& lower) {
  std::optional<double> fastest;
  for (std::size_t at = 86; at + 4 <= std::min<std::size_t>(lower.size(), 118); at += 4) {
    if (lower[at] == 0xff) break;
    std::optional<int> rate = rate_of(kHostInterfaces, lower[at]);
    if (const auto lane = rate_of(kLaneInterfaces, lower[at])) rate = *lane * (lower[at + 2] >> 4);
    if (rate && *rate > fastest.value_or(0)) fastest = *rate;
  }
  return fastest;
}

/// [CMIS 5.0: vendor 129, part 148, serial 166; temperature 14; page 2: high alarm 128]
void decode_cmis(const ModuleMemory& memory, Module& module) {
  module.vendor = ascii(memory.page0, 129 - 128, 16);
  module.part_number = ascii(memory.page0, 148 - 128, 16);
  module.serial = ascii(memory.page0, 166 - 128, 16);
  module.rate_gbps = rate_of_cmis(memory.lower);
  module.temperature_c = temperature(memory.lower, 14);
  module.temperature_high_alarm_c = temperature(memory.page2, 0);
}

}  // namespace

ModuleLayout layout_of(std::uint8_t identifier) {
  const Identifier* known = identifier_of(identifier);
  return known != nullptr ? known->layout : ModuleLayout::unknown;
}

std::vector<std::uint8_t> bytes_of_hex(std::string_view text) {
  Bytes bytes;
  if (text.size() % 2 != 0) return bytes;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const int high = hex_value(text[i]);
    const int low = hex_value(text[i + 1]);
    if (high < 0 || low < 0) return {};
    bytes.push_back(static_cast<std::uint8_t>(high << 4 | low));
  }
  return bytes;
}

std::optional<Module> decode_module(const ModuleMemory& memory) {
  if (memory.lower.empty()) return std::nullopt;
  const Identifier* known = identifier_of(memory.lower[0]);
  if (known == nullptr) return std::nullopt;
  Module module;
  module.identifier = known->name;
  if (known->layout == ModuleLayout::sff8472) decode_sff8472(memory, module);
  if (known->layout == ModuleLayout::sff8636) decode_sff8636(memory, module);
  if (known->layout == ModuleLayout::cmis) decode_cmis(memory, module);
  return module;
}

}  // namespace linkburn
