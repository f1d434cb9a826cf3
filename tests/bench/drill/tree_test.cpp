#include "bench/drill/tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "bench/drill/kernel_log_file.h"
#include "bench/drill/shown_function.h"
#include "bench/inventory/inventory.h"
#include "tests/support/drill_state.h"
#include "tests/support/temp_dir.h"

namespace linkburn::drill {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

/// The tree of a small world, looked at as linkburn does.
class DrillTree : public testing::Test {
 protected:
  void make() {
    auto made = TreeWriter::create(state(), tree());
    ASSERT_TRUE(made) << made.error().line();
    writer_ = std::move(*made);
  }

  void update() {
    const Status updated = writer_->update(state());
    ASSERT_TRUE(updated) << updated.error().line();
  }

  State& state() { return *state_; }
  std::string tree() const { return dir_.path() + "/tree"; }
  Function& function(std::string_view name) {
    return state().functions[static_cast<std::size_t>(test::function_of(state(), name))];
  }

  Inventory inventory() const {
    const auto root = Sysroot::open(tree());
    return root ? discover(*root, read_directly(*root)) : Inventory{};
  }

  std::string text(const std::string& path) const {
    const auto root = Sysroot::open(tree());
    return root ? root->read_line(path).value_or("unreadable") : "no tree";
  }

  std::string file_of(std::string_view name, const char* file) const {
    const int index = test::function_of(*state_, name);
    return "sys/devices/" + place_of(*state_, index) + "/" + file;
  }

  static const Link* link_of(const Inventory& inventory, const Function& function) {
    for (const Link& link : inventory.links)
      if (link.component == ComponentId::pci(address_of(function))) return &link;
    return nullptr;
  }

