#include "bench/inventory/smbios.h"

#include <algorithm>
#include <array>

#include "bench/base/text.h"

namespace linkburn {
namespace {

constexpr std::size_t kHeaderBytes = 4;  // type, length, handle
constexpr std::size_t kMaxLabel = 64;
constexpr std::size_t kMaxEntries = 512;  // of a kind; more are no slots of a node

/// One structure: its formatted part, and the strings behind it.
struct Structure {
  std::string_view formatted;
  std::vector<std::string_view> strings;

  int byte(std::size_t at) const { return static_cast<unsigned char>(formatted[at]); }
  int word(std::size_t at) const { return byte(at) | byte(at + 1) << 8; }

  /// Strings are numbered from 1; 0 is none.
  std::string text(std::size_t at) const {
    const auto number = static_cast<std::size_t>(byte(at));
    if (number == 0 || number > strings.size()) return {};
    return printable(trim(strings[number - 1]), kMaxLabel);
  }

  /// Segment, bus, and device with function; all ones in one of them is none.
  std::optional<PciAddress> address(std::size_t at) const {
    const int segment = word(at), bus = byte(at + 2), place = byte(at + 3);
    if (segment == 0xffff || bus == 0xff || place == 0xff) return std::nullopt;
    return PciAddress{static_cast<std::uint32_t>(segment), static_cast<std::uint8_t>(bus),
                      static_cast<std::uint8_t>(place >> 3), static_cast<std::uint8_t>(place & 7)};
  }
};

/// Takes the structure at the start of `table` off it; nothing when it does not end there.
std::optional<Structure> take_structure(std::string_view& table) {
  Structure structure;
  const auto length = static_cast<unsigned char>(table[1]);
  if (length < kHeaderBytes || length > table.size()) return std::nullopt;
  structure.formatted = table.substr(0, length);
  table.remove_prefix(length);
  // The strings end with an empty one; without any string there are two zero bytes.
  while (true) {
    const std::size_t end = table.find('\0');
    if (end == std::string_view::npos) return std::nullopt;
    if (end > 0) structure.strings.push_back(table.substr(0, end));
    table.remove_prefix(end + 1);
    if (end > 0) continue;
    if (structure.strings.empty() && !table.empty()) {
      if (table.front() != '\0') return std::nullopt;
      table.remove_prefix(1);
    }
    return structure;
  }
}

std::string usage_of(int code) {
  constexpr std::array<std::string_view, 6> kUsage{"",          "",       "",
                                                   "available", "in use", "unavailable"};
  return code < static_cast<int>(kUsage.size())
             ? std::string(kUsage[static_cast<std::size_t>(code)])
             : "";
}

std::optional<SmbiosSlot> slot_of(const Structure& structure) {
  // Up to the slot's own id since version 2.0, up to its address since 2.6, its peers since 3.2.
  constexpr std::size_t kWithId = 0x0b, kWithAddress = 0x11, kWithPeers = 0x13, kPeerBytes = 5;
  const std::size_t size = structure.formatted.size();
  if (size < kWithId) return std::nullopt;
  SmbiosSlot slot;
  slot.designation = structure.text(0x04);
  slot.usage = usage_of(structure.byte(0x07));
  slot.id = structure.word(0x09);
  const auto add = [&](std::size_t at) {
    if (const auto address = structure.address(at)) slot.addresses.push_back(*address);
  };
  if (size >= kWithAddress) add(0x0d);
  const std::size_t peers = size >= kWithPeers ? static_cast<std::size_t>(structure.byte(0x12)) : 0;
  for (std::size_t at = kWithPeers, i = 0; i < peers && at + kPeerBytes <= size; ++i) {
    add(at);
    at += kPeerBytes;
  }
  return slot;
}

}  // namespace

SmbiosTable parse_smbios(std::string_view table) {
  constexpr int kSlot = 9, kOnboard = 41, kEnd = 127;
  SmbiosTable found;
  // Each structure takes at least its header off the table, so the walk ends.
  while (table.size() >= kHeaderBytes) {
    const auto structure = take_structure(table);
    if (!structure) {
      found.whole = false;
      break;
    }
    const int type = structure->byte(0);
    if (type == kEnd) break;
    if (found.slots.size() >= kMaxEntries || found.onboard.size() >= kMaxEntries) break;
    if (type == kSlot)
      if (auto slot = slot_of(*structure)) found.slots.push_back(std::move(*slot));
    if (type == kOnboard && structure->formatted.size() >= 0x0b)
      if (const auto address = structure->address(0x07))
        found.onboard.push_back({structure->text(0x04), *address});
  }
  return found;
}

}  // namespace linkburn
