#include "bench/inventory/config_space.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <vector>

namespace linkburn {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// A space of `size` bytes with "OFFSET: bytes" lines in it, all hexadecimal, as lspci prints them.
std::string space(const std::string& dump, std::size_t size = 4096) {
  std::string bytes(size, '\0');
  std::istringstream lines(dump);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    for (std::size_t at = std::stoul(word, nullptr, 16); words >> word; ++at)
      if (at < size) bytes[at] = static_cast<char>(std::stoi(word, nullptr, 16));
  }
  return bytes;
}

/// A root port of an Intel chipset with a disk below it at 8 GT/s x4; as published with lspci.
constexpr const char* kRootPort =
    "00: 86 80 10 9d 07 04 10 00 f1 00 04 06 00 00 81 00\n"
    "30: 00 00 00 00 40 00 00 00 00 00 00 00 ff 01 02 00\n"
    "40: 10 80 42 01 01 80 00 00 20 00 10 00 43 40 72 01\n"
    "50: 40 00 43 70 00 fd 04 00 00 00 48 01 08 00 00 00\n"
    "60: 00 00 00 00 37 08 00 00 00 04 00 00 0e 00 00 00\n"
    "70: 03 00 1f 00 00 00 00 00 00 00 00 00 00 00 00 00\n"
    "80: 05 90 01 00 38 02 e0 fe 00 00 00 00 00 00 00 00\n"
    "100: 01 00 01 14 00 00 00 00 00 00 01 00 11 00 06 00\n"
    "110: 00 00 00 00 00 20 00 00 00 00 00 00 00 00 00 00\n"
    "140: 0d 00 01 20 0f 00 00 00 00 00 00 00 00 00 00 00\n"
    "200: 1e 00 01 22 1f 28 b0 00 0f ff a0 40 b0 00 00 00\n"
    "220: 19 00 01 00 00 00 00 00 00 00 00 00 77 75 77 75\n";

/// A disk at 8 GT/s x4, its capability of PCI Express third in the list; as published with lspci.
constexpr const char* kDisk =
    "00: c3 16 da ed 06 04 10 00 03 02 08 01 10 00 00 00\n"
    "20: 00 00 00 00 00 00 00 00 00 00 00 00 c3 16 da ed\n"
    "30: 00 00 00 00 40 00 00 00 00 00 00 00 0b 01 00 00\n"
    "40: 01 50 03 00 00 00 00 00 00 00 00 00 00 00 00 00\n"
    "50: 05 70 86 01 00 00 00 00 00 00 00 00 00 00 00 00\n"
    "70: 10 b0 02 80 c0 8f 2c 11 1f 20 19 00 43 c8 45 00\n"
    "80: 42 21 43 10 00 00 00 00 00 00 00 00 00 00 00 00\n"
    "90: 00 00 00 00 1f 08 00 00 00 04 00 00 0e 00 00 00\n"
    "a0: 03 00 1f 04 00 00 00 00 00 00 00 00 00 00 00 00\n"
    "b0: 11 00 0f 80 00 20 00 00 00 21 00 00 00 00 00 00\n"
    "100: 01 00 82 15 00 00 00 00 00 00 40 00 30 20 46 00\n"
    "110: 00 00 00 00 00 e0 00 00 a0 00 00 00 00 00 00 00\n"
    "158: 19 00 81 17 00 00 00 00 05 00 00 00 00 37 00 37\n";

/// A bridge from PCI to PCI Express without a link; as published with lspci.
constexpr const char* kReverseBridge =
    "00: e4 14 39 90 06 00 10 00 00 00 04 06 10 00 81 00\n"
    "30: 00 00 00 00 40 00 00 00 00 00 00 00 00 00 00 00\n"
    "40: 10 90 82 00 00 00 00 00 00 50 00 00 00 00 00 00\n"
    "60: 00 00 00 00 20 00 00 00 00 00 00 00 00 00 00 00\n"
    "90: 09 00 70 00 00 00 00 00 00 00 00 00 00 00 00 00\n";

ConfigSpace decode(const std::string& dump, const std::string& changes = "",
                   std::size_t size = 4096) {
  return decode_config_space(space(dump + changes, size));
}

