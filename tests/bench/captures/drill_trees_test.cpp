// What `inspect` finds in the trees of the shipped scenarios: at rest, and while all GPUs copy.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "bench/drill/scenario.h"
#include "bench/drill/shown_function.h"
#include "bench/drill/tree.h"
#include "bench/inspect_captures.h"
#include "report/verdict.h"
#include "tests/support/drill_run.h"
#include "tests/support/temp_dir.h"

namespace linkburn {
namespace {

using test::kSecond;
using testing::UnorderedElementsAreArray;

/// The verdict of `inspect` on a drill's tree.
Verdict inspect(const std::string& tree) {
  const Clock& clock = real_clock();
  Session session{clock, {}, "linkburn", clock.now()};
  session.options.command = "inspect";
  session.options.site = "none";
  session.options.captures = {tree};
  const auto writers = evidence_of_captures(session);
  if (!writers || writers->size() != 1) {
    ADD_FAILURE() << (writers ? "not one node" : writers.error().line());
    return {};
  }
  return judge(writers->front()->evidence());
}

/// What is wrong, as "CODE COMPONENT". That the host is what limits a card is nothing wrong.
std::vector<std::string> wrong(const Verdict& verdict) {
  std::vector<std::string> found;
  for (const Finding& finding : verdict.findings)
    if (finding.code != "LB-HEALTHY" && finding.code.find("LIMIT") == std::string::npos)
      found.push_back(std::string(finding.code) + " " + finding.component.text());
  return found;
}

/// Each GPU has bytes to copy until then, so that its link is awake.
void copy_until(drill::State& state, std::int64_t until_ns) {
  for (int gpu = 0; gpu < drill::kMaxGpus; ++gpu) {
    if (!state.gpus[gpu].used) continue;
    const auto path =
        drill::host_path(state, gpu, state.gpus[gpu].numa, drill::Direction::to_device);
    drill::submit(state, drill::open_stream(state, 0, gpu), test::copy_op(path, 1e15, gpu));
  }
  test::run_world(state, until_ns);
}

/// Of a link that is slow because it rests nobody can tell whether it is well.
std::vector<std::string> asleep(const drill::State& state) {
  std::vector<std::string> rest;
  for (const drill::Gpu& gpu : state.gpus)
    if (gpu.used && gpu.asleep)
      rest.push_back("LB-NEEDS-LOAD " +
                     to_string(drill::address_of(state.functions[gpu.function])));
  return rest;
}

/// What a scenario expects of a run, as far as files show it after six seconds. Of a speed alone
/// they cannot tell that it is not that of a link at rest; and copies make no GPU hot.
std::vector<std::string> shown_in_files(const drill::Scenario& scenario) {
  std::vector<std::string> shown;
  for (const drill::Expected& expected : scenario.expected) {
    if (expected.code == "LB-PCIE-SPEED" && scenario.name != "hot-retrain")
      shown.push_back("LB-NEEDS-LOAD " + expected.component);
    if (expected.code == "LB-PCIE-WIDTH" || expected.code == "LB-AER-CORRECTED" ||
        expected.code == "LB-DEV-LOST")
      shown.push_back(expected.code + " " + expected.component);
  }
  return shown;
}

class DrillTree : public testing::TestWithParam<std::string> {};

TEST_P(DrillTree, ShowsWhatIsWrongAndNothingElse) {
  const auto scenario = drill::load_scenario(GetParam());
  ASSERT_TRUE(scenario) << scenario.error().line();
  drill::State& state = test::own_state(*scenario);
  const test::TempDir dir;
  const auto tree = drill::TreeWriter::create(state, dir.path());
  ASSERT_TRUE(tree) << tree.error().line();
  EXPECT_THAT(wrong(inspect(dir.path())), UnorderedElementsAreArray(asleep(state)));

  copy_until(state, 6 * kSecond);
  ASSERT_TRUE((*tree)->update(state));
  const Verdict loaded = inspect(dir.path());
  EXPECT_THAT(wrong(loaded), UnorderedElementsAreArray(shown_in_files(*scenario)));
  if (scenario->expected.empty()) {
    EXPECT_EQ(loaded.outcome, Outcome::pass) << testing::PrintToString(loaded.reasons);
  }
}

INSTANTIATE_TEST_SUITE_P(All, DrillTree, testing::ValuesIn(drill::shipped_scenarios()),
                         [](const auto& name) {
                           std::string word = name.param;
                           std::replace(word.begin(), word.end(), '-', '_');
                           return word;
                         });

}  // namespace
}  // namespace linkburn
