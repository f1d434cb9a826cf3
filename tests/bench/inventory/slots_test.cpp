#include "bench/inventory/slots.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/inventory/inventory.h"
#include "tests/support/node.h"
#include "tests/support/smbios.h"

namespace linkburn {
namespace {

using test::Node;
using test::smbios_slot;
using testing::IsEmpty;

PciAddress at(const char* address) { return *parse_pci_address(address); }

TEST(SlotNumber, IsFoundInWhatSourcesWrite) {
  const std::vector<std::pair<const char*, std::optional<int>>> cases{
      {"7", 7},
      {"PCIE7", 7},
      {"PCIe Slot 4", 4},
      {"SLOT 3", 3},
      {"slot#12", 12},
      {"CPU1 SLOT2 PCI-E 4.0 X16", 2},
      {"RSC-W2-66G4 SLOT1 PCI-E 4.0 X16", 1},
      {"CPU2_PE3", 3},
      {"PCIE5 (X16)", 5},
      {"RISER1 SLOT2", 2},
      {"5-1", 5},
      {"0-12", 0},
      {"PCI-E 3.0 X8", std::nullopt},
      {"x16", std::nullopt},
      {"J6B2", std::nullopt},
      {"OCP", std::nullopt},
      {"Slot", std::nullopt},
      {"", std::nullopt},
      {"99999999999999999999", std::nullopt},
  };
  for (const auto& [label, number] : cases) EXPECT_EQ(slot_number_in(label), number) << label;
}

NamedSlot named(const char* address, std::string_view source, const char* label,
                bool exact = false) {
  return {at(address), exact, {label, std::string(source)}, {}};
}

/// A GPU behind a switch: the two hops up to its root port.
const std::vector<SlotHop> kBehindSwitch{
    {{at("0000:1a:00.0"), false, {}}, {at("0000:19:04.0"), true, 0x1a}},
    {{at("0000:18:00.0"), false, {}}, {at("0000:17:00.0"), true, 0x18}}};

std::string picked(const std::vector<NamedSlot>& names) {
  const auto slot = pick_slot(names, kBehindSwitch);
  return slot ? slot->label + " of " + slot->source : "none";
}

TEST(PickSlot, WithoutANameThereIsNone) {
  EXPECT_EQ(picked({}), "none");
  EXPECT_EQ(picked({named("0000:2b:00.0", kSlotFromSmbios, "SLOT 1")}), "none");
  EXPECT_EQ(picked({named("0001:1a:00.0", kSlotFromSmbios, "SLOT 1")}), "none");
}

TEST(PickSlot, SiteBeforeFirmwareBeforeKernelBeforeRegister) {
  std::vector<NamedSlot> names{named("0000:19:04.0", kSlotFromRegister, "4", true)};
  EXPECT_EQ(picked(names), "4 of slot capability");
  names.push_back(named("0000:1a:00.0", kSlotFromKernel, "4"));
  EXPECT_EQ(picked(names), "4 of kernel");
  names.push_back(named("0000:1a:00.0", kSlotFromSmbios, "PCIE4"));
  EXPECT_EQ(picked(names), "PCIE4 of smbios");
  names.push_back(named("0000:17:00.0", kSlotFromSite, "GPU tray, left"));
  EXPECT_EQ(picked(names), "GPU tray, left of site");
}

TEST(PickSlot, TheNearestHopThatHasAName) {
  EXPECT_EQ(picked({named("0000:18:00.0", kSlotFromSmbios, "SLOT 1"),
                    named("0000:1a:00.0", kSlotFromKernel, "7")}),
            "7 of kernel");
  EXPECT_EQ(picked({named("0000:18:00.0", kSlotFromSmbios, "SLOT 1"),
                    named("0000:19:04.0", kSlotFromRegister, "7", true)}),
            "SLOT 1 of smbios");
}

TEST(PickSlot, FirmwareMayNameTheDeviceOrAPortAboveIt) {
  for (const char* address :
       {"0000:1a:00.0", "0000:1a:00.1", "0000:19:04.0", "0000:18:00.0", "0000:17:00.0"})
    EXPECT_EQ(picked({named(address, kSlotFromSmbios, "SLOT 1")}), "SLOT 1 of smbios") << address;
  // Another port of the same device is another slot; an exact name is that of one function.
  EXPECT_EQ(picked({named("0000:17:00.1", kSlotFromSmbios, "SLOT 1")}), "none");
  EXPECT_EQ(picked({named("0000:1a:00.1", kSlotFromSmbios, "NIC 2", true)}), "none");
}

TEST(PickSlot, APortHasTheSlotOfWhatIsOrWasBelowIt) {
  const std::vector<NamedSlot> names{named("0000:1a:00.0", kSlotFromSmbios, "SLOT 4")};
  const auto slot_of = [&](std::optional<int> secondary_bus) {
    return pick_slot(names, {{{at("0000:19:04.0"), true, secondary_bus}}}).has_value();
  };
  EXPECT_TRUE(slot_of(0x1a));
  EXPECT_FALSE(slot_of(0x1b));
  EXPECT_FALSE(slot_of(std::nullopt));
  const std::vector<NamedSlot> bus0{named("0000:00:02.0", kSlotFromSmbios, "SLOT 4")};
  EXPECT_FALSE(pick_slot(bus0, {{{at("0000:00:01.0"), true, 0}}})) << "a bus that is not set";
}

TEST(PickSlot, NamesThatDisagreeAreKept) {
  const auto others = [](const char* best, std::string_view source, const char* other) {
    return pick_slot(
               {named("0000:1a:00.0", kSlotFromSmbios, best), named("0000:1a:00.0", source, other)},
               kBehindSwitch)
        ->others.size();
  };
  EXPECT_EQ(others("PCIE7", kSlotFromKernel, "7"), 0U);
  EXPECT_EQ(others("SLOT 3", kSlotFromKernel, "4"), 1U);
  EXPECT_EQ(others("SLOT 3", kSlotFromRegister, "4"), 1U);
  EXPECT_EQ(others("OCP", kSlotFromKernel, "4"), 0U);
  EXPECT_EQ(others("SLOT 3", kSlotFromSmbios, "SLOT 4"), 0U) << "one source has no two opinions";
  NamedSlot with_id = named("0000:1a:00.0", kSlotFromSmbios, "OCP");
  with_id.number = 3;
  EXPECT_EQ(pick_slot({with_id, named("0000:1a:00.0", kSlotFromKernel, "4")}, kBehindSwitch)
                ->others.size(),
            1U);
}

/// pair.tree with the firmware's table and changes in the format of overlays.
Inventory pair_with(const std::string& table, const std::string& changes = "",
                    std::vector<std::string> overlays = {}) {
  const test::TempDir dir;
  std::string text = "sys/firmware/dmi/tables/DMI =x";
  for (const char byte : table) text += fmt::format(" {:02x}", static_cast<unsigned char>(byte));
  overlays.push_back(dir.write("changes.overlay", text + "\n" + changes));
  const Node node("pair.tree", overlays);
  return discover(node.root(), read_directly(node.root()));
}

std::string slot_of(const Inventory& inventory, const char* address) {
  const auto slot = inventory.slot_of(at(address));
  return slot ? slot->label + " of " + slot->source : "none";
}

std::string fact(const Inventory& inventory, const char* address, const char* name) {
  const auto& facts = inventory.function(at(address))->facts;
  const auto found = facts.find(name);
  return found != facts.end() ? found->second : "";
}

std::string smbios_status(const Inventory& inventory) {
  for (const Part& part : inventory.parts)
    if (part.name == "smbios") return part.status;
  return "not looked for";
}

TEST(SlotSources, WithoutATableTheKernelNames) {
  const Inventory inventory = pair_with("", "!sys/firmware/dmi/tables/DMI\n");
  EXPECT_EQ(slot_of(inventory, "0000:17:00.0"), "1 of kernel");
  EXPECT_EQ(smbios_status(inventory), "not looked for");
}

TEST(SlotSources, FirmwareNamesDevicesAndPorts) {
  const Inventory inventory =
      pair_with(smbios_slot("PCIE1", 1, 0x17, 0) + smbios_slot("SLOT 8", 8, 0x3a, 0x10));
  EXPECT_EQ(smbios_status(inventory), "found");
  EXPECT_EQ(slot_of(inventory, "0000:17:00.0"), "PCIE1 of smbios");
  EXPECT_EQ(slot_of(inventory, "0000:3b:00.0"), "SLOT 8 of smbios");
  EXPECT_EQ(slot_of(inventory, "0000:3a:02.0"), "SLOT 8 of smbios");
  EXPECT_EQ(fact(inventory, "0000:3a:02.0", "slot_usage"), "in use");
  ASSERT_EQ(inventory.links.size(), 2U);
  ASSERT_TRUE(inventory.links[0].slot && inventory.links[1].slot);
  EXPECT_THAT(inventory.links[0].slot->others, IsEmpty());
  ASSERT_EQ(inventory.links[1].slot->others.size(), 1U);
  EXPECT_EQ(inventory.links[1].slot->others[0].label, "9");
  EXPECT_EQ(inventory.links[1].slot->others[0].source, "kernel");
}

TEST(SlotSources, AddressesThatManySlotsShareAreNotBelieved) {
  const Inventory inventory =
      pair_with(smbios_slot("SLOT 1", 1, 0x17, 0) + smbios_slot("SLOT 2", 2, 0x17, 0));
  EXPECT_EQ(slot_of(inventory, "0000:17:00.0"), "1 of kernel");
}

TEST(SlotSources, TheHostBridgeIsInNoSlot) {
  const Inventory inventory =
      pair_with(smbios_slot("SLOT 1", 1, 0, 0),
                "sys/bus/pci/devices/0000:00:00.0 -> ../../../devices/pci0000:00/0000:00:00.0\n"
                "sys/devices/pci0000:00/0000:00:00.0/class = 0x060000\n");
  EXPECT_EQ(slot_of(inventory, "0000:00:00.0"), "none");
}

TEST(SlotSources, ATableThatIsCutSaysSo) {
  const Inventory inventory = pair_with(smbios_slot("SLOT 1", 1, 0x17, 0).substr(0, 20));
  EXPECT_EQ(slot_of(inventory, "0000:17:00.0"), "1 of kernel");
  for (const Part& part : inventory.parts) {
    if (part.name == "smbios") {
      EXPECT_NE(part.why, "");
    }
  }
}

TEST(SlotSources, AnEmptyPortKeepsTheNameOfWhatWasInIt) {
  const Inventory inventory = pair_with(smbios_slot("SLOT 4", 4, 0x17, 0),
                                        "!sys/bus/pci/devices/0000:17:00.0\n"
                                        "!sys/devices/pci0000:16/0000:16:01.0/0000:17:00.0\n",
                                        {"registers.overlay"});
  EXPECT_EQ(slot_of(inventory, "0000:16:01.0"), "SLOT 4 of smbios");
  EXPECT_EQ(fact(inventory, "0000:16:01.0", "empty"), "yes");
  EXPECT_EQ(fact(inventory, "0000:16:01.0", "slot_usage"), "in use");
}

TEST(SlotSources, RegistersAndTheKernelsLabels) {
  EXPECT_EQ(slot_of(pair_with("", "!sys/bus/pci/slots/1\n", {"registers.overlay"}), "0000:17:00.0"),
            "1 of slot capability");
  const Inventory onboard =
      pair_with("", "sys/devices/pci0000:3a/0000:3a:02.0/0000:3b:00.0/label = Onboard SSD\n");
  EXPECT_EQ(slot_of(onboard, "0000:3b:00.0"), "Onboard SSD of smbios");
  EXPECT_EQ(slot_of(onboard, "0000:17:00.0"), "1 of kernel");
}

TEST(SiteNames, GoBeforeAllOthers) {
  Inventory inventory = pair_with(smbios_slot("PCIE1", 1, 0x17, 0));
  EXPECT_TRUE(inventory.add_slot_name("PCIE1", "rack side, top"));
  EXPECT_TRUE(inventory.add_slot_name("0000:3b:00", "drive bay 2"));
  EXPECT_FALSE(inventory.add_slot_name("PCIE5", "not here"));
  EXPECT_EQ(slot_of(inventory, "0000:17:00.0"), "rack side, top of site");
  EXPECT_EQ(slot_of(inventory, "0000:3b:00.0"), "drive bay 2 of site");
  EXPECT_EQ(inventory.links[0].slot->label, "rack side, top");
  EXPECT_EQ(inventory.links[1].slot->label, "drive bay 2");
}

}  // namespace
}  // namespace linkburn
