#include "bench/driver_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linkburn {
namespace {

using testing::HasSubstr;

class DriverReaderTest : public testing::Test {
 protected:
  DriverReader reader_{real_clock(), {"/proc/self/exe", "worker"}, -1};
};

TEST_F(DriverReaderTest, AMissingFileIsAnErrorWithItsPath) {
  const auto text = reader_.read("sys/missing");
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, Code::not_found);
  EXPECT_EQ(text.error().source, "/sys/missing");
}

TEST_F(DriverReaderTest, FilesComeOneByOneAndTogether) {
  EXPECT_EQ(reader_.read("a").value_or(""), "text of a");
  reader_.fetch({"b", "missing", "c"});
  EXPECT_EQ(reader_.read("c").value_or(""), "text of c");
  EXPECT_EQ(reader_.read("b").value_or(""), "text of b");
  EXPECT_FALSE(reader_.read("missing"));
  EXPECT_EQ(reader_.read("d").value_or(""), "text of d");
}

TEST_F(DriverReaderTest, ManyFilesDoNotLookLikeAFlood) {
  std::vector<std::string> paths;
  for (int i = 0; i < 5000; ++i) paths.push_back("file" + std::to_string(i));
  reader_.fetch(paths);
  for (const std::string& path : paths)
    EXPECT_EQ(reader_.read(path).value_or(""), "text of " + path);
}

TEST_F(DriverReaderTest, AFileThatKillsItsReaderCostsOnlyItself) {
  reader_.fetch({"a", "crash1", "b"});
  EXPECT_EQ(reader_.read("a").value_or(""), "text of a");
  EXPECT_EQ(reader_.read("b").value_or(""), "text of b");
  const auto text = reader_.read("crash1");
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, Code::peer);
  EXPECT_EQ(text.error().source, "/crash1");
}

TEST_F(DriverReaderTest, AfterTwoNoFurtherFileIsTried) {
  reader_.fetch({"crash1", "a", "crash2", "b"});
  EXPECT_EQ(reader_.read("a").value_or(""), "text of a");
  const auto text = reader_.read("b");
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, Code::timeout);
  EXPECT_THAT(text.error().what, HasSubstr("other driver files have not returned"));
  EXPECT_EQ(text.error().source, "/b");
  EXPECT_FALSE(reader_.read("c"));
}

TEST_F(DriverReaderTest, AFileThatDoesNotReturnIsNamed) {
  reader_.fetch({"a", "hang", "b"});
  const auto text = reader_.read("hang");
  ASSERT_FALSE(text);
  EXPECT_THAT(text.error().what, HasSubstr("has not returned"));
  EXPECT_EQ(text.error().source, "/hang");
  EXPECT_EQ(reader_.read("b").value_or(""), "text of b");
}

}  // namespace
}  // namespace linkburn
