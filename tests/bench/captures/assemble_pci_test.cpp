#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/captures/assemble.h"
#include "tests/support/evidence_builder.h"

namespace linkburn {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

PciAddress at(std::string_view text) { return *parse_pci_address(text); }

/// A function at 16.0 GT/s x16 of as much, as a source sees it.
PciFunction make_function(std::string_view address, std::string_view source,
                          std::string_view type = "gpu") {
  PciFunction function;
  function.address = at(address);
  function.type = type;
  function.link_end.source = source;
  if (source.empty()) return function;
  function.link_end.speed = function.link_end.max_speed = LinkSpeed{16000};
  function.link_end.width = function.link_end.max_width = LinkWidth{16};
  return function;
}

PciFunction make_port_function(std::string_view address, int secondary_bus,
                               PortType type = PortType::root_port) {
  PciFunction port = make_function(address, kFromLspci, "bridge");
  port.port_type = type;
  port.secondary_bus = secondary_bus;
  return port;
}

NodeDraft draft_of(std::vector<PciFunction> functions) {
  NodeDraft draft;
  for (PciFunction& function : functions) draft.functions.push_back({std::move(function), true});
  return draft;
}

std::vector<std::string> kinds_of(const Inventory& inventory) {
  std::vector<std::string> kinds;
  for (const Link& link : inventory.links) kinds.push_back(link.component.text() + " " + link.kind);
  return kinds;
}

TEST(AssemblePci, NothingGivesNothing) {
  const Inventory inventory = assemble({});
  EXPECT_THAT(inventory.functions, IsEmpty());
  EXPECT_THAT(inventory.links, IsEmpty());
}

TEST(AssemblePci, TheBusBelowABridgeTellsWhatHangsBelowIt) {
  const Inventory inventory = assemble(
      draft_of({make_function("17:00.0", kFromLspci), make_port_function("16:00.0", 0x17)}));
  ASSERT_THAT(kinds_of(inventory), ElementsAre("0000:17:00.0 pcie"));
  EXPECT_EQ(inventory.links[0].peer, id("0000:16:00.0"));
  EXPECT_EQ(inventory.links[0].port_type, "root_port");
}

TEST(AssemblePci, ABusAboveItsBridgeIsNotBelieved) {
  const Inventory inventory =
      assemble(draft_of({make_port_function("16:00.0", 0x16), make_port_function("17:00.0", 0x3)}));
  for (const PciFunction& function : inventory.functions) EXPECT_FALSE(function.parent);
}

TEST(AssemblePci, ATreeTellsParentsToo) {
  NodeDraft draft =
      draft_of({make_function("17:00.0", kFromLspci), make_function("16:00.0", kFromFiles, "")});
  draft.parents[at("17:00.0")] = at("16:00.0");
  const Inventory inventory = assemble(draft);
  ASSERT_THAT(kinds_of(inventory), ElementsAre("0000:17:00.0 pcie"));
  EXPECT_EQ(inventory.links[0].peer, id("0000:16:00.0"));
}

TEST(AssemblePci, APortThatDoesNotCallItselfOneIsKnownByItsPlace) {
  PciFunction root = make_port_function("00:01.0", 1, PortType::none);
  root.link_end.registers = LinkRegisters{};
  const Inventory inventory = assemble(draft_of(
      {make_function("04:00.0", kFromLspci), make_port_function("03:00.0", 4, PortType::none),
       make_port_function("01:00.0", 3, PortType::none), root,
       make_port_function("00:02.0", 9, PortType::none)}));
  EXPECT_THAT(kinds_of(inventory), ElementsAre("0000:01:00.0 pcie", "0000:04:00.0 pcie"));
}

TEST(AssemblePci, WithoutItsPortADeviceIsALoneEnd) {
  NodeDraft draft =
      draft_of({make_function("17:00.0", kFromLspci), make_function("17:00.1", kFromLspci),
                make_function("16:00.0", "", "bridge")});
  draft.parents[at("17:00.0")] = at("16:00.0");
  const Inventory inventory = assemble(draft);
  ASSERT_THAT(kinds_of(inventory), ElementsAre("0000:17:00.0 lone_end"));
  EXPECT_TRUE(inventory.links[0].peer.empty());
  EXPECT_TRUE(inventory.links[0].device_end.files);
}

TEST(AssemblePci, WhatHasNoLinkOfItsOwnGetsNone) {
  PciFunction virtual_function = make_function("17:00.2", kFromLspci, "nic");
  virtual_function.virtual_function = true;
  PciFunction integrated = make_function("00:02.0", kFromLspci);
  integrated.link_end.registers = LinkRegisters{};
  integrated.link_end.registers->port_type = "integrated_endpoint";
  const PciFunction unread = make_function("18:00.0", "");
  PciFunction root = make_function("000f:00:00.0", kFromFiles, "");
  root.link_end.speed.reset();
  root.link_end.width = LinkWidth{0};
  const Inventory inventory = assemble(
      draft_of({virtual_function, integrated, unread, root, make_port_function("16:00.0", 0x20)}));
  EXPECT_THAT(inventory.links, IsEmpty());
  EXPECT_EQ(inventory.function(at("16:00.0"))->facts.at("empty"), "yes");
}

TEST(AssemblePci, WithoutAClassWhatIsNotDeviceZeroMayBeAPort) {
  const Inventory inventory = assemble(draft_of({make_function("00:01.0", kFromFiles, ""),
                                                 make_function("17:03.0", kFromFiles, "other"),
                                                 make_function("18:00.0", kFromFiles, "other")}));
  EXPECT_THAT(kinds_of(inventory), ElementsAre("0000:18:00.0 lone_end"));
}

TEST(AssemblePci, AnUpperEndWhoseLinkIsUpIsNotEmpty) {
  PciFunction port = make_port_function("16:00.0", 0x17);
  port.link_end.registers = LinkRegisters{};
  port.link_end.registers->data_link_active = true;
  const Inventory inventory = assemble(draft_of({port}));
  EXPECT_EQ(inventory.functions[0].facts.at("empty"), "unknown");
}

TEST(AssemblePci, OfSeveralSourcesTheMostTrustedIsBelievedAndAllAreKept) {
  PciFunction bytes = make_function("17:00.0", kFromBytes);
  bytes.link_end.width = LinkWidth{8};
  bytes.link_end.max_speed.reset();
  PciFunction text = make_function("17:00.0", kFromLspci);
  text.name = "NVIDIA Corporation GA100";
  const Inventory inventory = assemble(draft_of({make_function("17:00.0", kFromNvidiaSmi), text,
                                                 bytes, make_function("17:00.0", kFromFiles)}));
  ASSERT_EQ(inventory.functions.size(), 1U);
  const LinkEnd& end = inventory.functions[0].link_end;
  EXPECT_EQ(end.source, kFromBytes);
  EXPECT_EQ(end.width, LinkWidth{8});
  EXPECT_EQ(end.max_speed, LinkSpeed{16000}) << "from the next";
  EXPECT_EQ(inventory.functions[0].name, "NVIDIA Corporation GA100");
  ASSERT_EQ(end.views.size(), 4U);
  EXPECT_EQ(end.views[0].source, kFromBytes);
  EXPECT_EQ(end.views[1].source, kFromLspci);
  EXPECT_EQ(end.views[3].source, kFromNvidiaSmi);
}

TEST(AssemblePci, TheSameTextTwiceIsOneView) {
  const Inventory inventory = assemble(
      draft_of({make_function("17:00.0", kFromLspci), make_function("17:00.0", kFromLspci)}));
  EXPECT_THAT(inventory.functions[0].link_end.views, IsEmpty());
}

TEST(AssemblePci, ADeviceThatDidNotAnswerHasNoStateFromAnotherMoment) {
  PciFunction silent = make_function("17:00.0", kFromLspci);
  silent.link_end = {};
  silent.link_end.source = kFromLspci;
  silent.link_end.all_ones = true;
  const Inventory inventory =
      assemble(draft_of({silent, make_function("17:00.0", kFromNvidiaSmi)}));
  const LinkEnd& end = inventory.functions[0].link_end;
  EXPECT_TRUE(end.all_ones);
  EXPECT_FALSE(end.width);
  EXPECT_EQ(end.max_width, LinkWidth{16});
  EXPECT_EQ(end.views.size(), 2U);
}

TEST(AssemblePci, WhatWasAsleepForOneSourceWasAwakeForAnother) {
  PciFunction asleep = make_function("17:00.0", kFromFiles);
  asleep.link_end = {};
  asleep.link_end.runtime_status = "suspended";
  EXPECT_EQ(assemble(draft_of({asleep})).functions[0].link_end.runtime_status, "suspended");
  const Inventory both = assemble(draft_of({asleep, make_function("17:00.0", kFromLspci)}));
  EXPECT_EQ(both.functions[0].link_end.runtime_status, "");
}

TEST(AssemblePci, PiecesWithoutAnAddressAreEachOfTheirOwn) {
  NodeDraft draft;
  PciFunction empty = make_function("00:00.0", kFromLspci, "");
  empty.link_end.registers = LinkRegisters{};
  empty.link_end.registers->card_present = false;
  draft.functions = {{make_function("00:00.0", kFromLspci, ""), false},
                     {empty, false},
                     {make_function("00:00.0", kFromLspci, ""), false}};
  const Inventory inventory = assemble(draft);
  EXPECT_THAT(inventory.functions, IsEmpty());
  EXPECT_THAT(kinds_of(inventory), ElementsAre("unnamed1 lone_end", "unnamed3 lone_end"));
  ASSERT_EQ(inventory.parts.size(), 1U);
  EXPECT_EQ(inventory.parts[0].name, "link of unnamed2");
}

Gpu make_gpu(std::string_view component) {
  Gpu gpu;
  gpu.component = id(component);
  gpu.source = "nvidia-smi";
  gpu.name = "NVIDIA A100-SXM4-80GB";
  gpu.speed = LinkSpeed{2500};
  gpu.max_speed = LinkSpeed{8000};
  gpu.own_max_speed = LinkSpeed{16000};
  gpu.width = gpu.max_width = LinkWidth{16};
  return gpu;
}

TEST(AssemblePci, ItsDriverAloneGivesAGpuALoneEnd) {
  NodeDraft draft;
  draft.gpus = {make_gpu("0000:17:00.0")};
  const Inventory inventory = assemble(draft);
  ASSERT_THAT(kinds_of(inventory), ElementsAre("0000:17:00.0 lone_end"));
  const LinkEnd& end = inventory.links[0].device_end;
  EXPECT_EQ(end.source, kFromNvidiaSmi);
  EXPECT_EQ(end.max_speed, LinkSpeed{16000}) << "the GPU's own";
  EXPECT_EQ(inventory.functions[0].type, "gpu");
  draft.gpus = {make_gpu("gpu0")};
  draft.gpus[0].index = 0;
  EXPECT_THAT(kinds_of(assemble(draft)), ElementsAre("gpu0 lone_end"));
}

TEST(AssemblePci, ADriverThatSpeaksOfChipToChipMakesTheLinkOfThatKind) {
  NodeDraft draft;
  draft.gpus = {make_gpu("000f:01:00.0"), make_gpu("")};
  draft.gpus[1].c2c_mode = "Enabled";
  EXPECT_THAT(kinds_of(assemble(draft)), ElementsAre("000f:01:00.0 chip_to_chip"));
  draft.gpus.push_back(make_gpu("0010:01:00.0"));
  EXPECT_THAT(kinds_of(assemble(draft)),
              ElementsAre("000f:01:00.0 lone_end", "0010:01:00.0 lone_end"))
      << "nobody knows which of them it is";
}

KernelLine bottleneck(std::string_view device, std::string_view ability) {
  KernelLine line;
  line.component = id(device);
  line.topic = "bandwidth_limited";
  line.text = std::string("limited by 8.0 GT/s PCIe x4 link at 0000:16:00.0 (capable of ") +
              "63.012 Gb/s with " + std::string(ability) + " link)";
  return line;
}

TEST(AssemblePci, TheKernelTellsWhatADeviceCouldDo) {
  NodeDraft draft =
      draft_of({make_function("17:00.0", "", "nvme"), make_port_function("16:00.0", 0x17)});
  draft.records = {bottleneck("0000:17:00.0", "16.0 GT/s PCIe x4")};
  const Inventory inventory = assemble(draft);
  ASSERT_THAT(kinds_of(inventory), ElementsAre("0000:17:00.0 pcie"));
  EXPECT_EQ(inventory.links[0].device_end.max_speed, LinkSpeed{16000});
  EXPECT_FALSE(inventory.links[0].device_end.width) << "the state of the port is not the device's";
}

TEST(AssemblePci, AKernelLineAloneInventsNoLink) {
  NodeDraft draft = draft_of({make_function("17:00.0", "", "nvme")});
  draft.records = {bottleneck("0000:17:00.0", "16.0 GT/s PCIe x4"),
                   bottleneck("0000:18:00.0", "32.0 GT/s PCIe x63")};
  const Inventory inventory = assemble(draft);
  EXPECT_THAT(inventory.links, IsEmpty());
  EXPECT_EQ(inventory.functions.size(), 1U);
}

}  // namespace
}  // namespace linkburn