  test::TempDir dir_;
  std::shared_ptr<State> state_ = test::small_drill_state();
  std::unique_ptr<TreeWriter> writer_;
};

TEST_F(DrillTree, HoldsEachFunctionInItsPlace) {
  make();
  const Inventory found = inventory();
  std::size_t used = 0;
  for (const Function& own : state().functions) {
    if (!own.used) continue;
    ++used;
    const PciFunction* seen = found.function(address_of(own));
    ASSERT_NE(seen, nullptr) << own.name.data();
    EXPECT_EQ(seen->numa_node, own.numa) << own.name.data();
    EXPECT_EQ(seen->parent.has_value(), own.parent >= 0) << own.name.data();
    if (seen->parent) {
      const auto above = static_cast<std::size_t>(own.parent);
      EXPECT_EQ(*seen->parent, address_of(state().functions[above]));
    }
    EXPECT_EQ(seen->port_type == PortType::root_port, own.kind == PortKind::root_port);
    EXPECT_EQ(seen->port_type == PortType::switch_upstream, own.kind == PortKind::switch_upstream);
    EXPECT_EQ(seen->local_cpus, own.numa == 0 ? "0-15" : "16-31");
    EXPECT_EQ(seen->driver, own.device == Device::bridge ? "" : own.driver.data());
  }
  EXPECT_EQ(found.functions.size(), used);
  EXPECT_EQ(found.function(address_of(function("gpu0")))->type, "gpu");
}

TEST_F(DrillTree, HoldsEachLinkWithBothItsEndsAndItsSlot) {
  make();
  const Inventory found = inventory();
  std::size_t links = 0;
  for (const Function& own : state().functions) {
    if (!own.used || own.width == 0) continue;
    ++links;
    const Link* link = link_of(found, own);
    ASSERT_NE(link, nullptr) << own.name.data();
    for (const LinkEnd& end : {link->device_end, link->peer_end}) {
      EXPECT_EQ(end.source, "config");
      EXPECT_EQ(end.speed, LinkSpeed{32000});
      EXPECT_EQ(end.width, LinkWidth{16});
      EXPECT_EQ(end.max_speed, LinkSpeed{32000});
      EXPECT_EQ(end.max_width, LinkWidth{16});
    }
    const auto& port = state().functions[static_cast<std::size_t>(own.parent)];
    EXPECT_EQ(link->peer, ComponentId::pci(address_of(port)));
    EXPECT_EQ(link->peer_end.registers->data_link_active, true);
    EXPECT_EQ(link->peer_end.registers->bandwidth_managed, false);
    EXPECT_EQ(link->slot ? link->slot->label : "-1", std::to_string(port.slot_number));
  }
  EXPECT_EQ(found.links.size(), links);
}

TEST_F(DrillTree, HoldsWhoTheNodeIsAndItsMemory) {
  state().header.seed = 7;
  make();
  const Inventory found = inventory();
  EXPECT_EQ(found.facts.name, "drill0");
  EXPECT_TRUE(found.facts.drill);
  EXPECT_EQ(found.facts.boot_id.size(), 36U);
  EXPECT_EQ(found.facts.uptime_s, 0);
  ASSERT_EQ(found.numa_nodes.size(), 2U);
  EXPECT_EQ(found.numa_nodes[1].cpus.front(), 16);
  state().header.now_ns = 61'234'567'890;
  update();
  EXPECT_EQ(inventory().facts.uptime_s, 61.23);
}

TEST_F(DrillTree, HoldsTheRdmaPortAndItsTemperature) {
  make();
  Inventory found = inventory();
  ASSERT_EQ(found.ports.size(), 1U);
  EXPECT_EQ(found.ports[0].component.text(), "mlx5_0/1");
  EXPECT_EQ(found.ports[0].state, "ACTIVE");
  EXPECT_EQ(found.ports[0].rate_gbps, 400);
  EXPECT_EQ(found.ports[0].pci, ComponentId::pci(address_of(function("nic0"))));
  ASSERT_FALSE(found.readings.empty());
  EXPECT_EQ(found.readings[0].value, 45);
  state().nics[0].rate_gbps = 100, state().nics[0].temperature_c = 103.5;
  update();
  found = inventory();
  EXPECT_EQ(found.ports[0].rate_text, "100 Gb/sec (4X EDR)");
  EXPECT_EQ(found.readings[0].value, 103.5);
  state().nics[0].up = false;
  update();
  EXPECT_EQ(inventory().ports[0].state, "DOWN");
  EXPECT_EQ(inventory().ports[0].phys_state, "Polling");
}

TEST_F(DrillTree, AnEthernetPortCountsHowOftenItsLinkWentDown) {
  state().nics[0].infiniband = false;
  make();
  Inventory found = inventory();
  ASSERT_EQ(found.interfaces.size(), 1U);
  EXPECT_EQ(found.interfaces[0].speed_gbps, 400);
  EXPECT_EQ(found.interfaces[0].supported_gbps, 400);
  EXPECT_EQ(found.ports[0].netdev, "ib0");
  for (const bool up : {false, true, true, false, true}) {
    state().nics[0].up = up;
    update();
  }
  const std::string folder = file_of("nic0", "net/ib0/");
  EXPECT_EQ(text(folder + "carrier_down_count"), "2");
  EXPECT_EQ(text(folder + "carrier_up_count"), "3");
  EXPECT_EQ(text(file_of("nic0", "infiniband/mlx5_0/ports/1/counters/link_downed")), "2");
  EXPECT_EQ(inventory().interfaces[0].carrier, true);
}

TEST_F(DrillTree, AnNvmeDiskThatDoesNotAnswerHasNoTemperature) {
  function("nic0").device = Device::nvme, function("nic0").class_code = 0x010802;
  state().nics[0].used = false;
  state().nvmes[0] = {true, test::function_of(state(), "nic0"), 41.5};
  make();
  ASSERT_EQ(inventory().readings.size(), 3U);
  EXPECT_EQ(inventory().readings[0].value, 41.5);
  EXPECT_EQ(inventory().functions.back().type, "nvme");
  function("nic0").gone = true;
  update();
  const std::vector<Reading> readings = inventory().readings;
  ASSERT_FALSE(readings.empty());
  EXPECT_FALSE(readings[0].value);
}

TEST_F(DrillTree, ALinkThatRetrainsChangesAtBothEndsInFilesAndRegisters) {
  make();
  Function& gpu = function("gpu1");
  gpu.gen = 3, gpu.width = 8, gpu.bandwidth_changed = gpu.training = true;
  update();
  const Link link = *link_of(inventory(), gpu);
  for (const LinkEnd& end : {link.device_end, link.peer_end}) {
    EXPECT_EQ(end.speed, LinkSpeed{8000});
    EXPECT_EQ(end.width, LinkWidth{8});
    EXPECT_EQ(end.max_width, LinkWidth{16});
  }
  EXPECT_EQ(link.peer_end.registers->bandwidth_managed, true);
  EXPECT_EQ(link.peer_end.registers->training, true);
  for (const char* name : {"gpu1", "down1"}) {
    EXPECT_EQ(text(file_of(name, "current_link_speed")), "8.0 GT/s PCIe");
    EXPECT_EQ(text(file_of(name, "current_link_width")), "8");
    EXPECT_EQ(text(file_of(name, "max_link_speed")), "32.0 GT/s PCIe");
  }
  EXPECT_EQ(text(file_of("gpu2", "current_link_width")), "16");
}

TEST_F(DrillTree, ATargetSpeedIsThatOfTheUpperEnd) {
  function("gpu1").target_gen = 4;
  make();
  const Link link = *link_of(inventory(), function("gpu1"));
  EXPECT_EQ(link.peer_end.registers->target_speed, LinkSpeed{16000});
  EXPECT_EQ(link.device_end.registers->target_speed, LinkSpeed{32000});
}

TEST_F(DrillTree, ErrorsAreCountedAtTheEndThatSawThem) {
  make();
  Function& gpu = function("gpu0");
  gpu.lower.correctable[0] = 12345, gpu.lower.correctable[6] = 7;
  gpu.lower.correctable_status = 0x41;
  gpu.upper.fatal = 1, gpu.upper.uncorrectable_status = 0x20;
  update();
  const auto root = Sysroot::open(tree());
  ASSERT_TRUE(root);
  const std::string lower = *root->read(file_of("gpu0", "aer_dev_correctable"));
  EXPECT_THAT(lower, HasSubstr("RxErr 12345 "));
  EXPECT_THAT(lower, HasSubstr("BadTLP 7 "));
  EXPECT_THAT(lower, HasSubstr("TOTAL_ERR_COR 12352 "));
  EXPECT_THAT(*root->read(file_of("root0", "aer_dev_fatal")), HasSubstr("SDES 1 "));
  EXPECT_THAT(*root->read(file_of("gpu0", "aer_dev_fatal")), HasSubstr("TOTAL_ERR_FATAL 0 "));
  const Link link = *link_of(inventory(), gpu);
  EXPECT_EQ(link.device_end.registers->aer_correctable_status, 0x41);
  EXPECT_EQ(link.peer_end.registers->aer_uncorrectable_status, 0x20);
}

TEST_F(DrillTree, AFunctionThatFellOffTheBusReadsAsAllOnesAndItsPortHasNoLink) {
  make();
  function("gpu1").gone = true;
  update();
  const Link link = *link_of(inventory(), function("gpu1"));
  EXPECT_TRUE(link.device_end.all_ones);
  EXPECT_FALSE(link.peer_end.all_ones);
  EXPECT_EQ(link.peer_end.registers->data_link_active, false);
  EXPECT_EQ(text(file_of("gpu1", "current_link_speed")), "Unknown");
  EXPECT_EQ(text(file_of("gpu1", "current_link_width")), "63");
  EXPECT_EQ(text(file_of("gpu1", "max_link_width")), "16");
  EXPECT_EQ(text(file_of("down1", "current_link_width")), "0");
  function("gpu1").gone = false;
  update();
  EXPECT_FALSE(link_of(inventory(), function("gpu1"))->device_end.all_ones);
}

TEST_F(DrillTree, WhatHangsBelowALostSwitchIsLostWithIt) {
  make();
  function("uplink1").gone = true;
  update();
  const Inventory found = inventory();
  EXPECT_TRUE(link_of(found, function("gpu2"))->device_end.all_ones);
  EXPECT_TRUE(link_of(found, function("uplink1"))->device_end.all_ones);
  EXPECT_FALSE(link_of(found, function("gpu0"))->device_end.all_ones);
  EXPECT_EQ(found.ports[0].state, "DOWN");
  EXPECT_FALSE(found.readings[0].value);
}

TEST_F(DrillTree, ASleepingFunctionSaysSo) {
  function("gpu0").suspended = true;
  make();
  EXPECT_EQ(link_of(inventory(), function("gpu0"))->device_end.runtime_status, "suspended");
  EXPECT_EQ(text(file_of("gpu0", "power_state")), "D3hot");
}

TEST_F(DrillTree, APortWithNothingBelowItIsEmpty) {
  function("nic0").used = state().nics[0].used = false;
  function("down3").slot_number = 4;
  make();
  const Inventory found = inventory();
  const PciFunction* port = found.function(address_of(function("down3")));
  EXPECT_EQ(port->facts.at("empty"), "yes");
  EXPECT_EQ(port->facts.at("card_present"), "no");
  EXPECT_EQ(port->link_end.max_width, LinkWidth{16});
}

TEST_F(DrillTree, ASlotGoesByItsLabel) {
  test::set_text(function("down1").slot_label, "PCIE/7");
  make();
  EXPECT_EQ(link_of(inventory(), function("gpu1"))->slot->label, "PCIE-7");
}

TEST_F(DrillTree, WhatDidNotChangeIsNotWritten) {
  make();
  update();
  const std::string file = tree() + "/" + file_of("gpu1", "current_link_width");
  std::ofstream(file) << "not ours";
  function("gpu2").width = 4;
  update();
  EXPECT_EQ(text(file_of("gpu1", "current_link_width")), "not ours");
  EXPECT_EQ(text(file_of("gpu2", "current_link_width")), "4");
}

TEST_F(DrillTree, ReplacesTheTreeOfAnEarlierDrillAndNothingElse) {
  make();
  std::ofstream(tree() + "/sys/left-over") << "x";
  make();
  EXPECT_EQ(text("sys/left-over"), "unreadable");
  EXPECT_EQ(text(kTreeMarker), "small");
  const test::TempDir other;
  other.write("precious", "x");
  const auto refused = TreeWriter::create(state(), other.path());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().source, other.path());
  EXPECT_TRUE(std::ifstream(other.path() + "/precious").good());
}

