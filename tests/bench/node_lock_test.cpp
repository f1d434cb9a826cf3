#include "bench/node_lock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/support/temp_dir.h"

namespace linkburn {
namespace {

using testing::HasSubstr;

TEST(NodeLock, TheSecondIsToldWhoHoldsIt) {
  const test::TempDir dir;
  const std::vector<std::string> files{dir.path() + "/lock"};
  const auto first = NodeLock::take("linkburn run smoke", files);
  ASSERT_TRUE(first) << first.error().line();
  const auto second = NodeLock::take("linkburn run smoke", files);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Code::busy);
  EXPECT_THAT(second.error().what, HasSubstr("process " + std::to_string(::getpid())));
  EXPECT_THAT(NodeLock::holder(files), HasSubstr("linkburn run smoke"));
}

TEST(NodeLock, IsFreeAgainAfterwards) {
  const test::TempDir dir;
  const std::vector<std::string> files{dir.path() + "/lock"};
  { ASSERT_TRUE(NodeLock::take("a", files)); }
  EXPECT_EQ(NodeLock::holder(files), "");
  EXPECT_TRUE(NodeLock::take("b", files));
}

TEST(NodeLock, EveryPlaceThatCanBeOpenedIsLocked) {
  const test::TempDir dir;
  const std::string shared = dir.path() + "/shared";
  const auto root = NodeLock::take("root's", {dir.path() + "/own", shared});
  ASSERT_TRUE(root);
  // A user who cannot open the first place still meets root at the second.
  EXPECT_FALSE(NodeLock::take("user's", {dir.path() + "/none/own", shared}));
}

TEST(NodeLock, OtherUsersCanLockTheFileWhateverTheUmask) {
  const test::TempDir dir;
  const mode_t before = ::umask(077);
  const auto lock = NodeLock::take("a", {dir.path() + "/lock"});
  ::umask(before);
  ASSERT_TRUE(lock);
  struct stat entry {};
  ASSERT_EQ(::stat((dir.path() + "/lock").c_str(), &entry), 0);
  EXPECT_EQ(entry.st_mode & 0777, 0666U);
}

TEST(NodeLock, NoPlaceAtAllIsAnError) {
  EXPECT_FALSE(NodeLock::take("a", {"/does/not/exist/lock"}));
  EXPECT_FALSE(NodeLock::take("a", {}));
}

}  // namespace
}  // namespace linkburn
