#include "bench/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temp_dir.h"

namespace linkburn {
namespace {

using testing::HasSubstr;

/// `drill_tree`: of the drill that runs; empty outside one.
Status check_root(const std::string& path, const std::string& drill_tree) {
  const auto root = Sysroot::open(path);
  if (!root) return root.error();
  return check_run_root(*root, drill_tree);
}

TEST(RunRoot, ThisMachineIsLoadedButNotInADrill) {
  EXPECT_TRUE(check_root("/", ""));
  const test::TempDir dir;
  const Status real = check_root("/", dir.path());
  ASSERT_FALSE(real);
  EXPECT_THAT(real.error().line(), HasSubstr("--sysroot " + dir.path()));
}

TEST(RunRoot, AForeignTreeIsNotLoadedNotEvenInADrill) {
  const test::TempDir dir;
  for (const std::string& drill_tree : {std::string(), dir.path()}) {
    const Status status = check_root(dir.path(), drill_tree);
    ASSERT_FALSE(status);
    EXPECT_THAT(status.error().line(), HasSubstr("takes no --sysroot but a drill's"));
    EXPECT_THAT(status.error().line(), HasSubstr(dir.path()));
  }
}

TEST(RunRoot, TheTreeOfADrillIsLoadedOnlyWithinThatDrill) {
  const test::TempDir dir, other;
  dir.write("linkburn/drill", "hot-retrain\n");
  for (const std::string& drill_tree : {std::string(), other.path(), dir.path() + "/gone"}) {
    const Status foreign = check_root(dir.path(), drill_tree);
    ASSERT_FALSE(foreign) << drill_tree;
    EXPECT_THAT(foreign.error().line(), HasSubstr("not part of that drill"));
  }
  EXPECT_TRUE(check_root(dir.path(), dir.path() + "/linkburn/.."));
}

TEST(RunRoot, AMarkerThatCannotBeReadIsOne) {
  const test::TempDir dir;
  dir.write("linkburn/drill/inside", "a folder in its place");
  const auto root = Sysroot::open(dir.path());
  ASSERT_TRUE(root);
  EXPECT_TRUE(is_drill(*root));
}

}  // namespace
}  // namespace linkburn
