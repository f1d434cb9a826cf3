// Where a person finds a device: what the site, the firmware, the kernel and the port above call
// its slot, and which of them is believed.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/base/component.h"
#include "report/evidence/links.h"

namespace linkburn {

inline constexpr std::string_view kSlotFromSite = "site";
inline constexpr std::string_view kSlotFromSmbios = "smbios";
inline constexpr std::string_view kSlotFromKernel = "kernel";
inline constexpr std::string_view kSlotFromRegister = "slot capability";

/// What one source calls the place of one address.
struct NamedSlot {
  PciAddress address;
  bool exact = false;  ///< of this function alone, else of the whole device
  SlotName name;
  std::optional<int> number;  ///< of the slot, where the source has one beside the label
};

/// Something on the way from a device up to its root port that a name can be about.
struct SlotPlace {
  PciAddress address;
  bool is_port = false;              ///< the upper end of a link
  std::optional<int> secondary_bus;  ///< of a port: the bus of what is in its slot
};

/// The two ends of a link, the device first; a port without a device is alone.
using SlotHop = std::vector<SlotPlace>;

/// The number that a label has for its slot: 7 of "7", "PCIE7", "CPU1 SLOT7 PCI-E 4.0 X16".
std::optional<int> slot_number_in(std::string_view label);

/// The name that is believed: the site's before all; then the nearest that firmware or kernel
/// gives, firmware before kernel; then the nearest number in a port's slot capability. Other names
/// of the same hop are kept when their number is another one.
std::optional<Slot> pick_slot(const std::vector<NamedSlot>& names,
                              const std::vector<SlotHop>& hops);

bool is_about(const NamedSlot& name, const SlotPlace& place);

}  // namespace linkburn
