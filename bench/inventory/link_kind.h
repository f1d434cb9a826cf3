// Which links carry their traffic as their PCIe numbers say, and which do not.
#pragma once

#include <string>
#include <string_view>

#include "bench/inventory/inventory.h"

namespace linkburn {

struct LinkKind {
  std::string_view kind;  ///< one of kLink... of report/evidence/links.h
  std::string reason;     ///< what shows it; empty for a plain one
};

/// The kind of the link between a device and the port above it, which may be hidden. Anything but
/// a plain link only when it is certain.
LinkKind link_kind_of(const PciFunction& device, const PciFunction* port);

inline constexpr std::string_view kTunnelReason =
    "a Thunderbolt or USB4 tunnel: reads 2.5 GT/s x4 at whatever rate the cable has";

/// Part of a Thunderbolt controller.
bool is_thunderbolt(const PciFunction& function);

/// An end that reads as the ends of a tunnel do: 2.5 GT/s x4.
bool reads_as_tunnel(const LinkEnd& end);

}  // namespace linkburn
