// Vendor and device names from pci.ids, the public list of PCI ids (data, read at run time).
#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "bench/base/text.h"
#include "bench/inventory/sources.h"

namespace linkburn {
namespace {

constexpr std::size_t kMaxIdsBytes = 8UL << 20;  // the list has 1.4 MB today
constexpr std::array kPlaces{"usr/share/misc/pci.ids", "usr/share/hwdata/pci.ids",
                             "usr/share/pci.ids"};

using Ids = std::uint32_t;  // vendor in the upper half, device in the lower

std::optional<std::uint32_t> parse_id(std::string_view text) {
  const auto value = text.size() >= 4 ? parse_int(text.substr(0, 4), 16) : std::nullopt;
  return value ? std::optional<std::uint32_t>(static_cast<std::uint32_t>(*value)) : std::nullopt;
}

std::optional<Ids> ids_of(const PciFunction& function) {
  const auto vendor = parse_int(function.vendor_id, 16);
  const auto device = parse_int(function.device_id, 16);
  if (!vendor || !device || *vendor > 0xffff || *device > 0xffff) return std::nullopt;
  return static_cast<Ids>(*vendor) << 16 | static_cast<Ids>(*device);
}

/// One pass over the list: "vvvv  Vendor" lines, below each "\tdddd  Device" lines.
std::map<Ids, std::string> look_up(std::string_view list, const std::set<Ids>& wanted) {
  std::map<Ids, std::string> names;
  std::uint32_t vendor = 0;
  std::string_view vendor_name;
  bool wanted_vendor = false;
  for (const std::string_view line : lines_of(list)) {
    if (line.size() < 6 || line[0] == '#') continue;
    if (line[0] == 'C' && line[1] == ' ') break;  // the class section ends the ids
    if (line[0] != '\t') {
      vendor = parse_id(line).value_or(0);
      vendor_name = trim(line.substr(4));
      const auto first = wanted.lower_bound(vendor << 16);
      wanted_vendor = first != wanted.end() && *first >> 16 == vendor;
    } else if (wanted_vendor && line[1] != '\t') {
      const auto device = parse_id(line.substr(1));
      const Ids ids = vendor << 16 | device.value_or(0);
      if (device && wanted.contains(ids))
        names[ids] = std::string(vendor_name) + " " + std::string(trim(line.substr(5)));
    }
  }
  return names;
}

}  // namespace

Part name_functions(std::vector<PciFunction>& functions) {
  Part part{"pci_ids",
            "absent",
            {},
            {},
            "no pci.ids file: devices are shown by number",
            "install the package pci.ids (hwdata on Red Hat)"};
  const auto machine = Sysroot::open("/");
  if (!machine) return part;
  std::set<Ids> wanted;
  for (const PciFunction& function : functions)
    if (const auto ids = ids_of(function)) wanted.insert(*ids);
  for (const char* place : kPlaces) {
    const auto list = machine->read(place, kMaxIdsBytes);
    if (!list) continue;
    const auto names = look_up(*list, wanted);
    for (PciFunction& function : functions) {
      const auto ids = ids_of(function);
      const auto name = ids ? names.find(*ids) : names.end();
      if (name != names.end()) function.name = printable(name->second, 256);
    }
    return {"pci_ids", "found", std::string("/") + place, {}, {}, {}};
  }
  return part;
}

}  // namespace linkburn
