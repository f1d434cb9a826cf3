#include "report/ratings/host_pattern.h"

#include <gmock/gmock.h>

namespace linkburn {
namespace {

TEST(HostPattern, ANameIsItsOwnPattern) {
  EXPECT_TRUE(matches_host("gpu007", "gpu007"));
  EXPECT_FALSE(matches_host("gpu007", "gpu008"));
  EXPECT_FALSE(matches_host("gpu00", "gpu007"));
  EXPECT_FALSE(matches_host("gpu0077", "gpu007"));
  EXPECT_FALSE(matches_host("gpu007", ""));
  EXPECT_TRUE(matches_host("GPU00?", "gpu007")) << "case does not count in host names";
  EXPECT_TRUE(matches_host("gpu[001-064]", "GPU007"));
}

TEST(HostPattern, StarsAndQuestionMarks) {
  EXPECT_TRUE(matches_host("*", "gpu007"));
  EXPECT_TRUE(matches_host("*", ""));
  EXPECT_TRUE(matches_host("gpu*", "gpu"));
  EXPECT_TRUE(matches_host("*7", "gpu007"));
  EXPECT_TRUE(matches_host("g?u*0*", "gpu007"));
  EXPECT_FALSE(matches_host("gpu?", "gpu"));
  EXPECT_FALSE(matches_host("node*", "gpu007"));
}

TEST(HostPattern, RangesKeepTheirLeadingZeros) {
  for (const char* host : {"gpu001", "gpu064", "gpu070"})
    EXPECT_TRUE(matches_host("gpu[001-064,070]", host)) << host;
  for (const char* host : {"gpu000", "gpu065", "gpu071", "gpu1", "gpu0001", "gpu", "gpu01x"})
    EXPECT_FALSE(matches_host("gpu[001-064,070]", host)) << host;
  EXPECT_TRUE(matches_host("n[8-12]", "n8"));
  EXPECT_TRUE(matches_host("n[8-12]", "n12"));
  EXPECT_FALSE(matches_host("n[8-12]", "n08"));
}

TEST(HostPattern, SeveralBracketsAndWhatFollowsThem) {
  EXPECT_TRUE(matches_host("r[1-4]n[01-16]-ib", "r3n16-ib"));
  EXPECT_FALSE(matches_host("r[1-4]n[01-16]-ib", "r5n16-ib"));
  // The number may end anywhere that fits.
  EXPECT_TRUE(matches_host("n[1-19]9", "n199"));
}

TEST(HostPattern, WithoutADotTheDomainDoesNotCount) {
  EXPECT_TRUE(matches_host("gpu[1-9]", "gpu7.cluster.example"));
  EXPECT_TRUE(matches_host("gpu7.cluster.example", "gpu7.cluster.example"));
  EXPECT_FALSE(matches_host("gpu7.other.example", "gpu7.cluster.example"));
}

TEST(HostPattern, WhatCannotBeARangeIsRefused) {
  for (const char* good : {"gpu[1]", "gpu[1,3,5-9]", "*", "a"})
    EXPECT_TRUE(check_host_pattern(good)) << good;
  for (const char* bad : {"", "gpu[", "gpu]", "gpu[]", "gpu[64-1]", "gpu[a-c]", "gpu[1-]",
                          "gpu[-1]", "gpu[1,,2]", "gpu[1-2", "gpu[12345678901]"}) {
    EXPECT_FALSE(check_host_pattern(bad)) << bad;
    EXPECT_FALSE(matches_host(bad, "gpu1")) << bad;
  }
}

TEST(HostPattern, NoPatternIsSlow) {
  std::string stars;
  for (int i = 0; i < 200; ++i) stars += "*a";
  EXPECT_FALSE(matches_host(stars + "b", std::string(255, 'a')));
}

}  // namespace
}  // namespace linkburn
