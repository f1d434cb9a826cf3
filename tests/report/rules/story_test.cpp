#include "report/rules/story.h"

#include <gtest/gtest.h>

#include "tests/support/evidence_builder.h"

namespace linkburn {
namespace {

constexpr auto kCard = "0000:17:00.0";
constexpr auto kPort = "0000:16:00.0";

TEST(Story, RecordsOfEitherEndBelongToTheLinkWhateverTheirOrder) {
  const Evidence evidence = EvidenceBuilder::run()
                                .reading(kPort, "link_speed", 16)
                                .link(make_link(kCard, kPort))
                                .reading(kCard, "link_width", 16)
                                .reading(kCard, "temperature", 60)
                                .transition(kCard, "presence", 1, 0)
                                .finish();
  const Story story = Story::of(evidence);
  ASSERT_EQ(story.links.size(), 1U);
  EXPECT_EQ(story.links[0].readings.size(), 2U);
  EXPECT_EQ(story.links[0].transitions.size(), 1U);
  EXPECT_EQ(story.readings.size(), 1U);
  EXPECT_TRUE(story.live_run);
}

TEST(Story, AllFunctionsOfADeviceShareItsLink) {
  const Evidence evidence =
      EvidenceBuilder::inspect().link(make_link(kCard, "0000:00:1c.0")).finish();
  const Story story = Story::of(evidence);
  EXPECT_NE(story.link_of(id(kCard)), nullptr);
  EXPECT_EQ(story.link_of(id("0000:17:00.1")), story.link_of(id(kCard)));
  EXPECT_EQ(story.link_of(id("0000:00:1c.0")), story.link_of(id(kCard)));
  EXPECT_EQ(story.link_of(id("0000:00:1c.4")), nullptr) << "another root port";
  EXPECT_EQ(story.link_of(id("0000:17:01.0")), nullptr);
  EXPECT_EQ(story.link_of(id("numa0")), nullptr);
}

TEST(Story, ALinkIsLoadedByACompletedStepThatNamesIt) {
  const auto loaded = [](std::string_view load, std::string_view status) {
    EvidenceBuilder builder = EvidenceBuilder::run();
    builder.link(make_link(kCard, kPort)).plan_step("h2d-1", kCard, {load}).start_step("h2d-1");
    builder.end_step("h2d-1", status);
    const Evidence evidence = builder.finish();
    return Story::of(evidence).links[0].loaded;
  };
  EXPECT_TRUE(loaded(kCard, "complete"));
  EXPECT_TRUE(loaded(kPort, "complete"));
  EXPECT_FALSE(loaded(kCard, "error"));
  EXPECT_FALSE(loaded("numa0", "complete"));
}

TEST(Place, OwnSlotThenTheNearestAbove) {
  Link uplink = make_link("0000:10:00.0", "0000:00:01.0");
  uplink.slot = Slot{"CPU1 SLOT3", "kernel"};
  Link below = make_link(kCard, kPort);
  const Component card = make_device(kCard, {kPort, "0000:10:00.0", "0000:00:01.0"});
  const Evidence inherited = EvidenceBuilder::inspect()
                                 .link(uplink)
                                 .link(below)
                                 .device(card)
                                 .port(make_port("mlx5_0/1", kCard))
                                 .finish();
  const Story story = Story::of(inherited);
  ASSERT_TRUE(place_of(story, id(kCard)));
  EXPECT_EQ(place_of(story, id(kCard))->label, "CPU1 SLOT3");
  EXPECT_EQ(place_of(story, id("mlx5_0/1"))->label, "CPU1 SLOT3");
  EXPECT_FALSE(place_of(story, id("numa0")));
}

TEST(Place, PortsThatPointAtEachOtherEndTheSearch) {
  const Evidence evidence = EvidenceBuilder::inspect()
                                .port(make_port("a/1", "b/1"))
                                .port(make_port("b/1", "a/1"))
                                .finish();
  EXPECT_FALSE(place_of(Story::of(evidence), id("a/1")));
}

}  // namespace
}  // namespace linkburn