TEST(ConfigSpace, NothingIsUnknown) {
  for (const std::size_t size : {0, 1, 4, 63}) {
    const ConfigSpace nothing = decode(kDisk, "", size);
    EXPECT_FALSE(nothing.registers) << size;
    EXPECT_FALSE(nothing.all_ones);
    EXPECT_FALSE(nothing.has_link);
    EXPECT_EQ(nothing.registers_absent, "short read of " + std::to_string(size) + " bytes");
  }
}

TEST(ConfigSpace, ARootPort) {
  const ConfigSpace port = decode(kRootPort);
  EXPECT_EQ(port.vendor_id, 0x8086);
  EXPECT_EQ(port.device_id, 0x9d10);
  EXPECT_EQ(port.header_type, 1);
  EXPECT_EQ(port.subsystem_vendor_id, std::nullopt);
  EXPECT_TRUE(port.has_link);
  EXPECT_FALSE(port.thunderbolt);
  EXPECT_EQ(port.speed, LinkSpeed{8000});
  EXPECT_EQ(port.width, LinkWidth{4});
  EXPECT_EQ(port.max_speed, LinkSpeed{8000});
  EXPECT_EQ(port.max_width, LinkWidth{4});
  EXPECT_EQ(port.registers_absent, "");
  ASSERT_TRUE(port.registers);
  const LinkRegisters& registers = *port.registers;
  EXPECT_EQ(registers.port_type, "root_port");
  EXPECT_THAT(registers.supported_speeds,
              ElementsAre(LinkSpeed{2500}, LinkSpeed{5000}, LinkSpeed{8000}));
  EXPECT_EQ(registers.target_speed, LinkSpeed{8000});
  EXPECT_EQ(registers.link_disabled, false);
  EXPECT_EQ(registers.training, false);
  EXPECT_EQ(registers.data_link_active, true);
  EXPECT_EQ(registers.card_present, true);
  EXPECT_EQ(registers.slot_number, 0);
  EXPECT_EQ(registers.autonomous_speed_disabled, false);
  EXPECT_EQ(registers.autonomous_width_disabled, false);
  EXPECT_EQ(registers.bandwidth_managed, true);
  EXPECT_EQ(registers.bandwidth_changed_autonomously, false);
  EXPECT_EQ(registers.aspm_supported, "none");
  EXPECT_EQ(registers.aspm_enabled, "none");
  EXPECT_EQ(registers.max_payload_bytes, 256);
  EXPECT_EQ(registers.max_payload_supported_bytes, 256);
  EXPECT_EQ(registers.max_read_request_bytes, 128);
  EXPECT_EQ(registers.tags, 32);
  EXPECT_EQ(registers.aer_correctable_status, 0);
  EXPECT_EQ(registers.aer_correctable_mask, 0x2000);
  EXPECT_EQ(registers.aer_uncorrectable_mask, 0x10000);
  EXPECT_EQ(registers.lane_errors, 0);
  EXPECT_EQ(registers.flit_mode, false);
  EXPECT_EQ(registers.retimer_present, std::nullopt);
}

TEST(ConfigSpace, AnEndpointHasNothingOfAPort) {
  const ConfigSpace disk = decode(kDisk);
  EXPECT_EQ(disk.subsystem_vendor_id, 0x16c3);
  EXPECT_EQ(disk.speed, LinkSpeed{8000});
  EXPECT_EQ(disk.width, LinkWidth{4});
  ASSERT_TRUE(disk.registers);
  const LinkRegisters& registers = *disk.registers;
  EXPECT_EQ(registers.port_type, "endpoint");
  EXPECT_EQ(registers.aspm_supported, "L1");
  EXPECT_EQ(registers.aspm_enabled, "L1");
  EXPECT_EQ(registers.max_payload_bytes, 128);
  EXPECT_EQ(registers.max_read_request_bytes, 512);
  EXPECT_EQ(registers.lane_errors, 5);
  EXPECT_EQ(registers.aer_correctable_mask, 0xe000);
  EXPECT_EQ(registers.aer_uncorrectable_mask, 0x400000);
  for (const auto& of_a_port :
       {registers.link_disabled, registers.training, registers.data_link_active,
        registers.card_present, registers.bandwidth_managed})
    EXPECT_EQ(of_a_port, std::nullopt);
  EXPECT_EQ(registers.slot_number, std::nullopt);
}

