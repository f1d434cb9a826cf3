// What people pasted, and the right answer: every folder of tests/captures that has an expect.json,
// and of LINKBURN_CASES where that names one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "bench/inspect_captures.h"
#include "bench/interrupts.h"
#include "report/render/table.h"
#include "report/verdict.h"

namespace linkburn {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::vector<std::string> cases_below(const fs::path& root) {
  std::vector<std::string> cases;
  std::error_code error;
  for (fs::recursive_directory_iterator at(root, error), end; !error && at != end; ++at)
    if (at->path().filename() == "expect.json") cases.push_back(at->path().parent_path().string());
  std::sort(cases.begin(), cases.end());
  return cases;
}

std::vector<std::string> all_cases() {
  std::vector<std::string> cases = cases_below(LINKBURN_CASES_DIR);
  if (const char* more = std::getenv("LINKBURN_CASES"))
    for (std::string& one : cases_below(more)) cases.push_back(std::move(one));
  return cases;
}

/// The report of `inspect CASE --format json`. The answer lies in the same folder, and is a file
/// that nobody knows.
json report_of(const std::string& folder) {
  const Clock& clock = real_clock();
  Session session{clock, {}, "linkburn", clock.now()};
  session.options.command = "inspect";
  session.options.site = "none";
  session.options.captures = {folder};
  auto writers = evidence_of_captures(session);
  if (!writers) return json{{"error", writers.error().line()}};
  Report report;
  std::vector<Verdict> verdicts;
  for (const auto& writer : *writers) {
    report.nodes.push_back(writer->evidence());
    verdicts.push_back(judge(report.nodes.back()));
  }
  report.verdict = combine(std::move(verdicts));
  for (const Renderer* renderer : renderers())
    if (renderer->name == "json") return json::parse(renderer->render(report, {}));
  return {};
}

bool has(const json& list, const json& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

bool fits(const json& wanted, const json& finding) {
  const auto is = [&](const char* key) {
    return !wanted.contains(key) || (finding.contains(key) && finding[key] == wanted[key]);
  };
  const auto is_any = [&](const char* key, const char* list) {
    return !wanted.contains(list) || has(wanted[list], finding.value(key, ""));
  };
  return is("class") && is("component") && is("limiter") && is("gpu") && is("links") &&
         is("code") && is_any("class", "class_any") && is_any("component", "component_any");
}

class Case : public testing::TestWithParam<std::string> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Case);

TEST_P(Case, HasTheRightAnswer) {
  std::ifstream file(GetParam() + "/expect.json");
  const json expect = json::parse(file);
  const json report = report_of(GetParam());
  const std::string seen = "\n" + report.dump(1);
  const json findings = report.value("findings", json::array());
  if (expect.contains("error")) {
    EXPECT_THAT(report.value("error", ""), testing::HasSubstr(expect["error"])) << seen;
    return;
  }
  ASSERT_FALSE(report.contains("error")) << seen;
  std::set<json> told;
  for (const json& wanted : expect.value("must", json::array())) {
    bool found = false;
    for (const json& finding : findings) {
      if (!fits(wanted, finding)) continue;
      found = true;
      told.insert(finding);
    }
    EXPECT_TRUE(found) << "no finding " << wanted << seen;
  }
  for (const json& finding : findings)
    EXPECT_FALSE(has(expect.value("never", json::array()), finding["class"])) << finding << seen;
  const auto expect_equal = [&](const char* key, const json& value) {
    EXPECT_EQ(value, expect.value(key, value)) << key << seen;
  };
  expect_equal("exit", report["exit"]);
  expect_equal("findings_on_link", told.size());
  expect_equal("nodes", report["nodes"].size());
  if (!expect.contains("gid_index")) return;
  const std::string gid = "\"recommended_gid_index\":" + expect["gid_index"].dump();
  EXPECT_THAT(report.dump(), testing::HasSubstr(gid)) << seen;
}

std::string name_of(const testing::TestParamInfo<std::string>& info) {
  std::string name = fs::path(info.param).filename().string() + "_" + std::to_string(info.index);
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Captures, Case, testing::ValuesIn(all_cases()), name_of);

}  // namespace
}  // namespace linkburn
