// Discovery of links from config space, and where it cannot be read, without.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "bench/inventory/inventory.h"
#include "tests/support/as_nobody.h"
#include "tests/support/node.h"

namespace linkburn {
namespace {

using test::Node;

constexpr const char* kPort = "sys/devices/pci0000:16/0000:16:01.0";
constexpr const char* kGpu = "sys/devices/pci0000:16/0000:16:01.0/0000:17:00.0";
const std::string kAsRoot = "registers.overlay";

PciAddress at(const char* address) { return *parse_pci_address(address); }

Inventory found_in(const Node& node) { return discover(node.root(), read_directly(node.root())); }

/// pair.tree as root sees it, with changes in the format of overlays.
Inventory pair_with(const std::string& changes) {
  const test::TempDir dir;
  return found_in(Node("pair.tree", {kAsRoot, dir.write("changes.overlay", changes + "\n")}));
}

std::string in(const char* folder, const std::string& line) {
  return std::string(folder) + "/" + line + "\n";
}

const Link* link_at(const Inventory& inventory, const char* address) {
  for (const Link& link : inventory.links)
    if (link.component == ComponentId::pci(at(address))) return &link;
  return nullptr;
}

const Link& gpu_link(const Inventory& inventory) {
  const Link* link = link_at(inventory, "0000:17:00.0");
  static const Link none;
  EXPECT_NE(link, nullptr);
  return link != nullptr ? *link : none;
}

std::string fact(const Inventory& inventory, const char* address, const char* name) {
  const PciFunction* function = inventory.function(at(address));
  if (function == nullptr) return "no function";
  const auto found = function->facts.find(name);
  return found != function->facts.end() ? found->second : "";
}

TEST(Registers, OfBothEnds) {
  const Inventory inventory = pair_with("# nothing");
  const Link& link = gpu_link(inventory);
  for (const LinkEnd* end : {&link.device_end, &link.peer_end}) {
    EXPECT_EQ(end->source, "config");
    EXPECT_TRUE(end->files);
    EXPECT_EQ(end->speed, LinkSpeed{32000});
    EXPECT_EQ(end->width, LinkWidth{16});
    EXPECT_EQ(end->max_speed, LinkSpeed{32000});
    EXPECT_EQ(end->max_width, LinkWidth{16});
    EXPECT_EQ(end->registers_absent, "");
    ASSERT_TRUE(end->registers);
    EXPECT_EQ(end->registers->target_speed, LinkSpeed{32000});
    EXPECT_EQ(end->registers->lane_errors, 0);
  }
  EXPECT_EQ(link.device_end.registers->port_type, "endpoint");
  EXPECT_EQ(link.peer_end.registers->port_type, "root_port");
  EXPECT_EQ(link.peer_end.registers->card_present, true);
  EXPECT_EQ(link.port_type, "root_port");
  EXPECT_EQ(link.kind, kLinkPcie);
  EXPECT_EQ(link.kind_reason, "");
  const PciFunction* gpu = inventory.function(at("0000:17:00.0"));
  EXPECT_EQ(gpu->subsystem_vendor_id, "0x10de");
  EXPECT_EQ(gpu->subsystem_device_id, "0x16c1");
}

TEST(Registers, AreLiveAndWinOverTheFiles) {
  const Inventory inventory =
      pair_with(in(kGpu, "config =x@62 83 10") + in(kGpu, "config =x@148 04"));
  EXPECT_EQ(gpu_link(inventory).device_end.speed, LinkSpeed{8000});
  EXPECT_EQ(gpu_link(inventory).device_end.width, LinkWidth{8});
  EXPECT_EQ(gpu_link(inventory).device_end.registers->lane_errors, 4);
}

TEST(Registers, AMaximumThatTheyDoNotTellIsTheKernels) {
  const Inventory inventory =
      pair_with(in(kGpu, "config =x@5c 05 00") + in(kGpu, "config =x@7c fe"));
  const LinkEnd& end = gpu_link(inventory).device_end;
  EXPECT_EQ(end.source, "config");
  EXPECT_EQ(end.max_width, LinkWidth{16});
  EXPECT_EQ(end.max_speed, LinkSpeed{32000});
}

/// Without registers the files say what they say, and why there are no registers is told.
TEST(Registers, ThatCannotBeReadLeaveTheFiles) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"!" + in(kGpu, "config"), "no config file"},
      {in(kGpu, "config =x"), "short read of 0 bytes"},
      {in(kGpu, "config =x de 10 30 23"), "short read of 4 bytes"},
      {in(kGpu, "config =x de 10 30 23 06 04 10 00*45 40 00*11"), "needs root"},
      {in(kGpu, "config =x de 10 30 23 06 04 10 00*45 40 00*11 01 50 00*7"),
       "short read of 73 bytes"},
      {in(kGpu, "config =x@41 40"), "the list of capabilities is broken"},
      {"!" + in(kGpu, "config") + in(kGpu, "config/"), "not a regular file"}};
  for (const auto& [change, why] : cases) {
    const Inventory inventory = pair_with(change);
    const LinkEnd& end = gpu_link(inventory).device_end;
    EXPECT_EQ(end.registers_absent, why);
    EXPECT_FALSE(end.registers);
    EXPECT_EQ(end.source, "files") << why;
    EXPECT_EQ(end.width, LinkWidth{16}) << why;
    EXPECT_EQ(end.max_speed, LinkSpeed{32000}) << why;
    EXPECT_FALSE(end.all_ones) << why;
  }
}

