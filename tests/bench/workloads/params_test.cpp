#include "bench/workloads/params.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linkburn {
namespace {

LaneSpec lane_with(std::string name, std::string value) {
  return {ComponentId::numa(0), {{std::move(name), std::move(value)}}, "host_copy-1"};
}

TEST(IntParam, TakesTheNumberOrTheDefault) {
  EXPECT_EQ(*int_param(lane_with("threads", "3"), "threads", 8, {0, 16}), 3);
  EXPECT_EQ(*int_param(lane_with("other", "3"), "threads", 8, {0, 16}), 8);
}

TEST(IntParam, TakesBothEndsOfItsRangeAndNothingOutside) {
  EXPECT_TRUE(int_param(lane_with("threads", "0"), "threads", 8, {0, 16}));
  EXPECT_TRUE(int_param(lane_with("threads", "16"), "threads", 8, {0, 16}));
  for (const char* text : {"-1", "17", "", "3x", "1e3", "99999999999999999999"})
    EXPECT_FALSE(int_param(lane_with("threads", text), "threads", 8, {0, 16})) << text;
}

TEST(IntParam, SaysWhatWasWrongAndWhere) {
  const auto value = int_param(lane_with("threads", "many"), "threads", 8, {0, 16});
  EXPECT_EQ(value.error().code, Code::invalid);
  EXPECT_EQ(value.error().line(),
            "threads is \"many\": step host_copy-1 (give a whole number from 0 to 16)");
}

TEST(OnlyParams, NamesTheUnknownOne) {
  EXPECT_TRUE(only_params(lane_with("threads", "3"), {"threads", "lock"}));
  const Status status = only_params(lane_with("thread", "3"), {"threads", "lock"});
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().line(), testing::HasSubstr("no param \"thread\""));
  EXPECT_THAT(status.error().line(), testing::HasSubstr("threads, lock"));
}

}  // namespace
}  // namespace linkburn
