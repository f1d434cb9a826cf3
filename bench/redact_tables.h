// Binary tables of a node: where serial numbers lie in them. What is replaced keeps its length.
#pragma once

#include <functional>
#include <string>

#include "bench/redact_addresses.h"

namespace linkburn {

/// The replacement of a serial number, of the same length.
using SerialAlias = std::function<std::string(const std::string& serial)>;

/// The SMBIOS structure table [DMTF DSP0134, System Management BIOS 3.6].
std::string redact_smbios(std::string table, AddressAliases& addresses, const SerialAlias& alias);

/// Config space: the Device Serial Number capability, which is a GUID.
std::string redact_config(std::string config, AddressAliases& addresses);

/// A line "module.page0 = 1107..." of what ethtool says (bench/inventory/ethtool_text.h): the
/// memory of a cable or transceiver whose first byte is `identifier`.
std::string redact_module_line(const std::string& line, int identifier, const SerialAlias& alias);

}  // namespace linkburn
