#include "bench/base/component.h"

#include <gtest/gtest.h>

namespace linkburn {
namespace {

TEST(PciAddressText, AllSpellingsInUse) {
  const PciAddress gpu{0, 0x17, 0, 0};
  EXPECT_EQ(parse_pci_address("0000:17:00.0"), gpu);
  EXPECT_EQ(parse_pci_address("17:00.0"), gpu);
  EXPECT_EQ(parse_pci_address("00000000:17:00.0"), gpu) << "NVML";
  EXPECT_EQ(parse_pci_address("0000:AF:1F.7"), (PciAddress{0, 0xaf, 0x1f, 7}));
  EXPECT_EQ(parse_pci_address("10000:e1:00.0"), (PciAddress{0x10000, 0xe1, 0, 0})) << "VMD";
}

TEST(PciAddressText, NothingElse) {
  for (const char* text :
       {"", "0000:17:00", "17:00", "0000:17:20.0", "0000:17:00.8", "0000:117:00.0", "0000:17:00.0 ",
        " 0000:17:00.0", "123456789:17:00.0", ":17:00.0", "0000::00.0", "0000:17:.0", "0000:17:00.",
        "-1:17:00.0", "0x17:00.0", "00:0000:17:00.0", "0000:17:00.00"})
    EXPECT_EQ(parse_pci_address(text), std::nullopt) << text;
}

TEST(PciAddressText, IsWrittenOneWay) {
  EXPECT_EQ(to_string(PciAddress{0, 0xaf, 0x1f, 7}), "0000:af:1f.7");
  EXPECT_EQ(to_string(PciAddress{0x10000, 1, 0, 0}), "10000:01:00.0");
}

TEST(ComponentNames, OfEachKind) {
  EXPECT_EQ(ComponentId::pci({0, 0x17, 0, 0}).text(), "0000:17:00.0");
  EXPECT_EQ(ComponentId::port("mlx5_0", 1).text(), "mlx5_0/1");
  EXPECT_EQ(ComponentId::numa(1).text(), "numa1");
  EXPECT_EQ(ComponentId::numa_path(0, 1).text(), "numa0->numa1");
  EXPECT_EQ(ComponentId::node().text(), "node");
  EXPECT_TRUE(ComponentId().empty());
}

TEST(ComponentNames, OnlyPciFunctionsHaveAnAddress) {
  EXPECT_EQ(ComponentId::pci({0, 0x17, 0, 0}).pci_address(), (PciAddress{0, 0x17, 0, 0}));
  EXPECT_EQ(ComponentId::port("mlx5_0", 1).pci_address(), std::nullopt);
  EXPECT_EQ(ComponentId::numa(0).pci_address(), std::nullopt);
}

TEST(ComponentNames, FromOutsideAreMadePrintable) {
  EXPECT_EQ(ComponentId::from_evidence("a\x1b[0m").text(), "a?[0m");
  EXPECT_LE(ComponentId::from_evidence(std::string(1000, 'x')).text().size(), 256U);
  EXPECT_EQ(ComponentId::port("ml\nx", 1).text(), "ml?x/1");
}

}  // namespace
}  // namespace linkburn
