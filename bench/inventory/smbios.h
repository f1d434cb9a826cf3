// Slots and onboard devices as the firmware describes them in its SMBIOS table.
// [DMTF DSP0134 System Management BIOS Reference Specification 3.6, sections 6.1, 7.10, 7.42]
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/base/component.h"

namespace linkburn {

/// A slot, type 9. Firmware gives the address of the device in it or that of the port above.
struct SmbiosSlot {
  std::string designation;
  std::optional<int> id;
  std::string usage;                  ///< "available", "in use", "unavailable"; empty: not said
  std::vector<PciAddress> addresses;  ///< empty: none given; more than one of a split slot
};

/// An onboard device, type 41.
struct SmbiosOnboard {
  std::string designation;
  PciAddress address;
};

struct SmbiosTable {
  std::vector<SmbiosSlot> slots;
  std::vector<SmbiosOnboard> onboard;
  bool whole = true;  ///< false: a structure does not end within the table
};

/// The raw table, as in /sys/firmware/dmi/tables/DMI. Any bytes may come.
SmbiosTable parse_smbios(std::string_view table);

}  // namespace linkburn
