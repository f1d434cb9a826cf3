#include "bench/captures/lspci_lines.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "bench/base/ascii.h"
#include "bench/base/text.h"

namespace linkburn::lspci {
namespace {

using namespace std::string_view_literals;

/// Words that only lspci begins a line with, without digits at their end [pciutils ls-caps.c,
/// ls-ecaps.c].
constexpr std::array kFirstWords{"ACSCap"sv,
                                 "ACSCtl"sv,
                                 "AERCap"sv,
                                 "AFCap"sv,
                                 "AFCtrl"sv,
                                 "AFStatus"sv,
                                 "ARICap"sv,
                                 "ARICtl"sv,
                                 "ATSCap"sv,
                                 "ATSCtl"sv,
                                 "AlternateBus"sv,
                                 "Arb"sv,
                                 "AssociatedBusNumbers"sv,
                                 "AtomicOpsCap"sv,
                                 "AtomicOpsCtl"sv,
                                 "BridgeCtl"sv,
                                 "CXLCap"sv,
                                 "CXLCtl"sv,
                                 "CXLPortCtl"sv,
                                 "CXLPortSta"sv,
                                 "CXLSta"sv,
                                 "Caps"sv,
                                 "Changed"sv,
                                 "Ctrl"sv,
                                 "DOECap"sv,
                                 "DOECtl"sv,
                                 "DOESta"sv,
                                 "Desc"sv,
                                 "DeviceName"sv,
                                 "DownstreamComp"sv,
                                 "DpcCap"sv,
                                 "DpcCtl"sv,
                                 "DpcSta"sv,
                                 "EmergencyPowerReduction"sv,
                                 "ErrorSrc"sv,
                                 "FBCap"sv,
                                 "FBCtl"sv,
                                 "FBModTS"sv,
                                 "FBSta"sv,
                                 "FuncMap"sv,
                                 "GPF"sv,
                                 "HeaderLog"sv,
                                 "IDECap"sv,
                                 "IDECtl"sv,
                                 "IOVCap"sv,
                                 "IOVCtl"sv,
                                 "IOVSta"sv,
                                 "IntMsgNum"sv,
                                 "L1SubCap"sv,
                                 "L1SubCtl"sv,
                                 "LinkIDE"sv,
                                 "MaxOffset"sv,
                                 "McastBAR"sv,
                                 "McastBlockAllVec"sv,
                                 "McastBlockUntransVec"sv,
                                 "McastCap"sv,
                                 "McastCtl"sv,
                                 "McastOverlayBAR"sv,
                                 "McastReceiveVec"sv,
                                 "NumLogDevs"sv,
                                 "PASIDCap"sv,
                                 "PASIDCtl"sv,
                                 "PBA"sv,
                                 "PRICtl"sv,
                                 "PRISta"sv,
                                 "PTMCap"sv,
                                 "PTMClockGranularity"sv,
                                 "PTMControl"sv,
                                 "PTMEffectiveGranularity"sv,
                                 "PortCommonModeRestoreTime"sv,
                                 "PrimaryProperties"sv,
                                 "RCiEPBitmap"sv,
                                 "RootCmd"sv,
                                 "RootSta"sv,
                                 "SecondaryProperties"sv,
                                 "SelectiveIDE"sv,
                                 "T_CommonMode"sv,
                                 "VirtIO"sv};
static_assert(std::is_sorted(kFirstWords.begin(), kFirstWords.end()));

/// How other lines begin [the same, ls-caps-vendor.c, ls-vpd.c, ls-kernel.c, lspci.c].
constexpr std::array kStarts{"!!! "sv,
                             "16-bit legacy interface"sv,
                             "Addr:"sv,
                             "Address: "sv,
                             "BAR "sv,
                             "BAR="sv,
                             "BIST "sv,
                             "Base: "sv,
                             "Bridge: PM"sv,
                             "Bus Number:"sv,
                             "Bus: primary="sv,
                             "Cache Size"sv,
                             "Capabilities: "sv,
                             "Command: "sv,
                             "Compliance "sv,
                             "Control: "sv,
                             "Device specific mode"sv,
                             "Device tree node:"sv,
                             "Device: "sv,
                             "Downstream: Capacity"sv,
                             "End"sv,
                             "Entry "sv,
                             "Error Handling:"sv,
                             "Expansion ROM at"sv,
                             "Extended requester"sv,
                             "Feature Capability:"sv,
                             "First "sv,
                             "Flags: "sv,
                             "I/O behind"sv,
                             "I/O ports at"sv,
                             "I/O window"sv,
                             "IOMMU group:"sv,
                             "Initial VFs:"sv,
                             "Interrupt Message"sv,
                             "Interrupt vector mode"sv,
                             "Interrupt: pin"sv,
                             "Kernel driver"sv,
                             "Kernel modules:"sv,
                             "Latency L"sv,
                             "Latency: "sv,
                             "Link Config"sv,
                             "Link Control"sv,
                             "Link Error"sv,
                             "Link Frequency"sv,
                             "Link: "sv,
                             "Mapping Address"sv,
                             "Masking: "sv,
                             "Max no snoop"sv,
                             "Max snoop"sv,
                             "MaxPayload "sv,
                             "Memory at"sv,
                             "Memory behind"sv,
                             "Memory window"sv,
                             "NUMA node:"sv,
                             "No end tag"sv,
                             "No steering table"sv,
                             "Not readable"sv,
                             "PCIe DVSEC"sv,
                             "Page Request"sv,
                             "Physical Slot:"sv,
                             "Port Arbitration Table"sv,
                             "Prefetchable memory"sv,
                             "Product Name:"sv,
                             "Range"sv,
                             "Read-only fields:"sv,
                             "Read/write fields:"sv,
                             "Region "sv,
                             "Reserved "sv,
                             "Revision ID:"sv,
                             "Root: "sv,
                             "Secondary Status:"sv,
                             "Secondary status:"sv,
                             "Slot #"sv,
                             "Slot: "sv,
                             "Source:"sv,
                             "Status:"sv,
                             "Steering table"sv,
                             "Subsystem: "sv,
                             "Supported Page Size:"sv,
                             "Transmit Margin:"sv,
                             "Unknown "sv,
                             "Upstream: Capacity"sv,
                             "VC"sv,
                             "VF Migration"sv,
                             "VF offset:"sv,
                             "Vector table:"sv};
static_assert(std::is_sorted(kStarts.begin(), kStarts.end()));

/// "TrErr- Train- SlotClk+": lines of flags, of which every new lspci has more.
bool is_flags(std::string_view text) {
  const std::string_view first = text.substr(0, text.find_first_of(" \t,:"));
  return first.size() >= 3 && is_letter_or_digit(first.front()) &&
         (first.back() == '+' || first.back() == '-');
}

/// The start that sorts last before the text is the one that it can have, but for starts of starts,
/// of which there are none.
bool has_start(std::string_view text) {
  const auto next = std::upper_bound(kStarts.begin(), kStarts.end(), text);
  return next != kStarts.begin() && text.starts_with(*std::prev(next));
}

}  // namespace

bool is_known_line(std::string_view line) {
  const std::string_view text = trim(line);
  if (text.empty() || is_flags(text)) return true;
  // Remarks such as <access denied>, and the fields of vital product data.
  if (text.front() == '<') return true;
  if (text.size() > 4 && text.front() == '[' && text[3] == ']') return true;
  if (text.starts_with("[virtual]") || text.starts_with("[enhanced]")) return true;
  if (has_start(text)) return true;
  std::string_view word = text.substr(0, text.find_first_of(" \t:=+,"));
  while (word.size() > 2 && is_digit(word.back())) word.remove_suffix(1);
  return std::binary_search(kFirstWords.begin(), kFirstWords.end(), word);
}

}  // namespace linkburn::lspci
