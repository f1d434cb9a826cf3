#include "report/evidence/bottleneck.h"

#include <gtest/gtest.h>

#include <string>

namespace linkburn {
namespace {

TEST(Bottleneck, BothWordingsOfTheKernelAreRead) {
  for (const char* text :
       {"8.000 Gb/s available PCIe bandwidth, limited by 2.5 GT/s PCIe x4 link at 0000:02:01.0 "
        "(capable of 31.504 Gb/s with 8.0 GT/s PCIe x8 link)",
        "8.000 Gb/s available PCIe bandwidth, limited by 2.5 GT/s x4 link at 0000:02:01.0 "
        "(capable of 31.504 Gb/s with 8 GT/s x8 link)"}) {
    const auto found = bottleneck_in(text);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->port.text(), "0000:02:01.0");
    EXPECT_EQ(found->speed, LinkSpeed{2500});
    EXPECT_EQ(found->width, LinkWidth{4});
    EXPECT_EQ(found->device_speed, LinkSpeed{8000});
    EXPECT_EQ(found->device_width, LinkWidth{8});
    EXPECT_FALSE(found->all_ones);
  }
}

TEST(Bottleneck, AllOnesAreNoAbility) {
  const auto found = bottleneck_in(
      "limited by 8.0 GT/s PCIe x4 link at 0000:00:1b.4 (capable of 1984.941 Gb/s with 32.0 GT/s "
      "PCIe x63 link)");
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->all_ones);
}

TEST(Bottleneck, WhatIsCutSaysNothing) {
  const std::string whole =
      "limited by 8.0 GT/s PCIe x4 link at 0000:00:1b.4 (capable of 63.012 Gb/s with 16.0 GT/s";
  for (std::size_t size = 0; size < whole.find(" with "); ++size)
    EXPECT_FALSE(bottleneck_in(whole.substr(0, size))) << size;
  for (const char* text : {"", "limited by  with ", "limited by  with", "x with y limited by z",
                           "limited by Unknown link at 0000:00:1b.4 (capable of x with y"})
    EXPECT_FALSE(bottleneck_in(text)) << text;
}

}  // namespace
}  // namespace linkburn
