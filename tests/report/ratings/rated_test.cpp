#include "report/ratings/rated.h"

#include <gmock/gmock.h>

#include "tests/support/evidence_builder.h"

namespace linkburn {
namespace {

using testing::HasSubstr;
constexpr auto kCard = "0000:17:00.0";
constexpr auto kPort = "0000:16:01.0";

Site site_of(std::string_view text) {
  return *read_site("schema = 1\n" + std::string(text), "site.toml", "n");
}

/// An H100 SXM5, which has a row: generation 5, x16.
const Component kGpu = make_device(kCard);

TEST(Rate, WithoutARatingTheLowerEndCounts) {
  Link link = make_link(kCard, kPort, 32000, 16);
  link.peer_end.max_width = LinkWidth{8};
  const LinkRating rating = rate(link);
  EXPECT_EQ(rating.width->value, LinkWidth{8});
  EXPECT_EQ(rating.width->origin, "lower capability of the two ends");
}

TEST(Rate, OneEndAloneIsUnknown) {
  Link link = make_link(kCard, kPort, 32000, 16);
  link.peer_end.max_width.reset();
  link.peer_end.max_speed.reset();
  EXPECT_FALSE(rate(link).width);
  EXPECT_FALSE(rate(link, {nullptr, &kGpu}).width);
  EXPECT_FALSE(rate(link, {nullptr, &kGpu}).speed);
}

TEST(Rate, ADeviceThatClaimsLessThanItsProductIsRatedByTheProduct) {
  Link link = make_link(kCard, kPort, 32000, 16);
  link.device_end.max_width = LinkWidth{8};
  const LinkRating rating = rate(link, {nullptr, &kGpu});
  EXPECT_EQ(rating.width->value, LinkWidth{16});
  EXPECT_THAT(rating.width->origin, HasSubstr("product rating: NVIDIA H100 SXM5 80GB ("));
  EXPECT_EQ(rating.speed->origin, "lower capability of the two ends");
}

TEST(Rate, APortThatGivesLessThanTheProductIsTheLimit) {
  Link link = make_link(kCard, kPort, 32000, 16);
  link.peer_end.max_width = LinkWidth{8};
  link.peer_end.max_speed = LinkSpeed{16000};
  const LinkRating rating = rate(link, {nullptr, &kGpu});
  EXPECT_EQ(rating.width->value, LinkWidth{8});
  EXPECT_EQ(rating.speed->value, LinkSpeed{16000});
  EXPECT_EQ(rating.width->origin, "lower capability of the two ends");
}

TEST(Rate, TheSiteWinsOverEverything) {
  Link link = make_link(kCard, kPort, 32000, 16);
  const Site narrow = site_of("[[slot]]\naddress = \"17:00.0\"\nwidth = 8\n");
  EXPECT_EQ(rate(link, {&narrow, &kGpu}).width->value, LinkWidth{8});
  EXPECT_EQ(rate(link, {&narrow, &kGpu}).width->origin, "site file site.toml:2");
  EXPECT_EQ(rate(link, {&narrow, &kGpu}).speed->value, LinkSpeed{32000});
  link.device_end.max_width = link.peer_end.max_width = LinkWidth{8};
  link.slot = Slot{"7", "kernel"};
  const Site wide = site_of("[[slot]]\nslot = \"7\"\nwidth = 16\n");
  EXPECT_EQ(rate(link, {&wide, nullptr}).width->value, LinkWidth{16});
}

TEST(Rate, ABoardIdOfAPortNamesTheProductOfItsLink) {
  Link link = make_link(kCard, kPort, 32000, 16);
  link.device_end.max_width = LinkWidth{8};
  EXPECT_EQ(rate(link, {nullptr, nullptr, "MT_0000000838"}).width->value, LinkWidth{16});
  EXPECT_EQ(rate(link, {nullptr, nullptr, "unheard of"}).width->value, LinkWidth{8});
}

Interface interface_with(double supported_gbps) {
  Interface interface;
  interface.component = ComponentId::interface("eth0");
  interface.supported_gbps = supported_gbps;
  return interface;
}

TEST(RatePort, SiteThenProductThenFastestMode) {
  Port port = make_port("mlx5_0/1");
  port.netdev = "eth0";
  const Interface interface = interface_with(100);
  EXPECT_EQ(rate_port(port, &interface)->value, 100);
  EXPECT_EQ(rate_port(port, &interface)->origin, "fastest mode that its interface supports");
  port.board_id = "MT_0000000838";
  EXPECT_EQ(rate_port(port, &interface)->value, 400);
  EXPECT_THAT(rate_port(port, &interface)->origin, HasSubstr("MCX75310AAS-NEA"));
  const Site site = site_of("[[port]]\ninterface = \"eth0\"\nrate_gbps = 50\n");
  EXPECT_EQ(rate_port(port, &interface, {&site})->value, 50);
  EXPECT_EQ(rate_port(port, &interface, {&site})->origin, "site file site.toml:2");
}

TEST(RatePort, NobodySaysAnything) {
  const Port port = make_port("mlx5_0/1");
  EXPECT_FALSE(rate_port(port, nullptr));
  const Interface silent;
  EXPECT_FALSE(rate_port(port, &silent));
  const Site up = site_of("[[port]]\nport = \"mlx5_0/1\"\nexpect = \"up\"\n");
  EXPECT_FALSE(rate_port(port, nullptr, {&up}));
}

TEST(RatePort, AModuleHoldsThePortDownButNotTheSite) {
  Port port = make_port("mlx5_0/1");
  Interface interface = interface_with(400);
  interface.module.emplace();
  interface.module->identifier = "QSFP28";
  EXPECT_EQ(rate_port(port, &interface)->value, 400);
  interface.module->rate_gbps = 100;
  EXPECT_EQ(rate_port(port, &interface)->value, 100);
  EXPECT_THAT(rate_port(port, &interface)->origin, HasSubstr("QSFP28"));
  interface.module->rate_gbps = 800;
  EXPECT_EQ(rate_port(port, &interface)->value, 400);
  interface.module->rate_gbps = 100;
  const Site site = site_of("[[port]]\nport = \"mlx5_0/1\"\nrate_gbps = 400\n");
  EXPECT_EQ(rate_port(port, &interface, {&site})->value, 400);
}

}  // namespace
}  // namespace linkburn
