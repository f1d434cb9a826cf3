#include "bench/inventory/link_kind.h"

#include <gtest/gtest.h>

namespace linkburn {
namespace {

LinkEnd end_at(int mts, int lanes, int max_mts, int max_lanes) {
  LinkEnd end;
  end.speed = LinkSpeed{mts}, end.width = LinkWidth{lanes};
  end.max_speed = LinkSpeed{max_mts}, end.max_width = LinkWidth{max_lanes};
  return end;
}

PciFunction function(const char* type, const char* vendor, const char* device, LinkEnd end,
                     PortType port_type = PortType::none) {
  PciFunction made;
  made.type = type, made.vendor_id = vendor, made.device_id = device;
  made.link_end = std::move(end);
  made.port_type = port_type;
  return made;
}

const LinkEnd kPlaceholder = end_at(2500, 1, 2500, 16);
const LinkEnd kTunnel = end_at(2500, 4, 8000, 4);
const LinkEnd kInside = end_at(2500, 1, 2500, 1);
const LinkEnd kFull = end_at(16000, 16, 16000, 16);

TEST(LinkKind, MostArePlain) {
  const auto gpu = function("gpu", "0x10de", "0x2330", kFull);
  const auto port = function("bridge", "0x8086", "0x352a", kFull, PortType::root_port);
  EXPECT_EQ(link_kind_of(gpu, &port).kind, kLinkPcie);
  EXPECT_EQ(link_kind_of(gpu, &port).reason, "");
  // A link of which nothing is known is a plain one as well.
  EXPECT_EQ(link_kind_of(function("gpu", "0x8086", "", {}), &port).kind, kLinkPcie);
}

TEST(LinkKind, HiddenPort) {
  const LinkKind kind = link_kind_of(function("gpu", "0x10de", "0x2330", kFull), nullptr);
  EXPECT_EQ(kind.kind, kLinkHiddenPort);
  EXPECT_NE(kind.reason, "");
}

TEST(LinkKind, ChipToChip) {
  const auto kind = [](const char* type, const char* vendor, const LinkEnd& end,
                       const char* port_vendor) {
    const auto port = function("bridge", port_vendor, "", kFull, PortType::root_port);
    return link_kind_of(function(type, vendor, "0x2e12", end), &port).kind;
  };
  EXPECT_EQ(kind("gpu", "0x10de", kPlaceholder, "0x10de"), kLinkChipToChip);
  EXPECT_EQ(kind("gpu", "0x10de", kPlaceholder, "0x8086"), kLinkPcie);
  EXPECT_EQ(kind("gpu", "0x1002", kPlaceholder, "0x10de"), kLinkPcie);
  EXPECT_EQ(kind("nic", "0x10de", kPlaceholder, "0x10de"), kLinkPcie);
  EXPECT_EQ(kind("gpu", "0x10de", end_at(2500, 16, 32000, 16), "0x10de"), kLinkPcie);  // idle
  EXPECT_EQ(kind("gpu", "0x10de", end_at(5000, 1, 32000, 16), "0x10de"), kLinkPcie);
}

TEST(LinkKind, ThunderboltBetweenTwoControllers) {
  const auto below = function("bridge", "0x8086", "0x1578", kTunnel, PortType::switch_upstream);
  const auto port = function("bridge", "0x8086", "0x15d3", kTunnel, PortType::switch_downstream);
  EXPECT_EQ(link_kind_of(below, &port).kind, kLinkThunderbolt);
  // The node's own controller hangs on a plain link: 2.5 GT/s there is slow.
  const auto root = function("bridge", "0x8086", "0x9d10", kTunnel, PortType::root_port);
  EXPECT_EQ(link_kind_of(below, &root).kind, kLinkPcie);
  // In the box, the link to the card runs at its own speed.
  const auto card = function("gpu", "0x10de", "0x1b80", end_at(8000, 4, 8000, 16));
  EXPECT_EQ(link_kind_of(card, &port).kind, kLinkPcie);
}

TEST(LinkKind, ThunderboltByTheMarkInConfigSpace) {
  auto below = function("bridge", "0x8086", "0x5786", kTunnel, PortType::switch_upstream);
  auto port = function("bridge", "0x8086", "0x5780", kTunnel, PortType::switch_downstream);
  EXPECT_EQ(link_kind_of(below, &port).kind, kLinkPcie);
  below.thunderbolt = port.thunderbolt = true;
  EXPECT_EQ(link_kind_of(below, &port).kind, kLinkThunderbolt);
}

TEST(LinkKind, RemovableDevicesAtTheSpeedOfATunnel) {
  const auto kind = [](const char* removable, const LinkEnd& end) {
    auto device = function("bridge", "0x1022", "0x1234", end, PortType::switch_upstream);
    device.facts["removable"] = removable;
    const auto root = function("bridge", "0x1022", "0x14cd", kTunnel, PortType::root_port);
    return link_kind_of(device, &root).kind;
  };
  EXPECT_EQ(kind("removable", kTunnel), kLinkThunderbolt);
  EXPECT_EQ(kind("fixed", kTunnel), kLinkPcie);
  EXPECT_EQ(kind("unknown", kTunnel), kLinkPcie);
  EXPECT_EQ(kind("removable", end_at(8000, 4, 8000, 4)), kLinkPcie);
}

TEST(LinkKind, InsideACardWithItsOwnSwitch) {
  const auto kind = [](const char* vendor, const LinkEnd& end, const char* port_vendor,
                       PortType port_type) {
    const auto port = function("bridge", port_vendor, "0x4fa4", end, port_type);
    return link_kind_of(function("gpu", vendor, "0x56c0", end), &port).kind;
  };
  constexpr auto kDown = PortType::switch_downstream;
  EXPECT_EQ(kind("0x8086", kInside, "0x8086", kDown), kLinkInternal);
  EXPECT_EQ(kind("0x1002", kFull, "0x1002", kDown), kLinkInternal);
  // Below somebody else's switch, or below a port of the processor, it is the slot's link.
  EXPECT_EQ(kind("0x8086", kInside, "0x1000", kDown), kLinkPcie);
  EXPECT_EQ(kind("0x8086", kInside, "0x8086", PortType::root_port), kLinkPcie);
  EXPECT_EQ(kind("0x1002", kFull, "0x1000", kDown), kLinkPcie);
  EXPECT_EQ(kind("0x1002", kFull, "0x1022", kDown), kLinkPcie);
  // A link that could do more than it does is not fixed.
  EXPECT_EQ(kind("0x8086", end_at(2500, 1, 8000, 1), "0x8086", kDown), kLinkPcie);
  EXPECT_EQ(kind("0x8086", end_at(2500, 1, 2500, 4), "0x8086", kDown), kLinkPcie);
}

TEST(LinkKind, ACardInAThunderboltBoxIsNotInsideACard) {
  const auto port = function("bridge", "0x8086", "0x1578", kInside, PortType::switch_downstream);
  const auto nic = function("nic", "0x8086", "0x1533", kInside);
  EXPECT_EQ(link_kind_of(nic, &port).kind, kLinkPcie);
}

}  // namespace
}  // namespace linkburn