TEST(Registers, NeedRoot) {
  const test::TempDir dir;
  const Node node("pair.tree", {kAsRoot, dir.write("closed", in(kGpu, "config ! mode 000"))});
  const test::AsNobody nobody;
  if (!nobody.bound_by_permissions()) GTEST_SKIP() << "permissions do not bind this user";
  const Inventory inventory = found_in(node);
  EXPECT_EQ(gpu_link(inventory).device_end.registers_absent, "needs root");
  EXPECT_EQ(gpu_link(inventory).device_end.width, LinkWidth{16});
  EXPECT_EQ(gpu_link(inventory).peer_end.source, "config");
}

TEST(Registers, NeitherFilesNorRegistersAreUnknown) {
  std::string changes = "!" + in(kGpu, "config");
  for (const char* file :
       {"current_link_speed", "current_link_width", "max_link_speed", "max_link_width"})
    changes += "!" + in(kGpu, file);
  const Inventory inventory = pair_with(changes);
  const LinkEnd& end = gpu_link(inventory).device_end;
  EXPECT_FALSE(end.files);
  EXPECT_EQ(end.source, "");
  EXPECT_EQ(end.width, std::nullopt);
  EXPECT_EQ(end.max_width, std::nullopt);
  EXPECT_FALSE(end.all_ones);
}

TEST(Registers, AllOnesAreNoWidth) {
  for (const std::string change : {"config =x ff*4096", "config =x@62 ff ff", "config =x ff*64"}) {
    const Inventory inventory = pair_with(in(kGpu, change));
    const LinkEnd& end = gpu_link(inventory).device_end;
    EXPECT_TRUE(end.all_ones) << change;
    EXPECT_FALSE(end.registers);
    EXPECT_EQ(end.registers_absent, "reads as all ones");
    EXPECT_EQ(end.max_width, LinkWidth{16});
  }
}

TEST(Registers, ASleepingDeviceIsNotRead) {
  const Inventory inventory =
      pair_with(in(kGpu, "power/runtime_status = suspended") + in(kGpu, "config =x ff*64"));
  const LinkEnd& end = gpu_link(inventory).device_end;
  EXPECT_FALSE(end.all_ones);
  EXPECT_FALSE(end.registers);
  EXPECT_THAT(end.registers_absent, testing::HasSubstr("asleep"));
  EXPECT_EQ(end.width, std::nullopt);
}

TEST(Registers, SayWhatAPortIs) {
  const auto type_of_port = [](const char* flags) {
    const Inventory inventory = pair_with(in(kPort, std::string("config =x@52 ") + flags));
    return std::string(to_string(inventory.function(at("0000:16:01.0"))->port_type));
  };
  EXPECT_EQ(type_of_port("42 01"), "root_port");
  EXPECT_EQ(type_of_port("52 00"), "switch_upstream");  // its own port is hidden
  EXPECT_EQ(type_of_port("72 00"), "none");             // to conventional PCI: no link below
  EXPECT_EQ(type_of_port("82 00"), "switch_downstream");
}

