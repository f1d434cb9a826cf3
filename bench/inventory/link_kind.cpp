#include "bench/inventory/link_kind.h"

#include <algorithm>
#include <array>

namespace linkburn {
namespace {

constexpr std::string_view kIntel = "0x8086";
constexpr std::string_view kAmd = "0x1002";
constexpr std::string_view kNvidia = "0x10de";

/// Bridges in Thunderbolt controllers [pci.ids, vendor 8086].
constexpr std::array<std::string_view, 21> kThunderboltBridges{
    "0x0b26", "0x1136", "0x1513", "0x151a", "0x151b", "0x1547", "0x1548",
    "0x1549", "0x1567", "0x1569", "0x156b", "0x156d", "0x1576", "0x1578",
    "0x157e", "0x15c0", "0x15d3", "0x15da", "0x15e7", "0x15ea", "0x15ef"};

bool is_removable(const PciFunction& function) {
  const auto fact = function.facts.find("removable");
  return fact != function.facts.end() && fact->second == "removable";
}

/// Between the controllers at both ends of a cable, or below a port that firmware marks as facing
/// outwards. The link from a root port to the node's own controller is a plain one.
bool is_tunnel(const PciFunction& device, const PciFunction& port) {
  if (!reads_as_tunnel(device.link_end)) return false;
  return is_removable(device) || (is_thunderbolt(device) && is_thunderbolt(port));
}

/// A card that carries its own switch: the link to its chip is fixed, the link of the slot is the
/// one of the switch. AMD and Intel sell no switches for mainboards, so that theirs are on a card
/// or in a package [linux drivers/gpu/drm/amd/amdgpu/amdgpu_device.c,
/// amdgpu_device_partner_bandwidth, skips the switch inside a card in the same way].
bool is_inside_card(const PciFunction& device, const PciFunction& port) {
  if (port.port_type != PortType::switch_downstream || device.vendor_id != port.vendor_id)
    return false;
  if (device.vendor_id == kAmd) return true;
  const auto& [speed, width] = std::pair(device.link_end.max_speed, device.link_end.max_width);
  return device.vendor_id == kIntel && !is_thunderbolt(port) && !is_removable(device) &&
         speed == LinkSpeed{2500} && width == LinkWidth{1};
}

}  // namespace

bool is_thunderbolt(const PciFunction& function) {
  return function.thunderbolt || (function.vendor_id == kIntel &&
                                  std::find(kThunderboltBridges.begin(), kThunderboltBridges.end(),
                                            function.device_id) != kThunderboltBridges.end());
}

bool reads_as_tunnel(const LinkEnd& end) {
  return end.speed == LinkSpeed{2500} && end.width == LinkWidth{4};
}

LinkKind link_kind_of(const PciFunction& device, const PciFunction* port) {
  if (port == nullptr) return {kLinkHiddenPort, "the port above it is not visible from here"};
  // Grace and GB10 show their GPU at 2.5 GT/s x1 below a port of the same vendor, whatever both can
  // do.
  if (device.type == "gpu" && device.vendor_id == kNvidia && port->vendor_id == kNvidia &&
      device.link_end.speed == LinkSpeed{2500} && device.link_end.width == LinkWidth{1})
    return {kLinkChipToChip,
            "a chip-to-chip link may be its data path: NVIDIA GPU below an NVIDIA port"};
  if (is_tunnel(device, *port)) return {kLinkThunderbolt, std::string(kTunnelReason)};
  if (is_inside_card(device, *port))
    return {kLinkInternal,
            "fixed inside its card: the link of the slot is that of the card's own switch"};
  return {kLinkPcie, {}};
}

}  // namespace linkburn
