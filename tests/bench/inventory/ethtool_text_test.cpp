#include "bench/inventory/ethtool_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/inventory/link_modes.h"
#include "bench/inventory/module_memory.h"

namespace linkburn {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Taken {
  Interface interface;
  std::vector<Counter> counters;
};

Taken take(std::string_view text) {
  Taken taken;
  taken.interface.component = ComponentId::interface("eth0");
  take_ethtool_text(text, taken.interface, taken.counters);
  return taken;
}

TEST(EthtoolText, AnEmptyTextLeavesAllUnknownAndSaysSo) {
  const Taken taken = take("");
  EXPECT_EQ(taken.interface.autonegotiation, std::nullopt);
  EXPECT_EQ(taken.interface.supported_gbps, std::nullopt);
  EXPECT_EQ(taken.interface.modes_absent, "ethtool gave no link modes");
  EXPECT_EQ(taken.interface.module_absent, "ethtool gave no module memory");
  EXPECT_THAT(taken.counters, IsEmpty());
}

TEST(EthtoolText, ReasonsAreKept) {
  const Taken taken = take("modes.error = Operation not supported\nmodule.error = needs root\n");
  EXPECT_EQ(taken.interface.modes_absent, "Operation not supported");
  EXPECT_EQ(taken.interface.module_absent, "needs root");
}

TEST(EthtoolText, JunkIsNoFact) {
  const Taken taken = take(
      "lanes = -4\nspeed_mbps = fast\nautonegotiation = maybe\n= =\nfec.corrected_blocks = -1\n"
      "statistics.rx_bits_phy = many\nstatistics.unknown = 3\nmodule.lower = 1z\nno line");
  EXPECT_EQ(taken.interface.lanes, std::nullopt);
  EXPECT_EQ(taken.interface.speed_gbps, std::nullopt);
  EXPECT_EQ(taken.interface.autonegotiation, std::nullopt);
  EXPECT_EQ(taken.interface.module, std::nullopt);
  EXPECT_THAT(taken.counters, IsEmpty());
}

TEST(EthtoolText, AModuleOfAnUnknownKindIsSaidToBeOne) {
  const Taken taken = take("module.lower = ff0000\n");
  EXPECT_EQ(taken.interface.module, std::nullopt);
  EXPECT_EQ(taken.interface.module_absent, "a module of a kind that is not known here");
}

TEST(EthtoolText, TheSpeedOfSysfsStands) {
  Interface interface;
  interface.speed_gbps = 25;
  std::vector<Counter> counters;
  take_ethtool_text("speed_mbps = 100000\n", interface, counters);
  EXPECT_EQ(interface.speed_gbps, 25);
  EXPECT_EQ(take("speed_mbps = 100000\n").interface.speed_gbps, 100);
}

TEST(EthtoolText, WithoutALinkThereIsNoSpeed) {
  Interface interface;
  interface.carrier = false;
  std::vector<Counter> counters;
  take_ethtool_text("speed_mbps = 100000\nlanes = 4\nduplex = full\n", interface, counters);
  EXPECT_EQ(interface.speed_gbps, std::nullopt);
  EXPECT_EQ(interface.lanes, std::nullopt);
  EXPECT_EQ(interface.duplex, "");
}

TEST(EthtoolText, PathsAreOfInterfaces) {
  EXPECT_EQ(interface_of_ethtool_file(ethtool_file_of("eth0")), "eth0");
  EXPECT_EQ(interface_of_ethtool_file("sys/class/net/eth0"), std::nullopt);
}

TEST(EthtoolText, StatisticsOfLanesAreWanted) {
  EXPECT_TRUE(wanted_statistic("rx_err_lane_3_phy"));
  EXPECT_TRUE(wanted_statistic("rx_pci_signal_integrity"));
  EXPECT_FALSE(wanted_statistic("rx0_packets"));
}

TEST(LinkModes, AreNamedByTheirBits) {
  // Bits 6 (autonegotiation), 38 and 50 (FEC), 89, and one that no kernel has yet.
  const std::vector<std::uint32_t> words{1U << 6, 1U << 6 | 1U << 18, 1U << 25, 0, 1U << 31};
  EXPECT_THAT(mode_names(words), ElementsAre("100000baseCR4/Full", "400000baseCR4/Full", "bit159"));
}

TEST(LinkModes, TheFastestIsOfSpeedNotOfBitNumber) {
  EXPECT_EQ(fastest_gbps({"100baseT1/Full", "100000baseCR4/Full"}), 100);
  EXPECT_EQ(fastest_gbps({"800000baseCR8/Full", "10baseT1S/Full"}), 800);
  EXPECT_EQ(fastest_gbps({"bit159"}), std::nullopt);
  EXPECT_EQ(fastest_gbps({}), std::nullopt);
}

TEST(LinkModes, AreInOrderAndWithoutDoubles) {
  int last = -1;
  for (const LinkMode& mode : link_modes()) {
    EXPECT_GT(mode.bit, last);
    last = mode.bit;
    EXPECT_TRUE(mode.name.starts_with(std::to_string(mode.speed_mbps) + "base")) << mode.name;
    EXPECT_EQ(mode.speed_mbps % mode.lanes, 0) << mode.name;
  }
}

}  // namespace
}  // namespace linkburn
