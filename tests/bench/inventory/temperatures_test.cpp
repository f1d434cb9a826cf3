#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "bench/inventory/sources.h"
#include "tests/support/temp_dir.h"

namespace linkburn {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kNic = "sys/devices/pci0000:16/0000:16:01.0/0000:17:00.0";

class TemperaturesTest : public testing::Test {
 protected:
  TemperaturesTest() {
    PciFunction port;
    port.address = *parse_pci_address("0000:16:01.0");
    port.folder = "sys/devices/pci0000:16/0000:16:01.0";
    PciFunction nic;
    nic.address = *parse_pci_address("0000:17:00.0");
    nic.folder = kNic;
    inventory_.functions = {port, nic};
  }

  /// A chip below a device; returns its folder.
  std::string chip(int number, const std::string& device, const std::string& name) {
    const std::string folder = fmt::format("{}/hwmon/hwmon{}", device, number);
    dir_.write(folder + "/name", name + "\n");
    fs::create_directories(dir_.path() + "/sys/class/hwmon");
    fs::create_symlink("../../../" + folder,
                       fmt::format("{}/sys/class/hwmon/hwmon{}", dir_.path(), number));
    return folder;
  }

  /// "0000:17:00.0 temperature 52 mlx5 asic", one of each reading.
  std::vector<std::string> found() {
    const Sysroot root = Sysroot::open(dir_.path()).value();
    std::vector<std::string> lines;
    Inventory inventory = inventory_;
    read_temperatures(root, read_directly(root), inventory);
    for (const Reading& reading : inventory.readings)
      lines.push_back(fmt::format("{} {} {} {}", reading.component.text(), reading.quantity,
                                  reading.value ? fmt::format("{}", *reading.value) : "-",
                                  reading.text));
    return lines;
  }

  test::TempDir dir_;
  Inventory inventory_;
};

TEST_F(TemperaturesTest, WithoutMonitorsThereIsNothing) { EXPECT_THAT(found(), IsEmpty()); }

TEST_F(TemperaturesTest, AFunctionsSensorsAreItsOwnAndHaveTheirLimits) {
  const std::string folder = chip(3, kNic, "mlx5");
  dir_.write(folder + "/temp1_input", "52000\n");
  dir_.write(folder + "/temp1_label", "asic\n");
  dir_.write(folder + "/temp1_crit", "105000\n");
  dir_.write(folder + "/temp2_input", "-500\n");
  dir_.write(folder + "/temp2_max", "65261850\n");
  EXPECT_THAT(found(), ElementsAre("0000:17:00.0 temperature 52 mlx5 asic",
                                   "0000:17:00.0 temperature_critical 105 mlx5 asic",
                                   "0000:17:00.0 temperature -0.5 mlx5 temp2"));
}

TEST_F(TemperaturesTest, OthersAreTheNodes) {
  const std::string cpu = chip(0, "sys/devices/platform/coretemp.0", "coretemp");
  dir_.write(cpu + "/temp1_input", "48000\n");
  dir_.write(cpu + "/temp1_label", "Package id 0\n");
  dir_.write(cpu + "/temp2_input", "47000\n");
  dir_.write(cpu + "/temp2_label", "Core 0\n");
  dir_.write(chip(1, "sys/devices/i2c-0/0-0018", "jc42") + "/temp1_input", "31250\n");
  EXPECT_THAT(found(), ElementsAre("node temperature 48 coretemp Package id 0",
                                   "node temperature 31.25 jc42 0-0018 temp1"));
}

TEST_F(TemperaturesTest, WhatCannotBeReadIsUnknownAndSaysWhy) {
  const std::string folder = chip(3, kNic, "mlx5");
  dir_.write(folder + "/temp1_input", "");
  dir_.write(folder + "/temp2_input", "65261850\n");
  dir_.write(folder + "/temp3_input", "1\n");
  dir_.write("linkburn/errors", folder + "/temp3_input\tio\tcannot read: Input/output error\t\n");
  EXPECT_THAT(found(), ElementsAre("0000:17:00.0 temperature - mlx5 temp1: shows ''",
                                   "0000:17:00.0 temperature - mlx5 temp2: shows '65261850'",
                                   "0000:17:00.0 temperature - mlx5 temp3: cannot read: "
                                   "Input/output error"));
}

TEST_F(TemperaturesTest, ASleepingDeviceIsNotTouched) {
  const std::string folder = chip(3, kNic, "amdgpu");
  dir_.write(folder + "/temp1_input", "40000\n");
  inventory_.functions[1].link_end.runtime_status = "suspended";
  EXPECT_THAT(found(), ElementsAre("0000:17:00.0 temperature - asleep, and not woken to read it"));
  const Sysroot root = Sysroot::open(dir_.path()).value();
  const DriverFiles refuse = [](const std::string& path) -> Result<std::string> {
    ADD_FAILURE() << "read " << path;
    return Error{};
  };
  read_temperatures(root, refuse, inventory_);
  EXPECT_EQ(inventory_.readings.size(), 1U);
}

TEST_F(TemperaturesTest, DisksAreNotAskedAsThatKeepsThemAwake) {
  dir_.write(chip(2, "sys/devices/ata1/0:0:0:0", "drivetemp") + "/temp1_input", "40000\n");
  EXPECT_THAT(found(), IsEmpty());
}

}  // namespace
}  // namespace linkburn
