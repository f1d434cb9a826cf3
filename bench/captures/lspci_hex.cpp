#include "bench/captures/lspci_hex.h"

#include <fmt/core.h>

#include <algorithm>

#include "bench/base/ascii.h"
#include "bench/base/text.h"
#include "bench/captures/draft.h"
#include "bench/captures/lspci_text.h"
#include "bench/inventory/config_space.h"
#include "bench/inventory/pci_class.h"

namespace linkburn::lspci {
namespace {

constexpr std::size_t kLineBytes = 16;

/// Hex digits at the start, cut off; nothing when there are none or too many for an offset.
std::optional<std::size_t> cut_offset(std::string_view& text, std::size_t& digits) {
  std::size_t value = 0;
  digits = 0;
  while (digits < text.size() && hex_value(text[digits]) >= 0) {
    if (digits == 8) return std::nullopt;
    value = value * 16 + static_cast<std::size_t>(hex_value(text[digits]));
    ++digits;
  }
  text.remove_prefix(digits);
  return digits == 0 ? std::nullopt : std::optional(value);
}

/// Pairs of digits, one blank apart; in a dump of a file also without a blank or with two.
void take_bytes(std::string_view text, HexLine& line) {
  while (line.size < kLineBytes) {
    std::size_t blanks = 0;
    while (blanks < text.size() && text[blanks] == ' ') ++blanks;
    if (blanks > 2 || (!line.of_file && blanks != 1)) return;
    text.remove_prefix(blanks);
    if (text.size() < 2 || hex_value(text[0]) < 0 || hex_value(text[1]) < 0) return;
    if (!line.of_file && text.size() > 2 && text[2] != ' ') return;
    line.bytes[line.size++] =
        static_cast<unsigned char>(hex_value(text[0]) << 4 | hex_value(text[1]));
    text.remove_prefix(2);
  }
  // A dump of a file goes on with the bytes as characters.
  line.whole = line.of_file ? text.empty() || text.front() == ' ' : trim(text).empty();
}

std::string id_text(int id) { return fmt::format("0x{:04x}", id); }

/// The class codes of the specification end at 0x13; 0x40 and 0xff have no meaning of their own.
bool is_base_class(unsigned char code) { return code <= 0x13 || code == 0x40 || code == 0xff; }

}  // namespace

std::optional<HexLine> parse_hex_line(std::string_view text) {
  text = trim(text);
  HexLine line;
  std::size_t digits = 0;
  const auto offset = cut_offset(text, digits);
  if (!offset || *offset % kLineBytes != 0 || *offset >= HexDump::kMaxBytes) return std::nullopt;
  const bool has_colon = text.starts_with(':');
  if (has_colon) text.remove_prefix(1);
  if (digits >= 2 && digits <= 3 && has_colon)
    line.of_file = false;
  else if (digits == 8)
    line.of_file = true;
  else
    return std::nullopt;
  line.offset = *offset;
  take_bytes(text, line);
  return line.size > 0 ? std::optional(line) : std::nullopt;
}

bool begins_dump(const HexLine& line) {
  if (line.offset != 0 || !line.whole) return false;
  if (!line.of_file) return true;
  const auto& bytes = line.bytes;
  const bool has_vendor = bytes[0] != bytes[1] || (bytes[0] != 0 && bytes[0] != 0xff);
  const bool has_capabilities = (bytes[6] & 0x10) != 0;
  return has_vendor && has_capabilities && (bytes[0x0e] & 0x7f) <= 2 && is_base_class(bytes[0x0b]);
}

void HexDump::put(const HexLine& line) {
  if (bytes_.empty()) bytes_.resize(kMaxBytes);
  of_file_ = line.of_file;
  const auto place = [this](const HexLine& from, std::size_t at) {
    for (std::size_t i = 0; i < from.size && at + i < kMaxBytes; ++i) {
      bytes_[at + i] = static_cast<char>(from.bytes[i]);
      there_.set(at + i);
    }
  };
  if (repeating_) {
    HexLine again;
    again.bytes = latest_;
    again.size = kLineBytes;
    for (std::size_t at = end_; at < line.offset; at += kLineBytes) place(again, at);
    repeating_ = false;
  }
  place(line, line.offset);
  latest_ = line.bytes;
  end_ = line.offset + kLineBytes;
}

/// What is there from an offset on, up to the first hole.
std::string HexDump::part(std::size_t offset, std::size_t size) const {
  std::size_t end = offset;
  while (end < offset + size && has(end)) ++end;
  return end > offset ? bytes_.substr(offset, end - offset) : std::string();
}

/// Vendor and device of a virtual function read as ones while the rest of its header does not
/// [PCI Express Base Specification 6.0, section 9.3.4.1].
bool HexDump::is_virtual_function() const {
  const std::string head = part(0, kLineBytes);
  if (head.size() < kLineBytes) return false;
  const auto is_ones = [](char c) { return c == '\xff'; };
  return std::all_of(head.begin(), head.begin() + 4, is_ones) &&
         std::none_of(head.begin() + 4, head.begin() + 8, is_ones);
}

bool HexDump::fill(PciFunction& function) const {
  const std::string head = part(0, kLineBytes);
  if (head.size() < 4) return false;
  LinkEnd& end = function.link_end;
  end = {};
  end.source = kFromBytes;
  function.virtual_function = function.virtual_function || is_virtual_function();
  if (function.virtual_function) return true;
  const ConfigSpace config = decode_config_space([this](std::size_t offset, std::size_t size) {
    return Result<std::string>(part(offset, size));
  });
  end.all_ones = config.all_ones;
  end.registers = config.registers;
  end.registers_absent = config.registers_absent;
  if (config.all_ones) return true;
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(head[at]); };
  if (config.vendor_id) function.vendor_id = id_text(*config.vendor_id);
  if (config.device_id) function.device_id = id_text(*config.device_id);
  if (config.subsystem_vendor_id)
    function.subsystem_vendor_id = id_text(*config.subsystem_vendor_id);
  if (config.subsystem_device_id)
    function.subsystem_device_id = id_text(*config.subsystem_device_id);
  if (head.size() == kLineBytes)
    function.class_code = fmt::format("0x{:02x}{:02x}{:02x}", byte(0x0b), byte(0x0a), byte(0x09));
  function.type = type_of_class(function.class_code, function.vendor_id);
  function.secondary_bus = config.secondary_bus;
  function.thunderbolt = config.thunderbolt || function.thunderbolt;
  if (!config.registers) return true;
  const std::string& type = config.registers->port_type;
  if (function.type == "bridge") function.port_type = port_type_of_name(type);
  if (type == "integrated_endpoint" || type == "event_collector")
    function.facts["integrated"] = "yes";
  LinkEnd link = end;
  link.files = config.has_link;
  link.speed = config.speed;
  link.width = config.width;
  link.max_speed = config.max_speed;
  link.max_width = config.max_width;
  function.virtual_function = shows_no_link(type, link);
  if (!function.virtual_function) end = std::move(link);
  return true;
}

}  // namespace linkburn::lspci