TEST(ConfigSpace, ALinkThatIsNotUp) {
  const ConfigSpace bridge = decode(kReverseBridge);
  ASSERT_TRUE(bridge.registers);
  EXPECT_EQ(bridge.registers->port_type, "pci_to_pcie_bridge");
  EXPECT_EQ(bridge.speed, std::nullopt);
  EXPECT_EQ(bridge.width, LinkWidth{0});
  EXPECT_EQ(bridge.max_speed, std::nullopt);
  EXPECT_EQ(bridge.max_width, std::nullopt);
  EXPECT_EQ(bridge.registers->data_link_active, std::nullopt);  // it does not report it
  EXPECT_EQ(bridge.registers->aer_correctable_status, std::nullopt);
  EXPECT_EQ(bridge.registers->lane_errors, std::nullopt);
}

TEST(ConfigSpace, WithoutRightsThereIsNoMoreThanTheHeader) {
  const ConfigSpace disk = decode(kDisk, "", 64);
  EXPECT_EQ(disk.vendor_id, 0x16c3);
  EXPECT_FALSE(disk.registers);
  EXPECT_FALSE(disk.has_link);
  EXPECT_EQ(disk.registers_absent, kNeedsRoot);
}

TEST(ConfigSpace, ShortReadsAreNamed) {
  EXPECT_EQ(decode(kDisk, "", 0x51).registers_absent, "short read of 81 bytes");
  EXPECT_EQ(decode(kDisk, "", 0x83).registers_absent, "short read of 131 bytes");
  EXPECT_FALSE(decode(kDisk, "", 0x83).has_link);
  // Without the second set of registers: the link, and no more.
  const ConfigSpace first_set = decode(kDisk, "", 0x84);
  EXPECT_EQ(first_set.width, LinkWidth{4});
  EXPECT_EQ(first_set.max_speed, LinkSpeed{8000});
  EXPECT_THAT(first_set.registers->supported_speeds, IsEmpty());
  // An old kernel or a hidden domain shows 256 bytes.
  const ConfigSpace small = decode(kDisk, "", 256);
  EXPECT_EQ(small.registers->target_speed, LinkSpeed{8000});
  EXPECT_EQ(small.registers->aer_correctable_status, std::nullopt);
  EXPECT_EQ(small.registers_absent, "");
}

TEST(ConfigSpace, Version1HasNoSecondSet) {
  const ConfigSpace disk = decode(kDisk, "72: 01\n");
  EXPECT_THAT(disk.registers->supported_speeds, IsEmpty());
  EXPECT_EQ(disk.registers->target_speed, std::nullopt);
  EXPECT_EQ(disk.registers->flit_mode, std::nullopt);
  EXPECT_EQ(disk.max_speed, LinkSpeed{8000});
}

TEST(ConfigSpace, AShortCapabilityAtTheVeryEnd) {
  // Version 1, at 0xec: twenty bytes up to 256.
  const ConfigSpace disk = decode(kDisk, "34: ec\nec: 10 00 01 00\nf8: 11 00 00 00 00 00 11 00\n");
  EXPECT_EQ(disk.speed, LinkSpeed{2500});
  EXPECT_EQ(disk.width, LinkWidth{1});
  EXPECT_EQ(disk.registers->port_type, "endpoint");
}

TEST(ConfigSpace, AllOnesIsADeviceThatDoesNotAnswer) {
  const std::string ones(4096, '\xff');
  for (const ConfigSpace& lost : {decode_config_space(ones), decode_config_space(ones.substr(64)),
                                  decode_config_space(ones.substr(0, 2)),
                                  decode(kDisk, "82: ff ff\n"),  // gone while being read
                                  decode(kDisk, "7c: ff ff ff ff\n")}) {
    EXPECT_TRUE(lost.all_ones);
    EXPECT_FALSE(lost.registers);
    EXPECT_FALSE(lost.has_link);
    EXPECT_EQ(lost.width, std::nullopt);
    EXPECT_EQ(lost.registers_absent, "reads as all ones");
  }
}

TEST(ConfigSpace, OfAPortTheNamedMaximumHoldsWhereMoreSpeedsAreListed) {
  const auto max_speed = [](const char* dump, const char* changes) {
    return decode(dump, changes).max_speed;
  };
  EXPECT_EQ(max_speed(kRootPort, "6c: 3e\n"), LinkSpeed{8000});  // lists up to 32 GT/s
  EXPECT_EQ(max_speed(kRootPort, "6c: fe\n"), LinkSpeed{8000});  // and an unknown code
  EXPECT_EQ(max_speed(kRootPort, "6c: 06\n"), LinkSpeed{5000});  // the lower of both
  // An idle GPU may name less than it can.
  EXPECT_EQ(max_speed(kDisk, "9c: 3e\n"), LinkSpeed{32000});
}

