#include "bench/redact.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/redact_addresses.h"
#include "bench/redact_tables.h"

namespace linkburn {
namespace {

using testing::HasSubstr;
using testing::Not;

/// One file, redacted.
std::string redacted_file(const std::string& path, const std::string& text,
                          const std::string& host = "node17") {
  ReadRecord record;
  record.file("proc/sys/kernel/hostname", host + "\n");
  record.file(path, text);
  return redacted(record).files().at(path);
}

TEST(AddressAliases, KeepTheFormOfEthernetAddressesGuidsAndGids) {
  AddressAliases aliases;
  EXPECT_EQ(aliases.replace_addresses("b8:ce:f6:12:34:56\n"), "02:00:00:00:00:01\n");
  EXPECT_EQ(aliases.replace_addresses("b8ce:f603:0012:3456"), "0200:0003:0000:0001")
      << "a GUID made of an Ethernet address stays made of it";
  EXPECT_EQ(aliases.replace_addresses("fe80:0000:0000:0000:bace:f6ff:fe12:3456"),
            "fe80:0000:0000:0000:0000:00ff:fe00:0001");
  EXPECT_EQ(aliases.replace_addresses("B8:CE:F6:12:34:57: up"), "02:00:00:00:00:02: up");
}

TEST(AddressAliases, KeepTheClassOfGidsAndIpAddresses) {
  AddressAliases aliases;
  EXPECT_EQ(aliases.replace_addresses("0000:0000:0000:0000:0000:ffff:0a01:0203"),
            "0000:0000:0000:0000:0000:ffff:c000:0201");
  EXPECT_EQ(aliases.replace_addresses("ip=10.1.2.3, 10.1.2.4."), "ip=192.0.2.1, 192.0.2.2.");
  EXPECT_THAT(aliases.replace_addresses("2a01:04f8:0000:0000:0000:0000:0000:0007"),
              testing::StartsWith("2001:0db8:0000:0000:"));
  EXPECT_THAT(aliases.replace_addresses("via 2a01:4f8::7 dev eth0"), HasSubstr("via 2001:db8::"));
  EXPECT_EQ(aliases.replace_addresses("169.254.7.7").substr(0, 8), "169.254.");
}

TEST(AddressAliases, LeaveWhatIsNoAddress) {
  for (const char* text :
       {"0000:17:00.0", "0000:17:00", "10000:e1:00.0", "0000:0000:0000:0000", "::", "::1",
        "0000:0000:0000:0000:0000:0000:0000:0000", "ff:ff:ff:ff:ff:ff", "127.0.0.1", "[8086:15ea]",
        "22:04:10", "6.8.0-51-generic", "20.33.1048", "0-55,112-167",
        "00000000-0000-0000-0000-000000000000", "std::string", "RxErr 0"}) {
    AddressAliases aliases;
    EXPECT_EQ(aliases.replace_addresses(text), text);
  }
  AddressAliases aliases;
  EXPECT_EQ(aliases.replace_addresses("218.0.152.0", false), "218.0.152.0") << "a version";
}

TEST(AddressAliases, FindKnownAddressesWithoutSeparators) {
  AddressAliases aliases;
  aliases.replace_addresses("b8:ce:f6:12:34:56");
  EXPECT_EQ(aliases.replace_bare("sys/class/net/enxb8cef6123456"), "sys/class/net/enx020000000001");
  EXPECT_EQ(aliases.replace_bare("enxb8cef6123457"), "enxb8cef6123457");
}

TEST(Redact, HostNamesGoFromFreeTextAndNotFromWhatTheKernelNames) {
  EXPECT_EQ(redacted_file("proc/sys/kernel/hostname", ""), "host-1\n");
  EXPECT_EQ(redacted_file("linkburn/kmsg", "Hostname set to <node17>, node171"),
            "Hostname set to <host-1>, node171");
  EXPECT_EQ(redacted_file("proc/cmdline", "h=n17.site.example", "n17.site.example"),
            "h=ho1.xxxx.xxxxxxx");
  EXPECT_EQ(redacted_file("sys/devices/x/label", "node1", "node1"), "node1");
  EXPECT_EQ(redacted_file("linkburn/kmsg", "on n17.", "n17."), "on ho1.") << "no domain";
}

TEST(Redact, SerialsAreReplacedInTheirPlaceAndWhereverElseTheyStand) {
  ReadRecord record;
  record.file("sys/class/dmi/id/product_serial", "J7KX9Z3\n");
  record.file("linkburn/kmsg", "usb 1-1: SerialNumber: AB12345\nchassis J7KX9Z3 found");
  record.file("sys/class/dmi/id/board_serial", "To Be Filled By O.E.M.\n");
  const ReadRecord out = redacted(record);
  EXPECT_EQ(out.files().at("sys/class/dmi/id/board_serial"), "To Be Filled By O.E.M.\n");
  EXPECT_THAT(out.files().at("linkburn/kmsg"), Not(HasSubstr("AB12345")));
  EXPECT_THAT(out.files().at("linkburn/kmsg"), Not(HasSubstr("J7KX9Z3")));
  const std::string serial = out.files().at("sys/class/dmi/id/product_serial");
  EXPECT_EQ(serial.size(), 8U) << serial;
  EXPECT_THAT(out.files().at("linkburn/kmsg"), HasSubstr(serial.substr(0, 7)));
}

TEST(Redact, OfTheKernelLogOnlyWhatConcernsLinksStays) {
  const std::string down = "pcieport 0000:16:01.0: pciehp: Slot(1): Link Down\n";
  const std::string record = "6,8,1000,-;" + down + " SUBSYSTEM=pci\n DEVICE=+pci:0000:16:01.0\n";
  EXPECT_EQ(redacted_file("linkburn/kmsg",
                          "5,0,0,-;Linux version 6.1\n6,7,900,-;nfs: server files.acme.example\n" +
                              record + "6,9,2000,-;Killed process 77 (secret)\n more\n"),
            "5,0,0,-;(left out)\n6,7,900,-;(left out)\n" + record + "6,9,2000,-;(left out)\n");
  EXPECT_EQ(redacted_file("var/log/dmesg",
                          "[    1.000000] nfs: server files.acme.example\n[    2.000000] " + down),
            "[    2.000000] " + down);
}

TEST(Redact, WhatIsNoSerialNumberStays) {
  for (const char* text :
       {"Serial: 8250/16550 driver", "serial ttyS0 at I/O 0x3f8", "serial8250: x1234",
        "serial: 0000:17:00.0", "Serial Number: None", "serial number = 00000000"})
    EXPECT_EQ(redacted_file("linkburn/kmsg", text), text);
}

TEST(Redact, InterfacesNamedByTheirAddressKeepTheirFiles) {
  ReadRecord record;
  record.link("sys/class/net/enxb8cef6123456", "../../devices/virtual/net/enxb8cef6123456");
  record.file("sys/devices/virtual/net/enxb8cef6123456/address", "b8:ce:f6:12:34:56\n");
  record.seen("sys/devices/virtual/net/enxb8cef6123456/mtu");
  const ReadRecord out = redacted(record);
  const std::string folder = "sys/devices/virtual/net/enx020000000001";
  EXPECT_EQ(out.files().at(folder + "/address"), "02:00:00:00:00:01\n");
  EXPECT_EQ(out.links().at("sys/class/net/enx020000000001"), "../../" + folder.substr(4));
  EXPECT_TRUE(out.bare_names().contains(folder + "/mtu"));
}

TEST(Redact, SmbiosKeepsItsLengthAndItsSlots) {
  using namespace std::string_literals;
  const std::string uuid = "\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10";
  const std::string system =
      "\x01\x1b\x00\x01\x01\x02\x00\x03"s + uuid + "\x06\x00\x00"s + "Maker\0Model\0J7KX9Z3\0\0"s;
  const std::string slot = "\x09\x11\x00\x09\x01"s + std::string(12, '\x05') + "PCIe J7KX9Z3\0\0"s;
  const std::string oem = "\xd0\x06\x00\xd0\x11\x22"s + "secret\0\0"s;
  const std::string out = redacted_file("sys/firmware/dmi/tables/DMI", system + slot + oem);
  EXPECT_EQ(out.size(), (system + slot + oem).size());
  EXPECT_THAT(out, Not(HasSubstr("J7KX9Z3")));
  EXPECT_THAT(out, Not(HasSubstr(uuid)));
  EXPECT_THAT(out, Not(HasSubstr("secret")));
  EXPECT_THAT(out, HasSubstr("Maker\0Model\0"s));
  EXPECT_THAT(out, HasSubstr("PCIe R"));
  EXPECT_EQ(redacted_file("sys/firmware/dmi/tables/DMI", system.substr(0, 20)),
            system.substr(0, 20))
      << "a cut table is left as it is";
}

TEST(Redact, ModuleMemoryLosesItsSerialNumberOnly) {
  std::string page(128, ' ');
  page.replace(68, 16, "MT2112X07777    ");
  std::string hex;
  for (const char c : page) hex += fmt::format("{:02x}", static_cast<unsigned char>(c));
  const std::string text = "source = netlink\nmodule.lower = 1107\nmodule.page0 = " + hex + "\n";
  const std::string out = redacted_file("linkburn/ethtool/eth0", text);
  EXPECT_EQ(out.size(), text.size());
  EXPECT_THAT(out, testing::StartsWith("source = netlink\nmodule.lower = 1107\nmodule.page0 = 20"));
  EXPECT_THAT(out, Not(HasSubstr("4d5432313132583037373737")));
  EXPECT_EQ(redacted_file("linkburn/ethtool/eth0", "module.page0 = 11\n"), "module.page0 = 11\n");
}

TEST(Redact, ConfigSpaceLosesItsSerialNumberCapability) {
  std::string config(4096, '\0');
  config[0x100] = 0x03;
  config.replace(0x104, 8, "\x56\x34\x12\x00\x03\xf6\xce\xb8");
  const std::string out = redacted_file("sys/devices/pci0000:00/0000:00:01.0/config", config);
  EXPECT_EQ(out.size(), config.size());
  EXPECT_THAT(out, Not(HasSubstr("\x56\x34\x12")));
  for (const std::size_t size : {0U, 64U, 256U, 0x106U})
    EXPECT_EQ(redacted_file("sys/x/config", config.substr(0, size)), config.substr(0, size));
}

}  // namespace
}  // namespace linkburn
