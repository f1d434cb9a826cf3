#include "bench/ethtool/answers.h"

#include <fmt/core.h>
#include <linux/ethtool.h>
#include <linux/ethtool_netlink.h>

#include <optional>

#include "bench/ethtool/link_detail.h"

namespace linkburn {
namespace {

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

/// The active one is given as the bit of the link modes that stands for it.
void add_active_fec(std::uint32_t bit, EthtoolFacts& facts) {
  if (bit == ETHTOOL_LINK_MODE_FEC_NONE_BIT) facts.add("fec", "off");
  if (bit == ETHTOOL_LINK_MODE_FEC_RS_BIT) facts.add("fec", "RS");
  if (bit == ETHTOOL_LINK_MODE_FEC_BASER_BIT) facts.add("fec", "BASER");
  if (bit == ETHTOOL_LINK_MODE_FEC_LLRS_BIT) facts.add("fec", "LLRS");
}

/// The first number counts the port, those behind it its lanes [linux net/ethtool/fec.c,
/// fec_stats_recalc].
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

}  // namespace

void add_link_modes(const Answer& answer, EthtoolFacts& facts) {
  std::uint32_t speed = 0;
  std::uint8_t duplex = DUPLEX_UNKNOWN;
  std::uint8_t autonegotiation = 0xff;  // neither on nor off
  facts.add("source", "netlink");
  for (const nlattr* attribute : answer) {
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
  }
  facts.add_link(speed, duplex, autonegotiation);
}

void add_link_state(const Answer& answer, EthtoolFacts& facts) {
  std::optional<std::uint8_t> state;
  std::uint8_t substate = 0;
  for (const nlattr* attribute : answer) {
    const std::uint16_t type = mnl_attr_get_type(attribute);
    if (type == ETHTOOL_A_LINKSTATE_EXT_STATE) state = value_of<std::uint8_t>(attribute, 0);
    if (type == ETHTOOL_A_LINKSTATE_EXT_SUBSTATE) substate = value_of<std::uint8_t>(attribute, 0);
  }
  if (state) facts.add("link_detail", link_detail(*state, substate));
}

void add_fec(const Answer& answer, EthtoolFacts& facts) {
  for (const nlattr* attribute : answer) {
    const std::uint16_t type = mnl_attr_get_type(attribute);
    if (type == ETHTOOL_A_FEC_ACTIVE) add_active_fec(value_of<std::uint32_t>(attribute, 0), facts);
    if (type == ETHTOOL_A_FEC_STATS) add_fec_statistics(attribute, facts);
  }
}

}  // namespace linkburn
