// What holds for every renderer of the table.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "bench/base/text.h"
#include "report/render/table.h"
#include "tests/report/render/samples.h"

namespace linkburn {
namespace {

std::vector<Report> all_reports() {
  return {Report{},         samples::pass(),     samples::fail(),          samples::incomplete(),
          samples::drill(), samples::no_links(), samples::several_nodes(), samples::hostile()};
}

TEST(Renderers, NamesAreUniqueAndFound) {
  std::set<std::string_view> names;
  for (const Renderer* renderer : renderers()) {
    EXPECT_TRUE(names.insert(renderer->name).second) << renderer->name;
    EXPECT_FALSE(renderer->purpose.empty()) << renderer->name;
    EXPECT_EQ(find_renderer(renderer->name), renderer);
  }
  EXPECT_EQ(find_renderer("yaml"), nullptr);
}

TEST(Renderers, OutputIsPrintableAndEndsInANewline) {
  for (const Renderer* renderer : renderers())
    for (const Report& report : all_reports())
      for (const int columns : {-1, 0, 80, 100, 5000}) {
        const std::string out = renderer->render(report, {false, columns});
        ASSERT_TRUE(out.ends_with('\n')) << renderer->name;
        for (const std::string_view line : lines_of(out))
          ASSERT_EQ(printable(line, line.size()), line) << renderer->name;
      }
}

TEST(Renderers, SameReportSameOutput) {
  for (const Renderer* renderer : renderers())
    for (const Report& report : all_reports())
      EXPECT_EQ(renderer->render(report, {}), renderer->render(report, {})) << renderer->name;
}

TEST(Renderers, NeverSayPassWithoutEvidence) {
  for (const Renderer* renderer : renderers())
    for (const Report& report : {Report{}, samples::no_links()})
      EXPECT_THAT(renderer->render(report, {}), testing::Not(testing::HasSubstr("PASS")));
}

TEST(Renderers, EachMarksADrillAndNothingElse) {
  for (const Renderer* renderer : renderers()) {
    const auto marked = [&](const Report& report) {
      const std::string out = renderer->render(report, {});
      return out.find("DRILL") != std::string::npos ||
             out.find("\"drill\": true") != std::string::npos;
    };
    EXPECT_TRUE(marked(samples::drill())) << renderer->name;
    EXPECT_FALSE(marked(samples::fail())) << renderer->name;
  }
}

TEST(Renderers, ADrillIsMarkedBeforeAllElse) {
  EXPECT_THAT(samples::rendered("text", samples::drill()), testing::StartsWith("DRILL FAIL"));
  EXPECT_THAT(samples::rendered("json", samples::drill()), testing::HasSubstr("\"drill\": true"));
  EXPECT_THAT(samples::rendered("oneline", samples::drill()), testing::StartsWith("lb DRILL"));
}

}  // namespace
}  // namespace linkburn
