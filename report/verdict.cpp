#include "report/verdict.h"

#include <fmt/core.h>

#include <algorithm>

#include "report/completeness.h"
#include "report/exceptions.h"
#include "report/merge.h"
#include "report/rules/table.h"
#include "report/settling.h"
#include "report/wall_time.h"

namespace linkburn {
namespace {

RuleOutput apply_rules(const Story& story) {
  RuleOutput out;
  for (const Rule* rule : rules()) rule->apply(story, out);
  return out;
}

/// What could not be decided and nobody requires: worth saying, and no reason to stop a node.
void set_aside_unrequired(const Required& required, RuleOutput& out) {
  std::vector<Finding> kept;
  for (Finding& finding : out.findings) {
    if (finding.cls != FindingClass::undecided || required.covers(finding))
      kept.push_back(std::move(finding));
    else
      out.not_judged.push_back(
          {fmt::format("{} of {}", to_string(finding.aspect), finding.component.text()),
           finding.detail,
           finding.missing,
           {}});
  }
  out.findings = std::move(kept);
}

/// Whoever captured nothing of PCIe does not ask for it.
bool concerns_links(const Story& story, const RuleOutput& out) {
  return !story.is_captured() || out.findings.empty() ||
         std::any_of(story.components.begin(), story.components.end(),
                     [](const auto& entry) { return entry.first.pci_address().has_value(); });
}

void note_more(const Story& story, RuleOutput& out) {
  if (const auto text = no_links(story); text && concerns_links(story, out))
    out.not_judged.insert(
        out.not_judged.begin(),
        {"PCIe links",
         *text,
         story.is_captured() ? "sudo lspci -vvv" : "a machine whose /sys shows them",
         {}});
  if (story.end != nullptr && story.end->dropped_samples > 0)
    out.not_judged.push_back({"sensor samples",
                              fmt::format("{} were dropped", story.end->dropped_samples),
                              "a machine with less load besides the run",
                              {}});
}

/// Place, wall time and node: what every finding has, whichever rule made it.
void fill_in(const Story& story, RuleOutput& out) {
  const std::string node = story.start != nullptr ? story.start->node : "";
  const std::string started = story.start != nullptr ? story.start->started : "";
  for (Finding& finding : out.findings) {
    finding.node = node;
    if (!finding.place) finding.place = place_of(story, finding.component);
    if (story.is_captured()) {  // the texts are older than their reading, and may tell of load
      finding.at_ns.reset();
      finding.phase.reset();
    }
    if (finding.at_ns) finding.when = wall_time(started, *finding.at_ns);
    if (finding.cls == FindingClass::undecided)
      finding.commands = settling_commands(story, finding);
  }
  for (NotJudged& gap : out.not_judged) gap.node = node;
}

void conclude(Verdict& verdict) {
  const bool failed = std::any_of(verdict.findings.begin(), verdict.findings.end(), fails);
  if (failed)
    verdict.outcome = Outcome::fail, verdict.exit = kExitFail;
  else if (!verdict.reasons.empty())
    verdict.outcome = Outcome::incomplete, verdict.exit = kExitIncomplete;
  else
    verdict.outcome = Outcome::pass, verdict.exit = kExitPass;
}

/// The node of a verdict that judge() made. One without any link has at least a note that says so.
std::string node_of(const Verdict& verdict) {
  if (!verdict.findings.empty()) return verdict.findings.front().node;
  return verdict.not_judged.empty() ? "" : verdict.not_judged.front().node;
}

}  // namespace

std::string_view to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::pass:
      return "PASS";
    case Outcome::fail:
      return "FAIL";
    case Outcome::incomplete:
      break;
  }
  return "INCOMPLETE";
}

Verdict judge(const Evidence& evidence, const Policy& policy) {
  const Story story = Story::of(evidence, policy);
  const Required required = required_by(story);
  RuleOutput out = apply_rules(story);
  const Survey surveyed = survey(story, out);
  accept_known(story, out.findings);
  note_unknown_codes(story, out);
  absorb_lost(story, out.findings);
  set_aside_unrequired(required, out);
  merge_faults(story, out.findings);
  Verdict verdict;
  verdict.reasons = gaps_in(story, evidence);
  for (std::string& gap : gaps_in(story, required, surveyed, out.findings))
    verdict.reasons.push_back(std::move(gap));
  merge_healthy(story, out.findings);
  note_more(story, out);
  fill_in(story, out);
  sort_findings(out.findings);
  verdict.findings = std::move(out.findings);
  verdict.not_judged = std::move(out.not_judged);
  conclude(verdict);
  return verdict;
}

Verdict combine(std::vector<Verdict> verdicts) {
  Verdict all;
  const bool several = verdicts.size() > 1;
  for (std::size_t source = 0; source < verdicts.size(); ++source) {
    Verdict& verdict = verdicts[source];
    for (Finding& finding : verdict.findings) finding.source = source;
    for (NotJudged& gap : verdict.not_judged) gap.source = source;
    const std::string node = node_of(verdict);
    const std::string prefix = several && !node.empty() ? node + ": " : "";
    for (const std::string& reason : verdict.reasons) all.reasons.push_back(prefix + reason);
    std::move(verdict.findings.begin(), verdict.findings.end(), std::back_inserter(all.findings));
    std::move(verdict.not_judged.begin(), verdict.not_judged.end(),
              std::back_inserter(all.not_judged));
  }
  if (verdicts.empty()) all.reasons.emplace_back("no evidence was given");
  sort_findings(all.findings);
  conclude(all);
  return all;
}

}  // namespace linkburn