TEST_F(DrillTree, WithoutRoomIsAnError) {
  const auto nowhere = TreeWriter::create(state(), "/proc/drill");
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().source, "/proc/drill");
}

TEST_F(DrillTree, TheKernelLogHasOneRecordForEachLine) {
  const auto add = [&](const char* line, const char* device) {
    LogLine& entry = state().log[state().log_count % kMaxLogLines];
    entry = {};
    entry.at_ns = 1'500'000 + static_cast<std::int64_t>(state().log_count) * 1'000'000;
    entry.level = 4;
    test::set_text(entry.text, line), test::set_text(entry.device, device);
    ++state().log_count;
  };
  add("first \\ \n", "");
  make();
  EXPECT_EQ(text("dev/kmsg"), "4,0,1500,-;first \\x5c \\x0a");
  add("pcieport 0000:00:01.0: AER: Corrected error received", "+pci:0000:00:01.0");
  update();
  EXPECT_THAT(text("dev/kmsg"), EndsWith("AER: Corrected error received\n SUBSYSTEM=pci\n "
                                         "DEVICE=+pci:0000:00:01.0"));
  // Of more lines than the ring holds the oldest are missing, and their numbers tell.
  for (int i = 0; i < kMaxLogLines + 5; ++i) add("many", "");
  update();
  EXPECT_THAT(text("linkburn/kmsg"), HasSubstr("\n4,7,8500,-;many\n"));
  EXPECT_THAT(text("linkburn/kmsg"), testing::Not(HasSubstr("\n4,6,")));
}

}  // namespace
}  // namespace linkburn::drill
