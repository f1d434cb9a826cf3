// What ethtool says of one interface, as text, so that a live node and a captured tree go through
// one parser. A live node has no such file: the worker that reads it asks the kernel
// (bench/ethtool); a captured tree holds it as linkburn/ethtool/INTERFACE.
//
// One `key = value` per line; a key that is not there is unknown, an unknown key is ignored:
//
//   source = netlink                        or ioctl: who answered for the link modes
//   supported = 100000baseCR4/Full ...      link modes as ethtool names them; no value: none
//   advertised = ...
//   partner = ...                           not there: the partner does not tell
//   autonegotiation = on                    or off
//   speed_mbps = 100000
//   lanes = 4
//   duplex = full                           or half
//   modes.error = the driver does not tell  why there are no link modes
//   link_detail = No cable                  why there is no link
//   fec = RS                                the active one
//   fec.corrected_blocks = 12               also uncorrectable_blocks, corrected_bits
//   fec.lane0.corrected_blocks = 3          the same of one lane
//   module.lower = 1107...                  the module's memory in hexadecimal: bytes 0 to 127,
//   module.page0 = 1107...                  bytes 128 to 255 of page 0, page 2 and page 3,
//   module.page2 = ...
//   module.page3 = ...
//   module.diagnostics = ...                and of an SFP the bytes of its second address, 0x51
//   module.error = needs root               why there is no module memory
//   statistics.link_down_events_phy = 2     of the driver; only those of wanted_statistic()
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/evidence/record.h"

namespace linkburn {

/// "linkburn/ethtool/eth0", relative to the sysroot.
std::string ethtool_file_of(std::string_view interface);

/// The interface of such a path; nothing for any other path.
std::optional<std::string> interface_of_ethtool_file(std::string_view path);

/// Statistics of drivers that tell something about a link; the others are not asked for.
bool wanted_statistic(std::string_view name);

/// Fills what the text says into the interface's record; counters are added to `counters`.
void take_ethtool_text(std::string_view text, Interface& interface, std::vector<Counter>& counters);

}  // namespace linkburn
