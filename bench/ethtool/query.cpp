#include "bench/ethtool/query.h"

#include <fmt/format.h>
#include <linux/ethtool.h>
#include <linux/ethtool_netlink.h>
#include <net/if.h>

#include <cerrno>
#include <optional>

#include "bench/ethtool/facts.h"
#include "bench/ethtool/ioctl.h"
#include "bench/ethtool/link_detail.h"
#include "bench/ethtool/netlink.h"
#include "bench/inventory/module_memory.h"

namespace linkburn {
namespace {

constexpr std::uint32_t kHalf = 128;                  // of a module's address space
constexpr std::uint32_t kThresholdBytes = 8;          // the four temperature limits
constexpr std::uint8_t kModule = 0x50;                // a module's address on its bus
constexpr std::uint8_t kSfpDiagnostics = 0x51;        // and an SFP's second one [SFF-8472]
constexpr std::uint64_t kNotSet = ~std::uint64_t{0};  // ETHTOOL_STAT_NOT_SET

/// Both words of a compact set of bits: what is supported (mask) and what is on (value).
struct BitSet {
  std::vector<std::uint32_t> mask, value;
};

BitSet bit_set_of(const nlattr* nest) {
  BitSet set;
  each_nested(nest, [&](const nlattr* attribute) {
    const std::uint16_t type = mnl_attr_get_type(attribute);
    if (type == ETHTOOL_A_BITSET_MASK) set.mask = values_of<std::uint32_t>(attribute);
    if (type == ETHTOOL_A_BITSET_VALUE) set.value = values_of<std::uint32_t>(attribute);
  });
  return set;
}

int ask_link_modes(EthtoolSocket& socket, const std::string& interface, EthtoolFacts& facts) {
  std::uint32_t speed = 0;
  std::uint8_t duplex = DUPLEX_UNKNOWN;
  std::uint8_t autonegotiation = 0xff;  // neither on nor off
  const auto take = [&](const nlattr* attribute) {
    const std::uint16_t type = mnl_attr_get_type(attribute);
    if (type == ETHTOOL_A_LINKMODES_OURS) {
      const BitSet ours = bit_set_of(attribute);
      facts.add_modes("supported", ours.mask);
      facts.add_modes("advertised", ours.value);
    }
    if (type == ETHTOOL_A_LINKMODES_PEER) facts.add_modes("partner", bit_set_of(attribute).value);
    if (type == ETHTOOL_A_LINKMODES_AUTONEG) autonegotiation = value_of(attribute, autonegotiation);
    if (type == ETHTOOL_A_LINKMODES_SPEED) speed = value_of(attribute, speed);
    if (type == ETHTOOL_A_LINKMODES_DUPLEX) duplex = value_of(attribute, duplex);
    if (type == ETHTOOL_A_LINKMODES_LANES)
      facts.add_number("lanes", value_of<std::uint32_t>(attribute, 0));
  };
  const EthtoolSocket::Question question{
      ETHTOOL_MSG_LINKMODES_GET, ETHTOOL_FLAG_COMPACT_BITSETS, {}};
  if (const int error = socket.ask(interface, question, take); error != 0) return error;
  facts.add("source", "netlink");
  facts.add_link(speed, duplex, autonegotiation);
  return 0;
}

int ask_link_state(EthtoolSocket& socket, const std::string& interface, EthtoolFacts& facts) {
  std::optional<std::uint8_t> state;
  std::uint8_t substate = 0;
  const int error =
      socket.ask(interface, {ETHTOOL_MSG_LINKSTATE_GET, 0, {}}, [&](const nlattr* attribute) {
        const std::uint16_t type = mnl_attr_get_type(attribute);
        if (type == ETHTOOL_A_LINKSTATE_EXT_STATE) state = value_of<std::uint8_t>(attribute, 0);
        if (type == ETHTOOL_A_LINKSTATE_EXT_SUBSTATE)
          substate = value_of<std::uint8_t>(attribute, 0);
      });
  if (state) facts.add("link_detail", link_detail(*state, substate));
  return error;
}

/// The active one is given as the bit of the link modes that stands for it.
void add_active_fec(std::uint32_t bit, EthtoolFacts& facts) {
  if (bit == ETHTOOL_LINK_MODE_FEC_NONE_BIT) facts.add("fec", "off");
  if (bit == ETHTOOL_LINK_MODE_FEC_RS_BIT) facts.add("fec", "RS");
  if (bit == ETHTOOL_LINK_MODE_FEC_BASER_BIT) facts.add("fec", "BASER");
  if (bit == ETHTOOL_LINK_MODE_FEC_LLRS_BIT) facts.add("fec", "LLRS");
}

/// The first number counts the port, those behind it its lanes.
void add_fec_counter(const nlattr* attribute, std::string_view name, EthtoolFacts& facts) {
  const auto values = values_of<std::uint64_t>(attribute);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i] != kNotSet)
      facts.add_number(
          i == 0 ? fmt::format("fec.{}", name) : fmt::format("fec.lane{}.{}", i - 1, name),
          values[i]);
}

void add_fec_statistics(const nlattr* nest, EthtoolFacts& facts) {
  each_nested(nest, [&](const nlattr* counter) {
    const std::uint16_t type = mnl_attr_get_type(counter);
    if (type == ETHTOOL_A_FEC_STAT_CORRECTED) add_fec_counter(counter, "corrected_blocks", facts);
    if (type == ETHTOOL_A_FEC_STAT_UNCORR) add_fec_counter(counter, "uncorrectable_blocks", facts);
    if (type == ETHTOOL_A_FEC_STAT_CORR_BITS) add_fec_counter(counter, "corrected_bits", facts);
  });
}

int ask_fec(EthtoolSocket& socket, const std::string& interface, EthtoolFacts& facts) {
  const EthtoolSocket::Question question{
      ETHTOOL_MSG_FEC_GET, ETHTOOL_FLAG_COMPACT_BITSETS | ETHTOOL_FLAG_STATS, {}};
  return socket.ask(interface, question, [&](const nlattr* attribute) {
    const std::uint16_t type = mnl_attr_get_type(attribute);
    if (type == ETHTOOL_A_FEC_ACTIVE) add_active_fec(value_of<std::uint32_t>(attribute, 0), facts);
    if (type == ETHTOOL_A_FEC_STATS) add_fec_statistics(attribute, facts);
  });
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
                    [&](const nlattr* attribute) {
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
  if (socket) (void)ask_link_state(*socket, interface, facts);
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
