#include "bench/inventory/smbios.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/smbios.h"

namespace linkburn {
namespace {

using test::smbios_slot;
using test::smbios_structure;
using testing::ElementsAre;
using testing::IsEmpty;

const std::string kEnd = smbios_structure(127, {}, {});

TEST(Smbios, NothingNamesNothing) {
  for (const std::string& table : {std::string(), std::string(3, '\0'), kEnd}) {
    EXPECT_THAT(parse_smbios(table).slots, IsEmpty());
    EXPECT_TRUE(parse_smbios(table).whole);
  }
}

TEST(Smbios, ASlot) {
  const SmbiosTable table = parse_smbios(smbios_structure(1, {1, 2}, {"maker", "server"}) +
                                         smbios_slot("SLOT 3", 3, 0x17, 0x09) + kEnd);
  EXPECT_TRUE(table.whole);
  ASSERT_EQ(table.slots.size(), 1U);
  const SmbiosSlot& slot = table.slots[0];
  EXPECT_EQ(slot.designation, "SLOT 3");
  EXPECT_EQ(slot.id, 3);
  EXPECT_EQ(slot.usage, "in use");
  EXPECT_THAT(slot.addresses, ElementsAre(PciAddress{0, 0x17, 1, 1}));
}

TEST(Smbios, UsageSegmentAndNoAddress) {
  const SmbiosTable table =
      parse_smbios(smbios_slot("A", 1, 0x17, 0, 3) + smbios_slot("B", 2, 0xff, 0xff) +
                   smbios_slot("C", 3, 1, 0, 4, 0xffff) + smbios_slot("D", 4, 1, 0, 99, 0x102));
  ASSERT_EQ(table.slots.size(), 4U);
  EXPECT_EQ(table.slots[0].usage, "available");
  EXPECT_THAT(table.slots[1].addresses, IsEmpty());
  EXPECT_THAT(table.slots[2].addresses, IsEmpty());
  EXPECT_EQ(table.slots[3].usage, "");
  EXPECT_THAT(table.slots[3].addresses, ElementsAre(PciAddress{0x102, 1, 0, 0}));
}

TEST(Smbios, OldSlotsHaveNoAddress) {
  const SmbiosTable table = parse_smbios(smbios_structure(9, {1, 6, 5, 4, 3, 7, 0, 4}, {"PCI7"}) +
                                         smbios_structure(9, {1, 6, 5}, {"too old"}));
  ASSERT_EQ(table.slots.size(), 1U);
  EXPECT_EQ(table.slots[0].id, 7);
  EXPECT_THAT(table.slots[0].addresses, IsEmpty());
}

TEST(Smbios, ASplitSlotHasSeveralAddresses) {
  const auto slot = [](int peers) {
    return smbios_structure(9, {1, 0xb6,  13, 4, 4,    1, 0, 4, 1, 0,    0, 0x17, 0,
                                8, peers, 0,  0, 0x18, 0, 8, 0, 0, 0x19, 0, 8},
                            {"SLOT 1"});
  };
  EXPECT_THAT(
      parse_smbios(slot(2)).slots.at(0).addresses,
      ElementsAre(PciAddress{0, 0x17, 0, 0}, PciAddress{0, 0x18, 0, 0}, PciAddress{0, 0x19, 0, 0}));
  EXPECT_EQ(parse_smbios(slot(1)).slots.at(0).addresses.size(), 2U);
  EXPECT_EQ(parse_smbios(slot(200)).slots.at(0).addresses.size(), 3U);  // no more than there are
}

TEST(Smbios, OnboardDevices) {
  const SmbiosTable table =
      parse_smbios(smbios_structure(41, {1, 0x85, 1, 0, 0, 0x31, 0x01}, {"Embedded NIC 2"}) +
                   smbios_structure(41, {1, 0x85, 1, 0, 0, 0xff, 0xff}, {"nowhere"}));
  ASSERT_EQ(table.onboard.size(), 1U);
  EXPECT_EQ(table.onboard[0].designation, "Embedded NIC 2");
  EXPECT_EQ(table.onboard[0].address, (PciAddress{0, 0x31, 0, 1}));
}

TEST(Smbios, StringsThatAreNotThere) {
  EXPECT_EQ(
      parse_smbios(smbios_structure(9, {2, 6, 5, 4, 3, 7, 0, 4}, {"one"})).slots.at(0).designation,
      "");
  EXPECT_EQ(parse_smbios(smbios_structure(9, {0, 6, 5, 4, 3, 7, 0, 4}, {})).slots.at(0).designation,
            "");
  EXPECT_EQ(parse_smbios(smbios_structure(9, {1, 6, 5, 4, 3, 7, 0, 4}, {" PCIE\x01 7 "}))
                .slots.at(0)
                .designation,
            "PCIE? 7");
}

/// What comes before a cut is kept; wherever it is, it ends nothing but the table.
TEST(Smbios, ATableThatIsCut) {
  const std::string table = smbios_slot("SLOT 3", 3, 0x17, 0) + smbios_slot("SLOT 4", 4, 0x18, 0);
  for (std::size_t size = 0; size < table.size(); ++size)
    EXPECT_LE(parse_smbios(table.substr(0, size)).slots.size(), 1U) << size;
  const SmbiosTable cut = parse_smbios(table.substr(0, table.size() - 4));
  EXPECT_EQ(cut.slots.size(), 1U);
  EXPECT_FALSE(cut.whole);
  EXPECT_FALSE(parse_smbios(std::string("\x09\x02\x00\x00\x00\x00", 6)).whole);  // no such length
  EXPECT_FALSE(parse_smbios(std::string(64, '\xff')).whole);
}

}  // namespace
}  // namespace linkburn
