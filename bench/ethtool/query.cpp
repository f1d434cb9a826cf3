#include "bench/ethtool/query.h"

#include <linux/ethtool_netlink.h>
#include <net/if.h>

#include <cerrno>

#include "bench/ethtool/answers.h"
#include "bench/ethtool/facts.h"
#include "bench/ethtool/ioctl.h"
#include "bench/ethtool/netlink.h"
#include "bench/inventory/module_memory.h"

namespace linkburn {
namespace {

constexpr std::uint32_t kHalf = 128;            // of a module's address space
constexpr std::uint32_t kThresholdBytes = 8;    // the four temperature limits
constexpr std::uint8_t kModule = 0x50;          // a module's address on its bus
constexpr std::uint8_t kSfpDiagnostics = 0x51;  // and an SFP's second one [SFF-8472]

using Add = void (*)(const Answer& answer, EthtoolFacts& facts);

int ask(EthtoolSocket& socket, const std::string& interface, std::uint8_t command,
        std::uint32_t flags, Add add, EthtoolFacts& facts) {
  return socket.ask(interface, {command, flags, {}},
                    [&](const Answer& answer) { add(answer, facts); });
}

int ask_link_modes(EthtoolSocket& socket, const std::string& interface, EthtoolFacts& facts) {
  return ask(socket, interface, ETHTOOL_MSG_LINKMODES_GET, ETHTOOL_FLAG_COMPACT_BITSETS,
             add_link_modes, facts);
}

int ask_fec(EthtoolSocket& socket, const std::string& interface, EthtoolFacts& facts) {
  return ask(socket, interface, ETHTOOL_MSG_FEC_GET,
             ETHTOOL_FLAG_COMPACT_BITSETS | ETHTOOL_FLAG_STATS, add_fec, facts);
}

/// A part of a module's memory.
struct Stretch {
  std::uint8_t address = kModule;
  std::uint8_t page = 0;
  std::uint32_t offset = 0, length = kHalf;
};

int ask_memory(EthtoolSocket& socket, const std::string& interface, const Stretch& wanted,
               std::vector<std::uint8_t>& bytes) {
  const auto which = [&](nlmsghdr* message) {
    mnl_attr_put_u32(message, ETHTOOL_A_MODULE_EEPROM_OFFSET, wanted.offset);
    mnl_attr_put_u32(message, ETHTOOL_A_MODULE_EEPROM_LENGTH, wanted.length);
    mnl_attr_put_u8(message, ETHTOOL_A_MODULE_EEPROM_PAGE, wanted.page);
    mnl_attr_put_u8(message, ETHTOOL_A_MODULE_EEPROM_I2C_ADDRESS, wanted.address);
  };
  return socket.ask(interface, {ETHTOOL_MSG_MODULE_EEPROM_GET, 0, which},
                    [&](const Answer& answer) {
                      for (const nlattr* attribute : answer)
                        if (mnl_attr_get_type(attribute) == ETHTOOL_A_MODULE_EEPROM_DATA)
                          bytes = values_of<std::uint8_t>(attribute);
                    });
}

/// The lower half names the kind of module, and that the parts worth reading. A module without
/// pages ("flat": byte 2, bit 2 in SFF-8636, bit 7 in CMIS) has no thresholds.
int ask_module(EthtoolSocket& socket, const std::string& interface, EthtoolFacts& facts) {
  std::vector<std::uint8_t> lower;
  if (const int error = ask_memory(socket, interface, {}, lower); error != 0) return error;
  if (lower.size() < 3) return EIO;
  facts.add_bytes("module.lower", lower);
  const auto add = [&](std::string_view key, const Stretch& wanted) {
    std::vector<std::uint8_t> bytes;
    if (ask_memory(socket, interface, wanted, bytes) == 0) facts.add_bytes(key, bytes);
  };
  const ModuleLayout layout = layout_of(lower[0]);
  if (layout == ModuleLayout::sff8472) add("module.diagnostics", {kSfpDiagnostics, 0, 0, kHalf});
  if (layout == ModuleLayout::sff8636 || layout == ModuleLayout::cmis)
    add("module.page0", {kModule, 0, kHalf, kHalf});
  if (layout == ModuleLayout::sff8636 && (lower[2] & 0x04U) == 0)
    add("module.page3", {kModule, 3, kHalf, kThresholdBytes});
  if (layout == ModuleLayout::cmis && (lower[2] & 0x80U) == 0)
    add("module.page2", {kModule, 2, kHalf, kThresholdBytes});
  return 0;
}

}  // namespace

Result<std::string> query_ethtool(const std::string& interface) {
  if (::if_nametoindex(interface.c_str()) == 0)
    return errno_error(errno, "no such interface", interface);
  auto old = EthtoolIoctl::open(interface);
  if (!old) return old.error();
  auto socket = EthtoolSocket::open();
  EthtoolFacts facts;
  int error = socket ? ask_link_modes(*socket, interface, facts) : EOPNOTSUPP;
  if (error != 0) error = old->link_modes(facts);
  if (error != 0) facts.add_error("modes.error", error);
  if (socket) (void)ask(*socket, interface, ETHTOOL_MSG_LINKSTATE_GET, 0, add_link_state, facts);
  error = socket ? ask_fec(*socket, interface, facts) : EOPNOTSUPP;
  if (error == EOPNOTSUPP) error = old->fec(facts);
  if (error != 0) facts.add_error("fec.error", error);
  error = socket ? ask_module(*socket, interface, facts) : EOPNOTSUPP;
  if (error == EOPNOTSUPP) error = old->module_memory(facts);
  if (error != 0) facts.add_error("module.error", error);
  error = old->statistics(facts);
  if (error != 0) facts.add_error("statistics.error", error);
  return facts.text();
}

}  // namespace linkburn
