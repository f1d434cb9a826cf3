#include "bench/redact_tables.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>

#include "bench/base/text.h"

namespace linkburn {
namespace {

std::uint8_t byte_at(std::string_view bytes, std::size_t at) {
  return at < bytes.size() ? static_cast<std::uint8_t>(bytes[at]) : 0;
}

/// One structure: its formatted part, and the strings behind it up to two NULs.
struct Structure {
  std::uint8_t type = 0;
  std::size_t start = 0, length = 0, end = 0;
};

/// Where a field holds the number of a string with a serial number or asset tag.
/// [DSP0134 3.6, sections 7.2 to 7.5, 7.18, 7.23 and 7.40].
constexpr std::array<std::pair<int, int>, 12> kSerialFields{{{1, 0x07},
                                                             {2, 0x07},
                                                             {2, 0x08},
                                                             {3, 0x07},
                                                             {3, 0x08},
                                                             {4, 0x20},
                                                             {4, 0x21},
                                                             {17, 0x18},
                                                             {17, 0x19},
                                                             {22, 0x07},
                                                             {39, 0x08},
                                                             {39, 0x09}}};
constexpr int kSystem = 1, kOemStrings = 11, kHostInterface = 42, kFirstOem = 128;
constexpr std::size_t kUuidAt = 0x08;

/// A field of a module's memory that tells whose it is.
enum class Layout { sfp, qsfp, cmis };
struct ModuleSecret {
  Layout layout;
  std::string_view part;  ///< the key that holds these bytes
  std::size_t at, size;   ///< within the part
  bool serial;            ///< else the vendor's own area, which can hold anything
};
/// Serial number and vendor's area [SFF-8472 12.4, table 4-1; SFF-8636 2.10a, table 6-14; CMIS 5.0,
/// table 8-22]. Page 0 begins with byte 128.
constexpr std::array<ModuleSecret, 5> kModuleSecrets{
    {{Layout::sfp, "module.lower", 68, 16, true},
     {Layout::sfp, "module.lower", 96, 32, false},
     {Layout::qsfp, "module.page0", 68, 16, true},
     {Layout::qsfp, "module.page0", 96, 32, false},
     {Layout::cmis, "module.page0", 38, 16, true}}};

/// By the identifier, the first byte of the memory [SFF-8024 4.11, table 4-1].
bool is_layout(Layout layout, int identifier) {
  switch (layout) {
    case Layout::sfp:
      return identifier == 0x03;
    case Layout::qsfp:
      return identifier == 0x0c || identifier == 0x0d || identifier == 0x11;
    case Layout::cmis:
      break;
  }
  return identifier >= 0x18;
}

std::optional<Structure> structure_at(std::string_view table, std::size_t start) {
  Structure found{byte_at(table, start), start, byte_at(table, start + 1), 0};
  if (found.length < 4 || start + found.length + 2 > table.size()) return std::nullopt;
  const std::size_t end = table.find(std::string_view("\0\0", 2), start + found.length);
  if (end == std::string_view::npos) return std::nullopt;
  found.end = end + 2;
  return found;
}

/// Gives string `number` (from 1) of a structure another text of its length.
template <class Change>
void change_string(std::string& table, const Structure& found, int number, Change change) {
  std::size_t at = found.start + found.length;
  for (int i = 1; at < found.end && table[at] != '\0'; ++i) {
    const std::size_t length = std::strlen(table.c_str() + at);
    if (i == number) {
      const std::string other = change(table.substr(at, length));
      if (other.size() == length) table.replace(at, length, other);
      return;
    }
    at += length + 1;
  }
}

void redact_uuid(std::string& table, const Structure& found, AddressAliases& addresses) {
  if (found.length < kUuidAt + 16) return;
  std::array<std::uint8_t, 16> uuid{};
  std::memcpy(uuid.data(), table.data() + found.start + kUuidAt, uuid.size());
  uuid = addresses.uuid(uuid);
  std::memcpy(table.data() + found.start + kUuidAt, uuid.data(), uuid.size());
}

/// Structures of a vendor's own can hold anything.
void blank(std::string& table, const Structure& found) {
  std::fill(table.begin() + static_cast<std::ptrdiff_t>(found.start + 4),
            table.begin() + static_cast<std::ptrdiff_t>(found.start + found.length), '\0');
  for (std::size_t at = found.start + found.length; at < found.end; ++at)
    if (table[at] != '\0') table[at] = 'x';
}

}  // namespace

std::string redact_smbios(std::string table, AddressAliases& addresses, const SerialAlias& alias) {
  std::size_t at = 0;
  while (const auto found = structure_at(table, at)) {
    at = found->end;
    if (found->type == kSystem) redact_uuid(table, *found, addresses);
    if (found->type == kOemStrings)
      for (int i = 1; i <= byte_at(table, found->start + 4); ++i)
        change_string(table, *found, i,
                      [](const std::string& s) { return std::string(s.size(), 'x'); });
    if (found->type == kHostInterface || found->type >= kFirstOem) blank(table, *found);
    for (const auto& [type, offset] : kSerialFields)
      if (found->type == type && static_cast<std::size_t>(offset) < found->length)
        change_string(table, *found, byte_at(table, found->start + offset), alias);
  }
  return table;
}

std::string redact_config(std::string config, AddressAliases& addresses) {
  // [PCI Express Base Specification 6.0, sections 7.6.3 and 7.9.3]
  constexpr std::size_t kExtended = 0x100;
  constexpr int kSerialNumber = 0x0003, kMaxCapabilities = 960;
  std::size_t at = kExtended;
  for (int i = 0; i < kMaxCapabilities && at >= kExtended && at + 12 <= config.size(); ++i) {
    const int id = byte_at(config, at) | byte_at(config, at + 1) << 8;
    if (id == kSerialNumber) {
      std::array<std::uint8_t, 8> guid{};  // the lowest byte comes first in config space
      std::reverse_copy(config.begin() + static_cast<std::ptrdiff_t>(at + 4),
                        config.begin() + static_cast<std::ptrdiff_t>(at + 12), guid.begin());
      guid = addresses.guid(guid);
      std::reverse_copy(guid.begin(), guid.end(),
                        config.begin() + static_cast<std::ptrdiff_t>(at + 4));
    }
    at = static_cast<std::size_t>(byte_at(config, at + 2) >> 4 | byte_at(config, at + 3) << 4);
  }
  return config;
}

std::string redact_module_line(const std::string& line, int identifier, const SerialAlias& alias) {
  const std::size_t digits = line.find_last_not_of("0123456789abcdefABCDEF") + 1;
  std::string bytes;
  for (std::size_t at = digits; at + 1 < line.size(); at += 2)
    bytes += static_cast<char>(parse_int(line.substr(at, 2), 16).value_or(0));
  for (const ModuleSecret& secret : kModuleSecrets) {
    if (!is_layout(secret.layout, identifier) || !line.starts_with(secret.part)) continue;
    if (secret.at + secret.size > bytes.size()) continue;
    const std::string field = bytes.substr(secret.at, secret.size);
    const std::string text(trim(field));
    std::string other = secret.serial ? alias(text) : std::string();
    other.resize(secret.size, secret.serial ? ' ' : '\0');
    bytes.replace(secret.at, secret.size, other);
  }
  std::string out = line.substr(0, digits);
  for (const char byte : bytes) out += fmt::format("{:02x}", static_cast<std::uint8_t>(byte));
  if ((line.size() - digits) % 2 == 1) out += line.back();  // half a byte
  return out;
}

}  // namespace linkburn
