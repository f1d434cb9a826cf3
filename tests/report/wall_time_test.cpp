#include "report/wall_time.h"

#include <gtest/gtest.h>

namespace linkburn {
namespace {

TEST(WallTime, ParsesWhatRunsWrite) {
  EXPECT_EQ(parse_iso_time("1970-01-01T00:00:00Z"), 0);
  EXPECT_EQ(parse_iso_time("2026-11-30T21:09:52Z"), 1'796'072'992'000'000'000);
  EXPECT_EQ(parse_iso_time("2026-11-30T21:09:52.125Z"), 1'796'072'992'125'000'000);
}

TEST(WallTime, AnythingElseIsUnknown) {
  for (const char* text :
       {"", "now", "2026-11-30", "2026-11-30T21:09:52", "2026-11-30 21:09:52Z",
        "2026-13-30T21:09:52Z", "2026-02-30T21:09:52Z", "2026-11-30T24:09:52Z",
        "2026-11-30T21:09:52Zx", "2026-11-30T21:09:52.5Z", "9999-11-30T21:09:52Z",
        "1969-12-31T23:59:59Z", "2026-11-30T21:09:5", "-026-11-30T21:09:52Z"})
    EXPECT_FALSE(parse_iso_time(text)) << text;
}

TEST(WallTime, AddsTheTimeOfTheRun) {
  EXPECT_EQ(wall_time("2026-11-30T23:59:52Z", 10'000'000'000), "2026-12-01T00:00:02Z");
  EXPECT_EQ(wall_time("yesterday", 10), "");
  EXPECT_EQ(wall_time("2026-11-30T23:59:52Z", -1), "");
  EXPECT_EQ(wall_time("2026-11-30T23:59:52Z", INT64_MAX), "");
}

}  // namespace
}  // namespace linkburn
