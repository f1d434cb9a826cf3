#include "bench/drill/world.h"

#include <gtest/gtest.h>

#include "tests/support/drill_state.h"
#include "tests/support/temp_dir.h"

namespace linkburn::drill {
namespace {

TEST(DrillWorld, IsOpenedByOthersWhileItsMakerLives) {
  const test::TempDir dir;
  const auto made = World::create(dir.path(), test::small_drill_scenario(), 7);
  ASSERT_TRUE(made) << made.error().line();
  const auto opened = World::open(dir.path());
  ASSERT_TRUE(opened) << opened.error().line();
  EXPECT_EQ(opened->state().header.seed, 7U);
  EXPECT_STREQ(opened->state().gpus[1].model.data(), "Soft H100");
  made->state().header.now_ns = 5;
  EXPECT_EQ(opened->state().header.now_ns, 5);
}

TEST(DrillWorld, HasOneMakerAtATime) {
  const test::TempDir dir;
  const auto made = World::create(dir.path(), test::small_drill_scenario(), 7);
  ASSERT_TRUE(made);
  const auto second = World::create(dir.path(), test::small_drill_scenario(), 7);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Code::busy);
}

TEST(DrillWorld, WithoutAFolderIsAnError) {
  const auto opened = World::open("/nonexistent/drill");
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().source, "/nonexistent/drill/state");
}

}  // namespace
}  // namespace linkburn::drill
