// Answers as the kernel makes them, for devices that this machine does not have.
#include "bench/ethtool/answers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/ethtool.h>
#include <linux/ethtool_netlink.h>

#include <array>

namespace linkburn {
namespace {

using testing::HasSubstr;
using testing::Not;

/// A message that grows, and the answer that it is.
class Message {
 public:
  Message() : header_(mnl_nlmsg_put_header(buffer_.data())) {}

  Message& u8(std::uint16_t type, std::uint8_t value) {
    mnl_attr_put_u8(header_, type, value);
    return *this;
  }
  Message& u32(std::uint16_t type, std::uint32_t value) {
    mnl_attr_put_u32(header_, type, value);
    return *this;
  }
  template <class T>
  Message& values(std::uint16_t type, const std::vector<T>& values) {
    mnl_attr_put(header_, type, values.size() * sizeof(T), values.data());
    return *this;
  }
  Message& bits(std::uint16_t type, const std::vector<std::uint32_t>& value,
                const std::vector<std::uint32_t>& mask) {
    nlattr* nest = mnl_attr_nest_start(header_, type);
    u32(ETHTOOL_A_BITSET_SIZE, static_cast<std::uint32_t>(32 * value.size()));
    values(ETHTOOL_A_BITSET_VALUE, value);
    if (!mask.empty()) values(ETHTOOL_A_BITSET_MASK, mask);
    mnl_attr_nest_end(header_, nest);
    return *this;
  }
  nlattr* start(std::uint16_t type) { return mnl_attr_nest_start(header_, type); }
  void end(nlattr* nest) { mnl_attr_nest_end(header_, nest); }

  Answer answer() const {
    Answer answer;
    each_attribute(mnl_nlmsg_get_payload(header_), mnl_nlmsg_get_payload_len(header_),
                   [&](const nlattr* attribute) { answer.push_back(attribute); });
    return answer;
  }

 private:
  alignas(8) std::array<char, 4096> buffer_{};
  nlmsghdr* header_;
};

using Add = void (*)(const Answer&, EthtoolFacts&);
std::string text_of(const Message& message, Add add) {
  EthtoolFacts facts;
  add(message.answer(), facts);
  return facts.text();
}

TEST(Answers, AnEmptyAnswerClaimsNothing) {
  EXPECT_EQ(text_of(Message(), add_link_modes), "source = netlink\n");
  EXPECT_EQ(text_of(Message(), add_link_state), "");
  EXPECT_EQ(text_of(Message(), add_fec), "");
}

TEST(Answers, SupportedIsTheMaskAndAdvertisedTheValue) {
  Message message;
  message
      .bits(ETHTOOL_A_LINKMODES_OURS, {0, 1U << 6}, {1U << 31, 1U << 6})  // bits 31 and 38
      .bits(ETHTOOL_A_LINKMODES_PEER, {1U << 31, 0}, {})
      .u8(ETHTOOL_A_LINKMODES_AUTONEG, 1)
      .u32(ETHTOOL_A_LINKMODES_SPEED, 25000)
      .u8(ETHTOOL_A_LINKMODES_DUPLEX, 1)
      .u32(ETHTOOL_A_LINKMODES_LANES, 1);
  const std::string text = text_of(message, add_link_modes);
  EXPECT_THAT(text, HasSubstr("supported = 25000baseCR/Full 100000baseCR4/Full\n"));
  EXPECT_THAT(text, HasSubstr("advertised = 100000baseCR4/Full\n"));
  EXPECT_THAT(text, HasSubstr("partner = 25000baseCR/Full\n"));
  EXPECT_THAT(text, HasSubstr("autonegotiation = on\n"));
  EXPECT_THAT(text, HasSubstr("speed_mbps = 25000\n"));
  EXPECT_THAT(text, HasSubstr("duplex = full\n"));
  EXPECT_THAT(text, HasSubstr("lanes = 1\n"));
}

TEST(Answers, UnknownSpeedAndDuplexAreNotSaid) {
  Message message;
  message.u32(ETHTOOL_A_LINKMODES_SPEED, 0xffffffff).u8(ETHTOOL_A_LINKMODES_DUPLEX, 0xff);
  const std::string text = text_of(message, add_link_modes);
  EXPECT_THAT(text, Not(HasSubstr("speed")));
  EXPECT_THAT(text, Not(HasSubstr("duplex")));
}

TEST(Answers, TheStateOfALinkIsInWords) {
  Message message;
  message.u8(ETHTOOL_A_LINKSTATE_LINK, 0).u8(ETHTOOL_A_LINKSTATE_EXT_STATE, 3);
  EXPECT_EQ(text_of(message, add_link_state), "link_detail = Bad signal integrity\n");
}

TEST(Answers, FecCountsThePortAndThenItsLanes) {
  Message message;
  message.u32(ETHTOOL_A_FEC_ACTIVE, ETHTOOL_LINK_MODE_FEC_RS_BIT);
  nlattr* nest = message.start(ETHTOOL_A_FEC_STATS);
  message.values<std::uint64_t>(ETHTOOL_A_FEC_STAT_CORRECTED, {12, 5, 7})
      .values<std::uint64_t>(ETHTOOL_A_FEC_STAT_UNCORR, {0})
      .values<std::uint64_t>(ETHTOOL_A_FEC_STAT_CORR_BITS, {});
  message.end(nest);
  EXPECT_EQ(text_of(message, add_fec),
            "fec = RS\nfec.corrected_blocks = 12\nfec.lane0.corrected_blocks = 5\n"
            "fec.lane1.corrected_blocks = 7\nfec.uncorrectable_blocks = 0\n");
}

TEST(Answers, AttributesThatAreTooShortAreNoNumbers) {
  Message message;
  message.values<std::uint8_t>(ETHTOOL_A_LINKMODES_SPEED, {1, 2})
      .values<std::uint8_t>(ETHTOOL_A_LINKMODES_OURS, {1, 2, 3});
  EXPECT_THAT(text_of(message, add_link_modes), Not(HasSubstr("speed")));
}

}  // namespace
}  // namespace linkburn
