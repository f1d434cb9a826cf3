#include <gmock/gmock.h>

#include "tests/bench/drill/parsed_scenario.h"

namespace linkburn::drill {
namespace {

using testing::HasSubstr;

TEST(ScenarioLayout, EachDeviceHasAPortOfItsOwnAndSocketsAreFilledEvenly) {
  const Node node("[[gpu]]\ncount = 4\n");
  EXPECT_EQ(node.address("gpu0-port"), "0000:00:01.0");
  EXPECT_EQ(node.address("gpu0"), "0000:01:00.0");
  EXPECT_EQ(node.address("gpu1-port"), "0000:00:02.0");
  EXPECT_EQ(node.address("gpu2-port"), "0000:80:01.0");
  EXPECT_EQ(node.address("gpu3"), "0000:82:00.0");
  EXPECT_EQ(node.state.gpus[1].numa, 0);
  EXPECT_EQ(node.state.gpus[2].numa, 1);
  EXPECT_EQ(node.function("gpu3-port").slot_number, 4);
  expect_nested_buses(node.state);
}

TEST(ScenarioLayout, DevicesAreSpreadBelowSwitchesInTheirOrder) {
  const Node node(
      "[[switch]]\ncount = 2\n[[switch]]\nname = \"inner\"\nbelow = \"uplink1\"\n"
      "[[gpu]]\ncount = 4\nbelow = [\"uplink0\", \"inner\"]\n[[nic]]\nbelow = \"uplink1\"\n");
  EXPECT_EQ(node.parent("gpu1-port"), "uplink0");
  EXPECT_EQ(node.parent("gpu2-port"), "inner");
  EXPECT_EQ(node.parent("inner"), "inner-port");
  EXPECT_EQ(node.parent("inner-port"), "uplink1");
  EXPECT_EQ(node.function("inner-port").kind, PortKind::switch_downstream);
  EXPECT_EQ(node.function("inner").numa, 1);
  EXPECT_EQ(node.address("uplink0"), "0000:01:00.0");
  EXPECT_EQ(node.address("gpu1-port"), "0000:02:01.0");
  EXPECT_EQ(node.address("gpu1"), "0000:04:00.0");
  EXPECT_EQ(node.function("uplink0-port").slot_number, -1);
  expect_nested_buses(node.state);
}

TEST(ScenarioLayout, WrittenAddressesAreKeptAndOthersAreNumberedAround) {
  const Node node(
      "[[switch]]\naddress = \"0000:02:00.0\"\n"
      "[[nic]]\nbelow = \"uplink0\"\naddress = \"0000:05:00.0\"\n"
      "[[gpu]]\nbelow = \"uplink0\"\naddress = \"0000:07:00.0\"\nport_address = \"0000:03:09.0\"\n"
      "[[gpu]]\nport_address = \"0000:16:01.0\"\naddress = \"0000:17:00.0\"\n"
      "[[gpu]]\naddress = \"10000:e1:00.0\"\nnuma = 1\n[[nvme]]\ncount = 3\nnuma = 0\n");
  EXPECT_EQ(node.address("uplink0"), "0000:02:00.0");
  EXPECT_EQ(node.address("gpu0-port"), "0000:03:09.0");
  EXPECT_EQ(node.address("nic0"), "0000:05:00.0");
  EXPECT_EQ(node.address("gpu1-port"), "0000:16:01.0");
  EXPECT_EQ(node.address("gpu2-port"), "10000:80:01.0");
  EXPECT_EQ(node.address("nvme0"), "0000:01:00.0");
  EXPECT_EQ(node.address("nvme1"), "0000:08:00.0");
  EXPECT_EQ(node.address("nvme2"), "0000:09:00.0");
  expect_nested_buses(node.state);
}

TEST(ScenarioLayout, TheBusesOfASwitchFollowFromAnAddressFarBelow) {
  const Node node(
      "[[switch]]\n[[gpu]]\ncount = 2\nbelow = \"uplink0\"\n"
      "address = [\"0000:42:00.0\", \"0000:43:00.0\"]\n");
  EXPECT_EQ(node.address("uplink0"), "0000:40:00.0");
  EXPECT_EQ(node.address("gpu0-port"), "0000:41:00.0");
  EXPECT_EQ(node.address("gpu1-port"), "0000:41:01.0");
  expect_nested_buses(node.state);
}

TEST(ScenarioLayout, AddressesThatCannotBeAreRefused) {
  EXPECT_EQ(refused("[[gpu]]\naddress = \"0000:17:00.0\"\n[[nic]]\naddress = \"0000:17:00.0\"\n"),
            "two functions at 0000:17:00.0: 'gpu0' and 'nic0': test.toml:5");
  EXPECT_EQ(refused("[[gpu]]\naddress = \"0000:17:01.0\"\n"),
            "'gpu0' is alone below its port: its address ends in 00.0: test.toml:3");
  EXPECT_THAT(refused("[[gpu]]\nnuma = 1\naddress = \"0000:17:00.0\"\n"),
              HasSubstr("write the port's address too"));
  EXPECT_THAT(refused("[[switch]]\n[[gpu]]\ncount = 2\nbelow = \"uplink0\"\n"
                      "address = [\"0000:42:00.0\", \"0001:43:00.0\"]\n"),
              HasSubstr("must be on bus"));
  EXPECT_THAT(refused("[[switch]]\naddress = \"0000:40:00.0\"\n"
                      "[[gpu]]\nbelow = \"uplink0\"\naddress = \"0000:41:00.0\"\n"),
              HasSubstr("is taken"));
  EXPECT_THAT(refused("[[switch]]\n[[gpu]]\ncount = 2\nbelow = \"uplink0\"\n"
                      "address = [\"0000:42:00.0\", \"0000:50:00.0\"]\n"
                      "[[nic]]\naddress = \"0000:45:00.0\"\n"),
              HasSubstr("bus 45 would be below both 'uplink0-port' and 'nic0-port'"));
  EXPECT_THAT(
      refused("[[port]]\naddress = \"0000:17:01.0\"\n[[gpu]]\naddress = \"0000:17:00.0\"\n"),
      HasSubstr("bus 17 would hold root ports and be below 'gpu0-port'"));
  EXPECT_THAT(refused("[[gpu]]\naddress = \"17:0\"\n"), HasSubstr("test.toml:4"));
  EXPECT_THAT(refused("[[gpu]]\ncount = 2\naddress = \"0000:17:00.0\"\n"),
              HasSubstr("'address' needs one text for each of the 2: test.toml:5"));
  EXPECT_THAT(refused("[[gpu]]\naddress = \"0000:01:00.0\"\nport_address = \"0000:ff:1f.0\"\n"),
              HasSubstr("not above its own bus ff"));
}

TEST(ScenarioLayout, ParentsMustBeThereAndFree) {
  EXPECT_EQ(refused("[[gpu]]\nbelow = \"uplink0\"\n"),
            "there is no port or switch 'uplink0': test.toml:4");
  EXPECT_EQ(refused("[[gpu]]\n[[nic]]\nbelow = \"gpu0\"\n"),
            "'gpu0' is no port or switch: test.toml:5");
  EXPECT_EQ(refused("[[port]]\n[[gpu]]\nbelow = \"port0\"\n[[nic]]\nbelow = \"port0\"\n"),
            "'port0' holds a card already: test.toml:7");
  EXPECT_EQ(refused("[[gpu]]\n[[nic]]\nname = \"gpu0\"\n"),
            "two devices are called 'gpu0': test.toml:4");
  EXPECT_THAT(refused("[[gpu]]\nnuma = 2\n"), HasSubstr("'numa' must be a whole number"));
}

TEST(ScenarioLayout, RoomIsBoundedOnBothSidesOfTheLimit) {
  EXPECT_EQ(refused("[[gpu]]\ncount = 16\n"), "taken");
  EXPECT_THAT(refused("[[gpu]]\ncount = 17\n"), HasSubstr("from 1 to 16: test.toml:4"));
  EXPECT_EQ(refused("[[gpu]]\ncount = 16\n[[gpu]]\n"), "more than 16 GPUs: test.toml:5");
  EXPECT_EQ(refused("[[nic]]\ncount = 16\n[[nic]]\n"), "more than 16 NICs: test.toml:5");
  EXPECT_EQ(refused("[[nvme]]\ncount = 16\n[[nvme]]\n"), "more than 16 disks: test.toml:5");
  EXPECT_EQ(refused("[[port]]\ncount = 32\n[[port]]\ncount = 32\n[[port]]\ncount = 32\n"), "taken");
  EXPECT_EQ(refused("[[port]]\ncount = 32\n[[port]]\ncount = 32\n[[port]]\ncount = 32\n[[nic]]\n"),
            "more than 96 PCI functions, ports among them: test.toml:9");
}

TEST(ScenarioPorts, EachKeyIsTaken) {
  const Node node(
      "[[port]]\nname = \"riser\"\ngen = 4\nwidth = 8\nnuma = 1\nslot = 7\n"
      "slot_label = \"PCIE 7\"\naddress = \"0000:c0:03.1\"\n"
      "[[port]]\ncount = 2\n[[gpu]]\nbelow = \"riser\"\n");
  const Function& riser = node.function("riser");
  EXPECT_EQ(riser.kind, PortKind::root_port);
  EXPECT_EQ(riser.slot_number, 7);
  EXPECT_STREQ(riser.slot_label.data(), "PCIE 7");
  EXPECT_EQ(node.address("riser"), "0000:c0:03.1");
  EXPECT_EQ(node.address("gpu0"), "0000:c1:00.0");
  EXPECT_EQ(node.function("gpu0").gen, 1) << "asleep";
  EXPECT_EQ(node.function("gpu0").width, 8);
  EXPECT_EQ(node.function("gpu0").target_gen, 4);
  EXPECT_EQ(node.function("port1").slot_number, -1);
  EXPECT_THAT(refused("[[port]]\nwidth = 3\n"), HasSubstr("1, 2, 4, 8 or 16 lanes"));
}

}  // namespace
}  // namespace linkburn::drill
