#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/bench/captures/read_text.h"

namespace linkburn {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// "child parent" of each pair that a text tells.
std::vector<std::string> pairs_of(std::string_view text) {
  const NodeDraft draft = read(text);
  std::vector<std::string> pairs;
  for (const auto& [child, parent] : draft.parents)
    pairs.push_back(to_string(child) + " " + to_string(parent));
  return pairs;
}

TEST(LspciTree, TellsThePortAboveEachDevice) {
  EXPECT_THAT(pairs_of("-[0000:00]-+-00.0  Intel Corporation Device 09a2\n"
                       "           +-01.0-[01]----00.0  NVIDIA Corporation GH100\n"
                       "           +-02.0-[02-05]----00.0-[03-05]--+-00.0-[04]----00.0  A\n"
                       "           |                               \\-01.0-[05]--+-00.0  B\n"
                       "           |                                            \\-00.1  C\n"
                       "           +-03.0-[06]--\n"
                       "           \\-1f.3  Intel Corporation Device\n"),
              ElementsAre("0000:01:00.0 0000:00:01.0", "0000:02:00.0 0000:00:02.0",
                          "0000:03:00.0 0000:02:00.0", "0000:03:01.0 0000:02:00.0",
                          "0000:04:00.0 0000:03:00.0", "0000:05:00.0 0000:03:01.0",
                          "0000:05:00.1 0000:03:01.0"));
}

TEST(LspciTree, KnowsDomains) {
  EXPECT_THAT(pairs_of("-+-[10000:e0]-+-06.0-[e1]----00.0  Samsung Electronics Co Ltd Device\n"
                       " |            \\-1d.0-[e2]--\n"
                       " +-[0000:80]-+-00.0\n"
                       " |           \\-01.1-[81]----00.0\n"
                       " \\-[0000:00]-+-00.0\n"
                       "             \\-01.1-[01]----00.0\n"),
              ElementsAre("0000:01:00.0 0000:00:01.1", "0000:81:00.0 0000:80:01.1",
                          "10000:e1:00.0 10000:e0:06.0"));
}

TEST(LspciTree, OfOnePortAlone) {
  EXPECT_THAT(pairs_of("0000:80:01.1-[81-84]----00.0-[82-84]----00.0-[83]----00.0\n"),
              ElementsAre("0000:81:00.0 0000:80:01.1", "0000:82:00.0 0000:81:00.0",
                          "0000:83:00.0 0000:82:00.0"));
}

TEST(LspciTree, OfAPartWhoseRootBusWasCutOffTellsWhatIsBelow) {
  EXPECT_THAT(pairs_of("           +-01.1-[81-84]----00.0-[82-84]--+-00.0-[83]----00.0\n"
                       "           |                               \\-01.0-[84]--\n"),
              ElementsAre("0000:82:00.0 0000:81:00.0", "0000:82:01.0 0000:81:00.0",
                          "0000:83:00.0 0000:82:00.0"));
}

TEST(LspciTree, GarbageTellsNothing) {
  EXPECT_THAT(pairs_of("-[0000:00]-+-zz.0-[01]----00.0\n           +-01.0-[xx]----00.0\n"
                       "           \\-40.0-[02]----00.0\n"),
              IsEmpty());
  EXPECT_THAT(pairs_of("+-----------+\n|  table    |\n+-----------+\n"), IsEmpty());
}

}  // namespace
}  // namespace linkburn