TEST(Registers, AConventionalBridgeEndsNoLink) {
  const Inventory inventory = pair_with(in(kPort, "config =x@6 00"));
  EXPECT_EQ(inventory.function(at("0000:16:01.0"))->port_type, PortType::none);
  EXPECT_EQ(link_at(inventory, "0000:17:00.0"), nullptr);
}

TEST(Registers, IntegratedEndpointsHaveNoLink) {
  for (const char* flags : {"92 00", "a2 00"}) {
    const Inventory inventory = pair_with(
        "sys/bus/pci/devices/0000:6b:00.0 -> ../../../devices/pci0000:6b/0000:6b:00.0\n"
        "@in sys/devices/pci0000:6b/0000:6b:00.0\nclass = 0x0b4000\nmax_link_width = 16\n"
        "config =x 86 80 40 49 06 04 10 00*45 50 00*27 10 00 " +
        std::string(flags) + " 00*172");
    EXPECT_EQ(link_at(inventory, "0000:6b:00.0"), nullptr);
    const PciFunction* part = inventory.function(at("0000:6b:00.0"));
    ASSERT_NE(part, nullptr);
    ASSERT_TRUE(part->link_end.registers);
    EXPECT_FALSE(part->link_end.files);
    EXPECT_EQ(fact(inventory, "0000:6b:00.0", "integrated"), "yes");
    EXPECT_EQ(fact(inventory, "0000:17:00.0", "integrated"), "");
  }
}

TEST(VirtualFunctions, HaveNoLinkAndSayWhoseTheyAre) {
  const Inventory inventory = pair_with(
      "sys/bus/pci/devices/0000:17:00.4 -> "
      "../../../devices/pci0000:16/0000:16:01.0/0000:17:00.4\n"
      "@in sys/devices/pci0000:16/0000:16:01.0/0000:17:00.4\n"
      "class = 0x030200\nvendor = 0x10de\nphysfn -> ../0000:17:00.0\nconfig =x ff*64\n"
      "current_link_width = 0\nmax_link_width = 0\n"
      "driver -> ../../../../bus/pci/drivers/vfio-pci\n");
  const PciFunction* function = inventory.function(at("0000:17:00.4"));
  ASSERT_NE(function, nullptr);
  EXPECT_TRUE(function->virtual_function);
  EXPECT_EQ(function->physical_function, at("0000:17:00.0"));
  EXPECT_EQ(function->driver, "vfio-pci");
  EXPECT_FALSE(function->link_end.all_ones);
  EXPECT_EQ(inventory.links.size(), 2U);
  EXPECT_FALSE(gpu_link(inventory).device_end.all_ones);
}

std::string without_gpu() {
  return "!sys/bus/pci/devices/0000:17:00.0\n!" + std::string(kGpu) + "\n";
}

TEST(Tunnels, AreFoundByWhatFirmwareSaysOfTheDevice) {
  const std::string tunnel = in(kPort, "config =x@62 41 30") + in(kGpu, "config =x@62 41 10");
  const Inventory removable = pair_with(tunnel + in(kGpu, "removable = removable"));
  EXPECT_EQ(gpu_link(removable).kind, kLinkThunderbolt);
  EXPECT_NE(gpu_link(removable).kind_reason, "");
  EXPECT_EQ(fact(removable, "0000:17:00.0", "removable"), "removable");
  EXPECT_EQ(gpu_link(pair_with(tunnel)).kind, kLinkPcie);
  // At any other speed it does not matter, and is not asked for.
  const Inventory fast = pair_with(in(kGpu, "removable = removable"));
  EXPECT_EQ(gpu_link(fast).kind, kLinkPcie);
  EXPECT_EQ(fact(fast, "0000:17:00.0", "removable"), "");
}

TEST(Identity, WithoutRegistersComesFromFiles) {
  const test::TempDir dir;
  const Inventory inventory = found_in(
      Node("pair.tree",
           {dir.write("driver", in(kGpu, "driver -> ../../../../bus/pci/drivers/nvidia"))}));
  const PciFunction* gpu = inventory.function(at("0000:17:00.0"));
  ASSERT_NE(gpu, nullptr);
  EXPECT_EQ(gpu->subsystem_vendor_id, "0x10de");
  EXPECT_EQ(gpu->subsystem_device_id, "0x16c1");
  EXPECT_EQ(gpu->driver, "nvidia");
  EXPECT_FALSE(gpu->virtual_function);
  EXPECT_EQ(inventory.function(at("0000:3b:00.0"))->driver, "");
}