TEST(ConfigSpace, UnknownCodesAreNotClamped) {
  const ConfigSpace fast = decode(kDisk, "82: 47 21\n9c: fe\n");  // speed code 7 of seven
  EXPECT_EQ(fast.speed, std::nullopt);
  EXPECT_EQ(fast.max_speed, std::nullopt);
  EXPECT_EQ(fast.registers->supported_speeds.size(), 6U);
  EXPECT_EQ(decode(kDisk, "82: 3f 20\n").speed, std::nullopt);            // 15
  EXPECT_EQ(decode(kDisk, "82: 33 20\n").width, std::nullopt);            // x3
  EXPECT_EQ(decode(kDisk, "82: f3 23\n").width, std::nullopt);            // x63
  EXPECT_EQ(decode(kDisk, "82: 03 22\n").width, LinkWidth{32});           // x32
  EXPECT_EQ(decode(kDisk, "82: c3 20\n").width, LinkWidth{12});           // x12
  EXPECT_EQ(decode(kDisk, "7c: 03 c8 45 00\n").max_width, std::nullopt);  // x0
  EXPECT_EQ(decode(kDisk, "78: df 70\n").registers->max_payload_bytes, std::nullopt);
  EXPECT_EQ(decode(kDisk, "72: b2 00\n").registers->port_type, "unknown");
}

TEST(ConfigSpace, TagsAndSizes) {
  EXPECT_EQ(decode(kDisk, "78: 00 21\n").registers->tags, 256);
  EXPECT_EQ(decode(kDisk, "98: 00 14\n").registers->tags, 1024);
  EXPECT_EQ(decode(kDisk, "78: a0 50\n").registers->max_payload_bytes, 4096);
  EXPECT_EQ(decode(kDisk, "78: a0 50\n").registers->max_read_request_bytes, 4096);
}

TEST(ConfigSpace, WhatHoldsALinkBack) {
  const auto port = [](const char* change) { return *decode(kRootPort, change).registers; };
  EXPECT_EQ(port("70: 21 00\n").target_speed, LinkSpeed{2500});
  EXPECT_EQ(port("70: 21 00\n").autonomous_speed_disabled, true);
  EXPECT_EQ(port("50: 50 02\n").link_disabled, true);
  EXPECT_EQ(port("50: 50 02\n").autonomous_width_disabled, true);
  EXPECT_EQ(port("52: 43 78\n").training, true);
  EXPECT_EQ(port("52: 11 90\n").data_link_active, false);
  EXPECT_EQ(port("52: 11 90\n").bandwidth_changed_autonomously, true);
  EXPECT_EQ(port("5a: 00 00\n").card_present, false);
  EXPECT_EQ(port("54: 00 fd 3c 00\n").slot_number, 7);
  EXPECT_EQ(port("4c: 43 40 62 01\n").data_link_active, std::nullopt);
  EXPECT_EQ(port("4c: 43 40 52 01\n").bandwidth_managed, std::nullopt);
  EXPECT_EQ(port("42: 42 00\n").card_present, std::nullopt);  // no slot
  EXPECT_EQ(port("6c: 0e 00 80 01\n72: 40 00\n").retimer_present, true);
  EXPECT_EQ(port("6c: 0e 00 80 01\n72: 00 04\n").retimer_present, false);
  EXPECT_EQ(port("6c: 0e 00 80 01\n72: 00 04\n").flit_mode, true);
  EXPECT_EQ(port("50: 43 00\n").aspm_enabled, "L0s L1");
}

TEST(ConfigSpace, IntegratedEndpointsHaveNoLink) {
  for (const auto& [flags, type] : {std::pair{"72: 92 00\n", "integrated_endpoint"},
                                    std::pair{"72: a2 00\n", "event_collector"}}) {
    const ConfigSpace part = decode(kDisk, flags);
    ASSERT_TRUE(part.registers);
    EXPECT_EQ(part.registers->port_type, type);
    EXPECT_FALSE(part.has_link);
    EXPECT_EQ(part.width, std::nullopt);
    EXPECT_EQ(part.registers->aer_correctable_status, 0);
  }
}

