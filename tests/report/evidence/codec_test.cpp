#include "report/evidence/codec.h"

#include <gtest/gtest.h>

namespace linkburn {
namespace {

TEST(Codec, LinkRoundTrips) {
  Link link;
  link.component = ComponentId::pci({0, 0x1b, 0, 0});
  link.peer = ComponentId::pci({0, 0x19, 8, 0});
  link.port_type = "switch_downstream";
  link.device_end.speed = LinkSpeed{8000};
  link.device_end.width = LinkWidth{16};
  link.device_end.files = true;
  const std::string line = encode({7, 1234, link});
  const auto back = decode(line);
  ASSERT_TRUE(back) << back.error().line();
  EXPECT_EQ(back->seq, 7);
  EXPECT_EQ(back->at_ns, 1234);
  const auto& read = std::get<Link>(back->body);
  EXPECT_EQ(read.component, link.component);
  EXPECT_EQ(read.device_end.speed, LinkSpeed{8000});
  EXPECT_EQ(read.peer_end.width, std::nullopt);
  EXPECT_EQ(encode(*back), line);
}

TEST(Codec, ARegisterThatSaysNoIsNotTheSameAsOneThatWasNotRead) {
  Link link;
  link.device_end.registers.emplace();
  link.device_end.registers->link_disabled = false;
  link.device_end.registers->supported_speeds = {LinkSpeed{2500}, LinkSpeed{32000}};
  const auto back = decode(encode({1, 0, link}));
  ASSERT_TRUE(back) << back.error().line();
  const auto& registers = std::get<Link>(back->body).device_end.registers;
  ASSERT_TRUE(registers);
  EXPECT_EQ(registers->link_disabled, false);
  EXPECT_EQ(registers->training, std::nullopt);
  EXPECT_EQ(registers->supported_speeds.size(), 2U);
  EXPECT_EQ(registers->supported_speeds.back(), LinkSpeed{32000});
}

TEST(Codec, PortsAndInterfacesRoundTrip) {
  Port port;
  port.component = ComponentId::port("mlx5_0", 1);
  port.gids = {{3, "0000:0000:0000:0000:0000:ffff:0a00:0001", "RoCE v2", "eth0"}};
  port.gids_read = true;
  Interface interface;
  interface.component = ComponentId::interface("eth0");
  interface.carrier = false;
  interface.module = Module{"QSFP28", "ACME", "AC-100", "S1", 100, 41.5, 75};
  for (const Body& body : {Body(port), Body(interface), Body(SiteText{"a.toml", "schema = 1\n"})}) {
    const std::string line = encode({1, 0, body});
    const auto back = decode(line);
    ASSERT_TRUE(back) << back.error().line();
    EXPECT_EQ(encode(*back), line);
  }
}

TEST(Codec, UnknownKindIsKept) {
  const auto record = decode(R"({"kind":"aura","seq":3,"at_ns":5,"colour":"blue"})");
  ASSERT_TRUE(record);
  EXPECT_EQ(kind_of(*record), "aura");
  EXPECT_EQ(encode(*record), R"({"kind":"aura","seq":3,"at_ns":5,"colour":"blue"})");
}

TEST(Codec, WrongTypesAndNonsenseAreErrors) {
  for (const char* line :
       {"", "{", "[]", "7", R"({"seq":1})", R"({"kind":7})", R"({"kind":"link","component":4})",
        R"({"kind":"link","device_end":{"width":"x16"}})", R"({"kind":"counter","value":1.5})"})
    EXPECT_FALSE(decode(line)) << line;
  EXPECT_FALSE(decode(std::string(100000, '[')));
}

}  // namespace
}  // namespace linkburn
