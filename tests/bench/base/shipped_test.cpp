#include "bench/base/shipped.h"

#include <gtest/gtest.h>

#include "tests/support/temp_dir.h"

namespace linkburn {
namespace {

const std::vector<EmbeddedFile> kFiles{
    {"smoke.toml", "smoke"}, {"a.schema.json", "{}"}, {"soak.toml", "soak"}};

std::string read(const std::string& name_or_file) {
  const auto named = read_named_text("profile", name_or_file, kFiles, 10);
  return named ? named->source + ": " + named->text : named.error().line();
}

TEST(Shipped, NamesAreThoseOfTomlTexts) {
  EXPECT_EQ(shipped_names(kFiles), (std::vector<std::string>{"smoke", "soak"}));
}

TEST(Shipped, ANameIsLookedForAmongThemAndAPathIsAFile) {
  const test::TempDir dir;
  const std::string file = dir.write("smoke.toml", "of mine");
  EXPECT_EQ(read("smoke"), "smoke.toml: smoke");
  EXPECT_EQ(read(file), file + ": of mine");
  EXPECT_NE(read("smoke.toml").find("smoke.toml"), std::string::npos);
  EXPECT_EQ(read("smoke.toml").find("smoke.toml: smoke"), std::string::npos);
}

TEST(Shipped, AWrongNameIsToldWithTheNearestOneOrAllOfThem) {
  EXPECT_EQ(read("smoek"), "no profile 'smoek' (did you mean 'smoke'?)");
  EXPECT_EQ(read("zzzzzz"), "no profile 'zzzzzz' (there is: smoke, soak; or give a .toml file)");
  EXPECT_EQ(read("a.schema.json").find("no profile 'a.schema.json'"), 0U);
}

TEST(Shipped, AFileThatIsTooLargeIsRefused) {
  const test::TempDir dir;
  EXPECT_EQ(read(dir.write("x.toml", "0123456789")).find("x.toml: 0123456789") != std::string::npos,
            true);
  EXPECT_EQ(read(dir.write("y.toml", "01234567890")).find("0123456789"), std::string::npos);
}

}  // namespace
}  // namespace linkburn
