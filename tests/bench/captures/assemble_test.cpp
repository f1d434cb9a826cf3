#include "bench/captures/assemble.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linkburn {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TEST(Assemble, WhatHadRoomIsNoError) { EXPECT_THAT(assemble(NodeDraft{}).errors, IsEmpty()); }

TEST(Assemble, WhatWasLeftOutKeepsTheNodeFromPassing) {
  NodeDraft draft;
  draft.dropped = 3;
  const Inventory inventory = assemble(draft);
  ASSERT_THAT(inventory.errors, SizeIs(1));
  EXPECT_EQ(inventory.errors[0].component, ComponentId::node());
  EXPECT_THAT(inventory.errors[0].what, HasSubstr("3 items"));
}

TEST(Assemble, SoDoPortsAboveTheirLimit) {
  NodeDraft draft;
  for (int number = 0; number < 3000; ++number) {
    Port port;
    port.component = ComponentId::port("mlx5_" + std::to_string(number), 1);
    draft.ports.push_back(port);
  }
  const Inventory inventory = assemble(draft);
  ASSERT_THAT(inventory.errors, SizeIs(1));
  EXPECT_THAT(inventory.errors[0].what, HasSubstr("ports and interfaces"));
}

}  // namespace
}  // namespace linkburn