TEST(ConfigSpace, ConventionalPci) {
  EXPECT_EQ(decode(kDisk, "06: 00 00\n").registers_absent, kNotPcie);
  EXPECT_EQ(decode(kDisk, "34: 00\n").registers_absent, kNotPcie);
  EXPECT_EQ(decode(kDisk, "50: 05 00\n").registers_absent, kNotPcie);
}

TEST(ConfigSpace, ListsThatLeadNowhere) {
  // Into itself, and into nothing.
  EXPECT_EQ(decode(kDisk, "50: 05 40\n").registers_absent, "the list of capabilities is broken");
  EXPECT_EQ(decode(kDisk, "50: ff ff\n").registers_absent, "the list of capabilities is broken");
  EXPECT_FALSE(decode(kDisk, "50: ff ff\n").all_ones);
  // The low two bits of a pointer are not part of it.
  EXPECT_EQ(decode(kDisk, "34: 43\n50: 05 72\n").width, LinkWidth{4});
}

TEST(ConfigSpace, ExtendedListsThatLeadNowhere) {
  EXPECT_EQ(decode(kDisk, "100: 00 00 00 00\n").registers->lane_errors, std::nullopt);
  EXPECT_EQ(decode(kDisk, "100: ff ff ff ff\n").registers->lane_errors, std::nullopt);
  EXPECT_EQ(decode(kDisk, "100: 02 00 01 10\n").registers->lane_errors, std::nullopt);  // a loop
  EXPECT_EQ(decode(kDisk, "100: 01 00 c1 ff\n").registers->lane_errors, std::nullopt);
  EXPECT_EQ(decode(kDisk, "100: 01 00 c1 ff\n").registers->aer_correctable_status, 0);
  EXPECT_EQ(decode(kDisk, "160: ff ff ff ff\n").registers->lane_errors, std::nullopt);
  EXPECT_EQ(decode(kDisk, "110: ff ff ff ff\n").registers->aer_correctable_status, std::nullopt);
  EXPECT_EQ(decode(kDisk, "100: 01 00 82 15\n", 0x104).registers->aer_correctable_status,
            std::nullopt);
}

TEST(ConfigSpace, ErrorsAreKeptAsTheReason) {
  const auto fails = [](std::size_t where, Code code) {
    return decode_config_space([=](std::size_t offset, std::size_t size) -> Result<std::string> {
      if (offset + size > where) return Error{code, "cannot read: reason", "config", {}};
      return space(kDisk).substr(offset, size);
    });
  };
  EXPECT_EQ(fails(0, Code::io).registers_absent, "input/output error");
  EXPECT_EQ(fails(0, Code::timeout).registers_absent, "cannot read: reason");
  EXPECT_EQ(fails(64, Code::io).registers_absent, "input/output error");
  EXPECT_FALSE(fails(64, Code::io).registers);
  EXPECT_EQ(fails(0x80, Code::io).registers_absent, "input/output error");
  // An error behind the link's registers takes nothing from them.
  EXPECT_EQ(fails(256, Code::io).width, LinkWidth{4});
  EXPECT_EQ(fails(256, Code::io).registers_absent, "");
}

TEST(ConfigSpace, TheMarkOfThunderbolt) {
  const std::string tunnel = "52: 41 70\n";  // 2.5 GT/s x4
  const std::string mark = "220: 0b 00 01 00 34 12 81 03\n";
  EXPECT_TRUE(decode(kRootPort, tunnel + mark).thunderbolt);
  EXPECT_FALSE(decode(kRootPort, tunnel).thunderbolt);
  EXPECT_FALSE(decode(kRootPort, tunnel + mark + "00: 22 10\n").thunderbolt);
}

/// Registers that nothing leads to are not touched.
TEST(ConfigSpace, OnlyWhatTheListsLeadToIsRead) {
  std::vector<bool> touched(4096);
  decode_config_space([&](std::size_t offset, std::size_t size) -> Result<std::string> {
    for (std::size_t at = offset; at < offset + size; ++at) touched.at(at) = true;
    return space(kDisk).substr(offset, size);
  });
  EXPECT_TRUE(touched[0x82]);
  EXPECT_FALSE(touched[0x44]);
  EXPECT_FALSE(touched[0x60]);
  EXPECT_FALSE(touched[0xc0]);
  EXPECT_FALSE(touched[0x11c]);
  EXPECT_FALSE(touched[0x178]);
}

}  // namespace
}  // namespace linkburn
