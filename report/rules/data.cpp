// Did the data arrive as it was sent? A lane whose data nobody verified is not a good lane.
#include <fmt/core.h>

#include <algorithm>

#include "report/rules/steps.h"
#include "report/rules/table.h"

namespace linkburn {
namespace {

bool is_check(const Seen<Reading>& reading) { return reading->quantity == "wrong_words"; }

Finding check_finding(const Seen<Reading>& reading) {
  Finding finding;
  finding.aspect = Aspect::data;
  finding.component = reading->component;
  finding.phase = reading->phase;
  finding.at_ns = reading.at_ns;
  finding.evidence = {reading.seq};
  finding.detail = reading->text;
  return finding;
}

Finding judge_check(const Seen<Reading>& reading) {
  Finding finding = check_finding(reading);
  if (!reading->value) {
    finding.code = "LB-NO-EVIDENCE";
    finding.cls = FindingClass::undecided;
    finding.detail = "data not verified" + (reading->text.empty() ? "" : ": " + reading->text);
    finding.missing = "a check of the data that ends";
  } else if (*reading->value > 0) {
    finding.code = "LB-DATA-WRONG";
    finding.cls = FindingClass::degraded;
    finding.detail = fmt::format("{:.0f} words differ from what was written", *reading->value) +
                     (reading->text.empty() ? "" : ": " + reading->text);
    finding.limit.text = "0 words";
    finding.origin = "data must arrive as it was sent";
  } else {
    finding.code = "LB-HEALTHY";
    finding.cls = FindingClass::healthy;
  }
  return finding;
}

bool verified(const Story& story, const StepLife& step, const Lane& lane) {
  return std::any_of(story.readings.begin(), story.readings.end(), [&](const auto& reading) {
    return is_check(reading) && reading->component == lane.component &&
           (reading->step.empty() || reading->step == step.id);
  });
}

void apply(const Story& story, RuleOutput& out) {
  for (const auto& reading : story.readings)
    if (is_check(reading)) out.findings.push_back(judge_check(reading));
  for (const StepLife& step : lives_of_steps(story)) {
    for (const Lane& lane : step.lanes) {
      if (!step.completed(lane) || verified(story, step, lane)) continue;
      Finding finding;
      finding.code = "LB-NO-EVIDENCE";
      finding.cls = FindingClass::undecided;
      finding.aspect = Aspect::data;
      finding.component = lane.component;
      finding.at_ns = step.at_ns;
      finding.evidence = step.evidence;
      finding.detail = fmt::format("data not verified in step {}", step.id);
      finding.missing = "a check of the data that this lane moved";
      out.findings.push_back(std::move(finding));
    }
  }
}

}  // namespace

const Rule data_rule{"data", "Did the data arrive as it was sent?", apply};

}  // namespace linkburn
