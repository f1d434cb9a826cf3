#include "bench/drill/world.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "bench/drill/model.h"
#include "tests/support/drill_run.h"
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

TEST(DrillWorld, HoldsAllThatWasPreparedAndIsAHoleBesides) {
  const test::TempDir dir;
  const auto scenario = test::small_drill_scenario();
  State& prepared = test::own_state(scenario);
  const int last = kMaxStreams - 1;
  for (int n = 0; n <= last; ++n) open_stream(prepared, 0, 0);
  for (int n = 0; n < last; ++n) close_stream(prepared, n);
  prepared.streams[last].submitted = prepared.streams[last].done = 9;
  log_line(prepared, 4, "before");
  const auto made = World::create(dir.path(), scenario, 7);
  ASSERT_TRUE(made) << made.error().line();
  const State& state = made->state();
  EXPECT_EQ(state.streams[last].submitted, 9U);
  EXPECT_STREQ(state.log[0].text.data(), "before");
  EXPECT_EQ(state.log_count, 1U);
  struct stat facts {};
  ASSERT_EQ(::stat((dir.path() + "/state").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_size, static_cast<off_t>(sizeof(State)));
  EXPECT_LT(facts.st_blocks * 512, facts.st_size / 4);
}

TEST(DrillWorld, HasOneMakerAtATime) {
  const test::TempDir dir;
  const auto made = World::create(dir.path(), test::small_drill_scenario(), 7);
  ASSERT_TRUE(made);
  const auto second = World::create(dir.path(), test::small_drill_scenario(), 7);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Code::busy);
}

class DrillSweep : public testing::Test {
 protected:
  DrillSweep() { ::setenv("XDG_RUNTIME_DIR", dir_.path().c_str(), 1); }
  ~DrillSweep() override { ::unsetenv("XDG_RUNTIME_DIR"); }

  const test::TempDir dir_;
  const std::string folder_ = dir_.path() + "/linkburn-drills/one";
};

TEST_F(DrillSweep, LeavesADrillWhoseMakerLives) {
  const auto world = World::create(folder_, test::small_drill_scenario(), 7);
  ASSERT_TRUE(world);
  EXPECT_EQ(sweep_drills(), 0);
  EXPECT_TRUE(World::open(folder_));
}

TEST_F(DrillSweep, TakesAwayWhatADeadMakerLeft) {
  { ASSERT_TRUE(World::create(folder_, test::small_drill_scenario(), 7)); }
  ASSERT_TRUE(std::filesystem::exists(folder_ + "/state"));
  EXPECT_EQ(sweep_drills(), 1);
  EXPECT_FALSE(std::filesystem::exists(folder_));
}

TEST_F(DrillSweep, IsDoneAtEachStart) {
  { ASSERT_TRUE(World::create(folder_, test::small_drill_scenario(), 7)); }
  ASSERT_TRUE(World::create(dir_.path() + "/linkburn-drills/two", test::small_drill_scenario(), 7));
  EXPECT_FALSE(std::filesystem::exists(folder_));
}

TEST_F(DrillSweep, LeavesAFolderThatIsJustBeingMade) {
  std::filesystem::create_directories(folder_);
  EXPECT_EQ(sweep_drills(), 0);
  std::ofstream(folder_ + "/state") << "half";
  EXPECT_EQ(sweep_drills(), 0);
  std::filesystem::last_write_time(
      folder_, std::filesystem::file_time_type::clock::now() - std::chrono::minutes(2));
  EXPECT_EQ(sweep_drills(), 1);
}

TEST_F(DrillSweep, WithoutDrillsHasNothingToDo) { EXPECT_EQ(sweep_drills(), 0); }

TEST(DrillWorld, ComesAgainIntoAFolderThatADeadOneLeft) {
  const test::TempDir dir;
  auto first = World::create(dir.path(), test::small_drill_scenario(), 7);
  ASSERT_TRUE(first);
  const auto survivor = World::open(dir.path());
  { const World dies = std::move(*first); }
  const auto again = World::create(dir.path(), test::small_drill_scenario(), 8);
  ASSERT_TRUE(again) << again.error().line();
  EXPECT_EQ(again->state().header.seed, 8U);
  ASSERT_TRUE(survivor);
  EXPECT_EQ(survivor->state().header.seed, 7U) << "its world is still the old one";
}

TEST(DrillWorld, OfAnotherBuildIsRefused) {
  const test::TempDir dir;
  std::ofstream(dir.path() + "/state") << "something else";
  const auto opened = World::open(dir.path());
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, Code::mismatch);
}

TEST(DrillWorld, WithoutAFolderIsAnError) {
  const auto opened = World::open("/nonexistent/drill");
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().source, "/nonexistent/drill/state");
}

}  // namespace
}  // namespace linkburn::drill
