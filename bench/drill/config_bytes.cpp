#include "bench/drill/config_bytes.h"

#include <algorithm>

namespace linkburn::drill {
namespace {

constexpr std::size_t kSpaceBytes = 4096;

// Where the capabilities lie: power management, PCI Express, then the extended ones: error
// reporting and, from 8 GT/s on, lane errors.
constexpr std::size_t kPower = 0x40, kExpress = 0x50, kErrors = 0x100, kLanes = 0x140;

std::uint32_t type_code(PortKind kind) {
  switch (kind) {
    case PortKind::root_port:
      return 4;
    case PortKind::switch_upstream:
      return 5;
    case PortKind::switch_downstream:
      return 6;
    case PortKind::integrated:
      return 9;
    case PortKind::endpoint:
      break;
  }
  return 0;
}

class Space {
 public:
  void put(std::size_t at, std::size_t size, std::uint32_t value) {
    for (std::size_t i = 0; i < size; ++i) bytes_[at + i] = static_cast<char>(value >> (8 * i));
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_ = std::string(kSpaceBytes, '\0');
};

void put_header(const Function& function, Buses buses, Space& space) {
  constexpr std::uint32_t kMemoryAndMaster = 0x0406, kHasCapabilities = 0x10;
  space.put(0x00, 2, function.vendor);
  space.put(0x02, 2, function.device_id);
  space.put(0x04, 2, kMemoryAndMaster);
  space.put(0x06, 2, kHasCapabilities);
  space.put(0x08, 4, function.class_code << 8U);
  space.put(0x34, 1, kPower);
  space.put(kPower, 4, 0x48030001U | kExpress << 8U);
  if (function.device == Device::bridge) {
    space.put(0x0e, 1, 1);
    space.put(0x19, 1, buses.secondary);
    space.put(0x1a, 1, buses.last);
  } else {
    space.put(0x2c, 2, function.subsystem_vendor);
    space.put(0x2e, 2, function.subsystem_device);
  }
}

/// Capabilities, control and status of the device: payloads of 256 of at most 512 bytes, requests
/// of 512, tags of 8 bits; which errors it has seen.
void put_device(const Function& function, const ShownFunction& shown, Space& space) {
  const bool slot = leads_down(function) && function.slot_number >= 0;
  const std::uint32_t flags = 2U | type_code(function.kind) << 4U | (slot ? 0x100U : 0U);
  space.put(kExpress, 4, 0x10U | flags << 16U);
  space.put(kExpress + 0x04, 4, 0x22);
  space.put(kExpress + 0x08, 2, 0x212f);
  space.put(kExpress + 0x0a, 2,
            (shown.errors.correctable_status != 0 ? 1U : 0U) |
                (shown.errors.nonfatal != 0 ? 2U : 0U) | (shown.errors.fatal != 0 ? 4U : 0U));
  if (!slot) return;
  space.put(kExpress + 0x14, 4, static_cast<std::uint32_t>(function.slot_number) << 19U);
  space.put(kExpress + 0x1a, 2, shown.card_present ? 0x40 : 0);
}

void put_link(const Function& function, const ShownFunction& shown, Space& space) {
  constexpr std::uint32_t kL1 = 0x800, kTellsActive = 0x100000, kTellsBandwidth = 0x200000;
  constexpr std::uint32_t kCommonClock = 0x40, kSlotClock = 0x1000, kTraining = 0x800;
  constexpr std::uint32_t kActive = 0x2000, kBandwidthChanged = 0x4000, kFlits = 0x400;
  const bool upper = leads_down(function);
  const std::uint32_t gen = upper ? function.port_gen : function.cap_gen;
  const std::uint32_t width = upper ? function.port_width : function.cap_width;
  space.put(kExpress + 0x0c, 4,
            gen | width << 4U | kL1 | (upper ? kTellsActive | kTellsBandwidth : 0U));
  space.put(kExpress + 0x10, 2, kCommonClock);
  std::uint32_t status = shown.gen | std::uint32_t{shown.width} << 4U | kSlotClock;
  if (upper && shown.training) status |= kTraining;
  if (upper && shown.link_active) status |= kActive;
  if (upper && shown.bandwidth_changed) status |= kBandwidthChanged;
  space.put(kExpress + 0x12, 2, status);
  space.put(kExpress + 0x2c, 4, ((1U << gen) - 1U) << 1U);
  space.put(kExpress + 0x30, 2, shown.target_gen);
  space.put(kExpress + 0x32, 2, shown.gen >= 6 ? kFlits : 0);
}

void put_errors(const Function& function, const ShownFunction& shown, Space& space) {
  constexpr std::uint32_t kVersion2 = 0x00020001, kVersion1 = 0x00010019, kAdvisory = 0x2000;
  const std::uint32_t gen = std::max(function.cap_gen, function.port_gen);
  const bool lanes = has_link(function) && gen >= 3;
  space.put(kErrors, 4, kVersion2 | (lanes ? kLanes << 20U : 0U));
  space.put(kErrors + 0x04, 4, shown.errors.uncorrectable_status);
  space.put(kErrors + 0x0c, 4, 0x00462030);  // which of them are fatal, after a reset
  space.put(kErrors + 0x10, 4, shown.errors.correctable_status);
  space.put(kErrors + 0x14, 4, kAdvisory);
  if (lanes) space.put(kLanes, 4, kVersion1);
}

}  // namespace

Buses buses_below(const State& state, int bridge) {
  const int first = first_below(state, bridge);
  if (first < 0) return {};
  Buses buses;
  buses.secondary = buses.last = state.functions[static_cast<std::size_t>(first)].bus;
  for (int i = 0; i < kMaxFunctions; ++i) {
    const Function& each = state.functions[static_cast<std::size_t>(i)];
    if (!each.used || each.parent != bridge) continue;
    buses.last = std::max({buses.last, each.bus, buses_below(state, i).last});
  }
  return buses;
}

std::string config_bytes(const Function& function, const ShownFunction& shown, Buses buses) {
  if (shown.all_ones) return std::string(kSpaceBytes, '\xff');
  Space space;
  put_header(function, buses, space);
  put_device(function, shown, space);
  if (has_link(function)) put_link(function, shown, space);
  put_errors(function, shown, space);
  return space.take();
}

}  // namespace linkburn::drill
