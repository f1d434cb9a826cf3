#include <gtest/gtest.h>

#include "bench/sensors/aer.h"

namespace linkburn {
namespace {

TEST(AerText, NewAndOldNames) {
  const auto counts =
      parse_aer("aer_correctable", "RxErr 3\nReplay Timer Timeout 12\nTOTAL_ERR_COR 15\n");
  ASSERT_EQ(counts.size(), 3U);
  EXPECT_EQ(counts[0].name, "aer_correctable/RxErr");
  EXPECT_EQ(counts[0].value, 3);
  EXPECT_EQ(counts[1].name, "aer_correctable/Replay Timer Timeout");
  EXPECT_EQ(counts[1].value, 12);
}

TEST(AerText, OtherLinesAreLeftOut) {
  EXPECT_TRUE(parse_aer("g", "").empty());
  EXPECT_TRUE(parse_aer("g", "RxErr\nRxErr x\n 7\nRxErr -1\nRxErr 99999999999999999999\n").empty());
}

}  // namespace
}  // namespace linkburn
