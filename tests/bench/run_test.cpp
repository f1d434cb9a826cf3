#include "bench/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/fake_clock.h"
#include "tests/support/temp_dir.h"

namespace linkburn {
namespace {

using testing::HasSubstr;

const test::FakeClock kRealTime, kDrillTime("drill");

Status check_root(const std::string& path, const Clock& clock) {
  const auto root = Sysroot::open(path);
  if (!root) return root.error();
  return check_run_root(*root, clock);
}

TEST(RunRoot, ThisMachineIsLoaded) { EXPECT_TRUE(check_root("/", kRealTime)); }

TEST(RunRoot, AForeignTreeIsNotLoadedNotEvenInADrill) {
  const test::TempDir dir;
  for (const Clock* clock :
       {static_cast<const Clock*>(&kRealTime), static_cast<const Clock*>(&kDrillTime)}) {
    const Status status = check_root(dir.path(), *clock);
    ASSERT_FALSE(status);
    EXPECT_THAT(status.error().line(), HasSubstr("takes no --sysroot but a drill's"));
    EXPECT_THAT(status.error().line(), HasSubstr(dir.path()));
  }
}

TEST(RunRoot, TheTreeOfADrillIsLoadedOnlyWithinThatDrill) {
  const test::TempDir dir;
  dir.write("linkburn/drill", "hot-retrain\n");
  const Status outside = check_root(dir.path(), kRealTime);
  ASSERT_FALSE(outside);
  EXPECT_THAT(outside.error().line(), HasSubstr("not part of that drill"));
  EXPECT_TRUE(check_root(dir.path(), kDrillTime));
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
