// Did everything that was planned take place, and could everything be read?
#include <fmt/core.h>

#include <algorithm>

#include "report/rules/steps.h"
#include "report/rules/table.h"

namespace linkburn {
namespace {

std::string why_incomplete(const StepLife& step, const Lane& lane) {
  if (!lane.reason.empty()) return lane.reason;
  if (step.end != nullptr)
    return step.end->reason.empty() ? fmt::format("step {} ended as {}", step.id, step.end->status)
                                    : step.end->reason;
  return fmt::format(
      "step {} was {}", step.id,
      step.start != nullptr ? "started and did not end" : "planned and never started");
}

Finding incomplete_lane(const StepLife& step, const Lane& lane) {
  Finding finding;
  finding.code = "LB-STEP-INCOMPLETE";
  finding.cls = FindingClass::undecided;
  finding.aspect = Aspect::rate;
  finding.component = lane.component;
  finding.at_ns = step.at_ns;
  finding.evidence = step.evidence;
  finding.detail = why_incomplete(step, lane);
  finding.missing = fmt::format("step {} run to its end", step.id);
  return finding;
}

void judge_step(const StepLife& step, RuleOutput& out) {
  if (step.skipped != nullptr && step.end == nullptr) {
    out.not_judged.push_back({fmt::format("step {} ({})", step.id, step.workload),
                              step.skipped->reason.empty() ? "skipped" : step.skipped->reason,
                              {},
                              {}});
    return;
  }
  std::vector<Lane> lanes = step.lanes;
  if (lanes.empty()) lanes.push_back({ComponentId::node(), {}, {}, {}});
  for (const Lane& lane : lanes)
    if (!step.completed(lane)) out.findings.push_back(incomplete_lane(step, lane));
}

/// What an unreadable source would have told.
Aspect aspect_of(const ToolError& error) {
  const auto about = [&](std::string_view word) {
    return error.source.find(word) != std::string::npos ||
           error.what.find(word) != std::string::npos;
  };
  if (about("link_width")) return Aspect::width;
  if (about("link_speed")) return Aspect::speed;
  if (about("aer_")) return Aspect::errors;
  if (about("infiniband")) return Aspect::ports;
  return Aspect::presence;
}

void judge_error(const Seen<ToolError>& error, RuleOutput& out) {
  const std::string source = error->source.empty() ? "" : ": " + error->source;
  if (!error->component) {
    out.not_judged.push_back({error->what, error->code + source, error->fix, {}});
    return;
  }
  Finding finding;
  finding.code = "LB-NO-EVIDENCE";
  finding.cls = FindingClass::undecided;
  finding.aspect = aspect_of(*error);
  finding.component = *error->component;
  finding.at_ns = error.at_ns;
  finding.evidence = {error.seq};
  const bool is_sentence = error->what.ends_with('.');
  finding.detail = error->what.substr(0, error->what.size() - (is_sentence ? 1 : 0)) + source;
  finding.missing = error->fix;
  out.findings.push_back(std::move(finding));
}

/// The step's own finding already tells of an error that ended it.
bool told_by_step(const Seen<ToolError>& error, std::vector<Finding>& findings) {
  const auto told = std::find_if(findings.begin(), findings.end(), [&](const Finding& finding) {
    return finding.code == "LB-STEP-INCOMPLETE" && error->component == finding.component &&
           !error->step.empty() && finding.missing.starts_with("step " + error->step + " ");
  });
  if (told == findings.end()) return false;
  told->evidence.push_back(error.seq);
  return true;
}

void apply(const Story& story, RuleOutput& out) {
  for (const StepLife& step : lives_of_steps(story)) judge_step(step, out);
  for (const auto& error : story.errors)
    if (!told_by_step(error, out.findings)) judge_error(error, out);
  for (const auto& part : story.parts)
    if (part->status == "absent" || part->status == "unusable")
      out.not_judged.push_back(
          {part->name, part->why.empty() ? part->status : part->why, part->fix, {}});
}

}  // namespace

const Rule coverage_rule{
    "coverage", "Did everything that was planned take place, and could it be read?", apply};

}  // namespace linkburn
