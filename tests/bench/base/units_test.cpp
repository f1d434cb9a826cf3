#include "bench/base/units.h"

#include <gtest/gtest.h>

namespace linkburn {
namespace {

TEST(LinkSpeedText, OldAndNewKernelSpellings) {
  EXPECT_EQ(parse_link_speed("8 GT/s"), LinkSpeed{8000});
  EXPECT_EQ(parse_link_speed("8.0 GT/s PCIe\n"), LinkSpeed{8000});
  EXPECT_EQ(parse_link_speed("2.5 GT/s PCIe"), LinkSpeed{2500});
  EXPECT_EQ(parse_link_speed("64.0 GT/s PCIe"), LinkSpeed{64000});
}

TEST(LinkSpeedText, WordsAndNonsenseAreUnknown) {
  for (const char* text : {"Unknown", "Unknown speed", "", "-1", "0", "0.0 GT/s", "inf", "nan"})
    EXPECT_EQ(parse_link_speed(text), std::nullopt) << text;
}

TEST(LinkRate, FollowsTheLineCoding) {
  EXPECT_NEAR(link_rate(LinkSpeed{2500}, LinkWidth{16}).gb_per_s(), 4.0, 1e-9);
  EXPECT_NEAR(link_rate(LinkSpeed{8000}, LinkWidth{16}).gb_per_s(), 15.754, 1e-3);
  EXPECT_NEAR(link_rate(LinkSpeed{32000}, LinkWidth{16}).gb_per_s(), 63.015, 1e-3);
}

TEST(Generation, RoundTripsAndKnowsItsEnds) {
  for (int g = 1; g <= kPcieGenerations; ++g)
    EXPECT_EQ(generation_of(speed_of_generation(g).value()), g);
  EXPECT_EQ(speed_of_generation(0), std::nullopt);
  EXPECT_EQ(speed_of_generation(7), std::nullopt);
  EXPECT_EQ(generation_of(LinkSpeed{10000}), std::nullopt);
}

}  // namespace
}  // namespace linkburn
