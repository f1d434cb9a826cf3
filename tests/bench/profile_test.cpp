#include "bench/profile.h"

#include <fmt/core.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temp_dir.h"

namespace linkburn {
namespace {

using testing::Contains;
using testing::HasSubstr;

constexpr const char* kGood =
    "schema = 1\nname = \"x\"\ntime_budget_s = 5\nrequire = [\"width\"]\n"
    "[phases]\nidle_ms = 10\n[[step]]\nworkload = \"host_copy\"\nlanes = \"each_pair\"\n";

std::string error_of(const std::string& text) {
  const auto profile = parse_profile(text, "site.toml");
  return profile ? "" : profile.error().line();
}

std::string with(const std::string& line, const std::string& instead) {
  std::string text = kGood;
  text.replace(text.find(line), line.size(), instead);
  return text;
}

TEST(Profile, ShippedOnesAreReadable) {
  EXPECT_THAT(shipped_profiles(), Contains("smoke"));
  for (const std::string& name : shipped_profiles()) {
    const auto profile = load_profile(name);
    ASSERT_TRUE(profile) << profile.error().line();
    EXPECT_EQ(profile->name, name);
    EXPECT_FALSE(profile->steps.empty());
    EXPECT_FALSE(profile->require.empty());
    EXPECT_FALSE(profile->text.empty());
  }
}

TEST(Profile, ReadsEveryKey) {
  const auto profile = parse_profile(kGood, "site.toml");
  ASSERT_TRUE(profile) << profile.error().line();
  EXPECT_EQ(profile->time_budget_s, 5);
  EXPECT_EQ(profile->idle_ms, 10);
  EXPECT_EQ(profile->require, std::vector{Aspect::width});
  EXPECT_EQ(profile->steps.at(0).workload, "host_copy");
}

TEST(Profile, AnUnknownKeyNamesFileLineAndTheNearestKey) {
  const std::string error = error_of(with("time_budget_s", "time_budgt_s"));
  EXPECT_THAT(error, HasSubstr("time_budget_s"));
  const std::string step = error_of(fmt::format("{}warmup_ms = 3\n", kGood));
  EXPECT_THAT(step, HasSubstr("unknown key 'warmup_ms'"));
  EXPECT_THAT(step, HasSubstr("did you mean 'warm_up_ms'?"));
  EXPECT_THAT(step, HasSubstr("site.toml:10"));
}

TEST(Profile, WrongValuesAreRefused) {
  EXPECT_THAT(error_of(with("time_budget_s = 5", "time_budget_s = 0")),
              HasSubstr("whole number from 1"));
  EXPECT_THAT(error_of(with("time_budget_s = 5", "time_budget_s = 1.5")),
              HasSubstr("whole number"));
  EXPECT_THAT(error_of(with("\"width\"", "\"breadth\"")), HasSubstr("takes the words"));
  EXPECT_THAT(error_of(with("schema = 1", "schema = 2")), HasSubstr("'schema'"));
  EXPECT_THAT(error_of(with("[[step]]", "[step]")), HasSubstr("two brackets"));
  EXPECT_THAT(error_of("schema = 1\nname = \"x\"\ntime_budget_s = 5\nrequire = []\n"),
              HasSubstr("at least one [[step]]"));
  EXPECT_THAT(error_of("schema = \n"), HasSubstr("site.toml:1"));
}

TEST(Profile, ATypoInANameHasASuggestion) {
  const auto profile = load_profile("smoek");
  ASSERT_FALSE(profile);
  EXPECT_THAT(profile.error().line(), HasSubstr("did you mean 'smoke'?"));
}

TEST(Profile, FilesAreReadByPath) {
  const test::TempDir dir;
  EXPECT_TRUE(load_profile(dir.write("mine.toml", kGood)));
  EXPECT_EQ(load_profile(dir.path() + "/none.toml").error().code, Code::not_found);
  EXPECT_FALSE(load_profile(dir.write("big.toml", std::string(100'000, '#'))));
}

}  // namespace
}  // namespace linkburn
