// The line of a function that lspci begins with. Internal to the lspci reader.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "bench/inventory/inventory.h"

namespace linkburn::lspci {

struct Header {
  /// Absent: the path of -P, which names no bus.
  std::optional<PciAddress> address;
  std::optional<PciAddress> parent;                    ///< of the path of -PP
  std::string class_code, vendor_id, device_id, name;  /// as in PciFunction; empty: not told
  std::string subsystem_vendor_id, subsystem_device_id;
  bool all_ones = false;     ///< revision ff: config space reads as all ones
  bool known_class = false;  ///< nothing but lspci prints such a line
};

/// "01:00.0 3D controller: NVIDIA Corporation ...", with or without domain, numbers, and the quotes
/// of -m.
std::optional<Header> parse_header(std::string_view line);

/// The address that a line, or what stands before "LnkSta:" in one, is all there is: what a script
/// printed above its grep.
std::optional<PciAddress> parse_lone_address(std::string_view text);

/// What stands for a vendor, a device or both in any of lspci's forms: "NVIDIA Corporation GH100
/// [H100] [10de:2330]", "10de:2330", "NVIDIA Corporation Device 2330".
void read_device_name(std::string_view text, std::string& vendor_id, std::string& device_id,
                      std::string& name);

/// A class in any of lspci's forms: "3D controller", "3D controller [0302]", "0302", "Class 0302".
/// Nothing for text that is none.
std::optional<std::string> read_class(std::string_view text);

}  // namespace linkburn::lspci
