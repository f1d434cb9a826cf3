#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/captures/sysfs_path.h"
#include "tests/bench/captures/read_text.h"

namespace linkburn {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

Inventory tree_of(const std::string& text) {
  NodeDraft draft = read(text);
  EXPECT_THAT(draft.trees, SizeIs(1));
  return draft.trees.empty() ? Inventory{} : std::move(draft.trees.front());
}

constexpr PciAddress kGpu{0, 0x17, 0, 0};

std::string four_files(const std::string& start, const std::string& sign) {
  return start + "current_link_speed" + sign + "16.0 GT/s PCIe\n" + start + "current_link_width" +
         sign + "8\n" + start + "max_link_speed" + sign + "32.0 GT/s PCIe\n" + start +
         "max_link_width" + sign + "16\n";
}

void expect_lone_end(const Inventory& tree) {
  ASSERT_THAT(tree.links, SizeIs(1));
  const Link& link = tree.links.front();
  EXPECT_EQ(link.component, ComponentId::pci(kGpu));
  EXPECT_EQ(link.kind, kLinkLoneEnd);
  EXPECT_TRUE(link.peer.empty()) << "the parent is not invented";
  EXPECT_EQ(link.device_end.source, "files");
  EXPECT_EQ(link.device_end.speed, LinkSpeed{16000});
  EXPECT_EQ(link.device_end.width, LinkWidth{8});
  EXPECT_EQ(link.device_end.max_speed, LinkSpeed{32000});
  EXPECT_EQ(link.device_end.max_width, LinkWidth{16});
  EXPECT_THAT(tree.errors, IsEmpty());
  for (const Part& part : tree.parts) EXPECT_EQ(part.status, "found") << part.name;
}

TEST(SysfsLines, AreReadInEveryFormOfPathAndSign) {
  for (const char* start :
       {"/sys/bus/pci/devices/0000:17:00.0/", "sys/bus/pci/devices/0000:17:00.0/", "0000:17:00.0/",
        "./0000:17:00.0/", "   0000:17:00.0//"})
    for (const char* sign : {":", ": ", " = ", "=", " ", "\n"}) {
      SCOPED_TRACE(std::string(start) + "X" + sign);
      expect_lone_end(tree_of(four_files(start, sign)));
    }
}

TEST(SysfsLines, OfHeadAndOfCatCommands) {
  const std::string folder = "/sys/bus/pci/devices/0000:17:00.0/";
  expect_lone_end(tree_of("==> " + folder + "current_link_speed <==\n16.0 GT/s PCIe\n\n==> " +
                          folder + "current_link_width <==\n8\n\n==> " + folder +
                          "max_link_speed <==\n32.0 GT/s PCIe\n\n==> " + folder +
                          "max_link_width <==\n16\n"));
  expect_lone_end(tree_of("$ cat " + folder + "current_link_speed\n16.0 GT/s PCIe\n# cat " +
                          folder + "current_link_width\n8\nops@n1:~$ cat " + folder +
                          "max_link_speed\n32.0 GT/s PCIe\n$ cat " + folder +
                          "max_link_width\n16\nwhat is wrong with it?\n"));
}

TEST(SysfsLines, PathsOfDevicesTellTheParent) {
  const std::string port = "/sys/devices/pci0000:16/0000:16:01.0/";
  const Inventory lone = tree_of(four_files(port + "0000:17:00.0/", ":"));
  expect_lone_end(lone);
  EXPECT_EQ(lone.function(kGpu)->parent, (PciAddress{0, 0x16, 1, 0}));

  const Inventory both = tree_of(four_files(port, ":") + four_files(port + "0000:17:00.0/", ":"));
  ASSERT_THAT(both.links, SizeIs(1));
  EXPECT_EQ(both.links.front().kind, kLinkPcie);
  EXPECT_EQ(both.links.front().peer.text(), "0000:16:01.0");
  EXPECT_EQ(both.links.front().port_type, "root_port");
}

TEST(SysfsLines, LinksOfTheBusTellTheParentOfFilesBelowTheBus) {
  const NodeDraft draft = read(
      "lrwxrwxrwx 1 root root 0 May  1 10:00 0000:17:00.0 -> "
      "../../../devices/pci0000:16/0000:16:01.0/0000:17:00.0\n" +
      four_files("/sys/bus/pci/devices/0000:17:00.0/", ":"));
  ASSERT_THAT(draft.trees, SizeIs(1));
  expect_lone_end(draft.trees.front());
  EXPECT_EQ(draft.parents.at(kGpu), (PciAddress{0, 0x16, 1, 0}));
}

TEST(SysfsLines, UeventTellsWhatTheDeviceIs) {
  const std::string text =
      "/sys/class/net/ens1/device/uevent:DRIVER=mlx5_core\n"
      "/sys/class/net/ens1/device/uevent:PCI_CLASS=20000\n"
      "/sys/class/net/ens1/device/uevent:PCI_ID=15B3:1021\n"
      "/sys/class/net/ens1/device/uevent:PCI_SLOT_NAME=0000:17:00.0\n" +
      four_files("/sys/class/net/ens1/device/", ":");
  const Inventory tree = tree_of(text);
  expect_lone_end(tree);
  const PciFunction* nic = tree.function(kGpu);
  ASSERT_NE(nic, nullptr);
  EXPECT_EQ(nic->type, "nic");
  EXPECT_EQ(nic->vendor_id, "0x15b3");
  EXPECT_EQ(nic->device_id, "0x1021");
  EXPECT_EQ(nic->driver, "mlx5_core");
}

TEST(SysfsLines, OfPortsInTheirClassOrBelowTheirDevice) {
  for (const char* folder : {"/sys/class/infiniband/mlx5_0/", "mlx5_0/",
                             "/sys/devices/pci0000:16/0000:16:01.0/0000:17:00.0/infiniband/mlx5_0/",
                             "/sys/bus/pci/devices/0000:17:00.0/infiniband/mlx5_0/"}) {
    SCOPED_TRACE(folder);
    const std::string start = folder + std::string("ports/1/");
    const Inventory tree = tree_of(start + "rate:100 Gb/sec (1X NDR)\n" + start +
                                   "state:4: ACTIVE\n" + start + "counters/symbol_error:17\n");
    ASSERT_THAT(tree.ports, SizeIs(1));
    EXPECT_EQ(tree.ports.front().component.text(), "mlx5_0/1");
    EXPECT_EQ(tree.ports.front().rate_gbps, 100);
    EXPECT_EQ(tree.ports.front().lanes, 1);
  }
}

TEST(SysfsLines, ErrorCountersComeWithTheirLinks) {
  const std::string file = "/sys/bus/pci/devices/0000:17:00.0/aer_dev_correctable:";
  const NodeDraft draft = read(four_files("/sys/bus/pci/devices/0000:17:00.0/", ":") + file +
                               "RxErr 0\n" + file + "BadTLP 7\n" + file + "TOTAL_ERR_COR 7\n");
  bool found = false;
  for (const Body& body : draft.records)
    if (const auto* counter = std::get_if<Counter>(&body))
      found = found || (counter->name == "aer_correctable/BadTLP" && counter->value == 7);
  EXPECT_TRUE(found);
}

TEST(SysfsLines, RemarksOfToolsAreUnderstoodAndTellNothing) {
  const NodeDraft draft = read(
      "grep: /sys/bus/pci/devices/0000:17:00.0/rom: Permission denied\n"
      "Binary file /sys/bus/pci/devices/0000:17:00.0/config matches\n"
      "grep: /sys/bus/pci/devices/0000:17:00.0/config: binary file matches\n"
      "cat: /sys/bus/pci/devices/0000:17:00.0/driver: Is a directory\n" +
      four_files("/sys/bus/pci/devices/0000:17:00.0/", ":"));
  EXPECT_EQ(draft.parts.front().not_understood, 0);
  ASSERT_THAT(draft.trees, SizeIs(1));
  expect_lone_end(draft.trees.front());
}

TEST(SysfsLines, ADeviceWhoseRegistersCannotBeReadIsGone) {
  const std::string folder = "/sys/bus/pci/devices/0000:17:00.0/";
  const Inventory tree = tree_of(folder + "max_link_width:16\n" + "grep: " + folder +
                                 "current_link_width: Invalid argument\n" + "grep: " + folder +
                                 "current_link_speed: Invalid argument\n");
  ASSERT_THAT(tree.links, SizeIs(1));
  EXPECT_TRUE(tree.links.front().device_end.all_ones);
}

TEST(SysfsLines, WithoutAClassOnlyWhatMustBeADeviceEndIsALink) {
  const auto links = [](std::vector<std::string> addresses, const std::string& more = {}) {
    std::string text = more;
    for (const std::string& address : addresses)
      text += four_files("/sys/bus/pci/devices/" + address + "/", ":");
    return tree_of(text).links.size();
  };
  EXPECT_EQ(links({"0000:17:00.0", "0000:17:00.1"}), 1U) << "functions of one device";
  EXPECT_EQ(links({"000f:00:00.0"}), 0U) << "on a root bus, most likely a port";
  EXPECT_EQ(links({"0000:16:01.0"}), 0U) << "not below a link";
  EXPECT_EQ(links({"0000:18:00.0", "0000:18:01.0"}), 0U) << "ports of a switch";
  const std::string bridge = "/sys/bus/pci/devices/0000:17:00.0/class:0x060400\n";
  EXPECT_EQ(links({"0000:17:00.0"}, bridge), 0U) << "which end of which link?";
}

TEST(SysfsLines, TheLatestOfTwoReadingsCounts) {
  const std::string folder = "/sys/bus/pci/devices/0000:17:00.0/";
  std::string text = four_files(folder, ":");
  text = folder + "current_link_width:16\n" + text;
  expect_lone_end(tree_of(text));
}

TEST(SysfsLines, AListOfPathsTakesNothingBack) {
  const std::string folder = "/sys/bus/pci/devices/0000:17:00.0/";
  expect_lone_end(
      tree_of(four_files(folder, ":") +
              "\nopened 0 files\n\n[    1.000000] pci 0000:17:00.0: [10de:2330] type 00\n" +
              "==> " + folder + "current_link_width <==\n"));
}

TEST(SysfsLines, TakeNoOtherText) {
  for (const char* line : {"/sys/bus/pci/../../etc/passwd:root", "/proc/cpuinfo:model",
                           "eth0/speed:1", "see /sys/bus/pci/devices for more", "a/b:c",
                           "17:00.0/class:0x030200", "/sys/", "==> notes.txt <=="})
    EXPECT_THAT(read(std::string(line) + "\n8\n").trees, IsEmpty()) << line;
}

TEST(SysfsPath, TakesAddressesButNotWhatFollows) {
  const auto path = sysfs_path("/sys/devices/pci0000:16/0000:16:01.0:pcie001/aer/x:12");
  ASSERT_TRUE(path);
  EXPECT_EQ(path->path, "sys/devices/pci0000:16/0000:16:01.0:pcie001/aer/x");
  EXPECT_EQ(path->rest, ":12");
}

}  // namespace
}  // namespace linkburn