TEST(EmptyPorts, HaveNoLinkAndSaySo) {
  const Inventory inventory =
      pair_with(without_gpu() + in(kPort, "config =x@62 11 10") + in(kPort, "config =x@6a 00"));
  EXPECT_EQ(inventory.links.size(), 1U);
  EXPECT_EQ(fact(inventory, "0000:16:01.0", "empty"), "yes");
  EXPECT_EQ(fact(inventory, "0000:16:01.0", "card_present"), "no");
  EXPECT_EQ(fact(inventory, "0000:16:01.0", "data_link_active"), "no");
  EXPECT_EQ(fact(inventory, "0000:16:01.0", "link_disabled"), "no");
  EXPECT_EQ(fact(inventory, "0000:3a:02.0", "empty"), "");
  const auto slot = inventory.slot_of(at("0000:16:01.0"));
  ASSERT_TRUE(slot);
  EXPECT_EQ(slot->label, "1");
}

TEST(EmptyPorts, ACardWithoutALinkIsSeen) {
  const Inventory inventory = pair_with(without_gpu() + in(kPort, "config =x@62 11 10"));
  EXPECT_EQ(fact(inventory, "0000:16:01.0", "card_present"), "yes");
  EXPECT_EQ(fact(inventory, "0000:16:01.0", "data_link_active"), "no");
}

TEST(EmptyPorts, WithoutRegistersNothingIsKnownOfACard) {
  const Inventory inventory = found_in(Node("pair.tree", {"vanished.overlay"}));
  EXPECT_EQ(fact(inventory, "0000:16:01.0", "empty"), "yes");
  EXPECT_EQ(fact(inventory, "0000:16:01.0", "card_present"), "");
}

TEST(Cooling, OfThePortAboveALink) {
  const std::string cooling = "sys/class/thermal/cooling_device";
  const Inventory inventory = pair_with(
      cooling + "0/type = Processor\n" + cooling + "0/cur_state = 3\n" + cooling +
      "7/type = PCIe_Port_Link_Speed_0000:16:01.0\n" + cooling + "7/cur_state = 2\n" + cooling +
      "7/max_state = 4\n" + cooling + "8/type = PCIe_Port_Link_Speed_0000:99:01.0\n" + cooling +
      "9/type = PCIe_Port_Link_Speed_odd\n");
  EXPECT_EQ(gpu_link(inventory).cooling_state, 2);
  EXPECT_EQ(gpu_link(inventory).cooling_max_state, 4);
  EXPECT_EQ(link_at(inventory, "0000:3b:00.0")->cooling_state, std::nullopt);
}

TEST(Cooling, AStateThatIsNoNumberIsUnknown) {
  const std::string cooling = "sys/class/thermal/cooling_device7/";
  const Inventory inventory = pair_with(cooling + "type = PCIe_Port_Link_Speed_0000:16:01.0\n" +
                                        cooling + "cur_state = hot\n");
  EXPECT_EQ(gpu_link(inventory).cooling_state, std::nullopt);
  EXPECT_EQ(gpu_link(inventory).cooling_max_state, std::nullopt);
}

std::string aspm_policy(const std::string& change) {
  for (const Part& part : pair_with(change).parts)
    if (part.name == "aspm_policy") return part.version;
  return "none";
}

TEST(AspmPolicy, IsTheWordInBrackets) {
  const std::string file = "sys/module/pcie_aspm/parameters/policy";
  EXPECT_EQ(aspm_policy("# nothing"), "none");
  EXPECT_EQ(aspm_policy(file + " = default performance [powersave] powersupersave"), "powersave");
  EXPECT_EQ(aspm_policy(file + " = default"), "none");
}

TEST(Discovery, ADeviceWhoseFolderIsGoneIsAnError) {
  const Inventory inventory = pair_with("!" + std::string(kGpu));
  EXPECT_EQ(link_at(inventory, "0000:17:00.0"), nullptr);
  ASSERT_EQ(inventory.errors.size(), 1U);
  EXPECT_EQ(inventory.errors[0].component, ComponentId::pci(at("0000:17:00.0")));
  EXPECT_EQ(inventory.errors[0].code, "not_found");
  EXPECT_EQ(fact(inventory, "0000:16:01.0", "empty"), "unknown");
}

}  // namespace
}  // namespace linkburn
