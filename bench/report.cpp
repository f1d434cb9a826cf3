// `linkburn report`: recorded evidence is judged again and rendered.
#include <fmt/core.h>

#include "bench/base/log.h"
#include "bench/command.h"
#include "bench/output.h"
#include "bench/run.h"
#include "bench/site_file.h"
#include "report/evidence/reader.h"
#include "report/verdict.h"

namespace linkburn {
namespace {

/// The site file of a report replaces the recorded ones; "none" leaves them aside.
Result<Policy> report_policy(const std::string& option) {
  auto site = site_in_force(option, false);
  if (!site) return site.error();
  if (option == kNoSiteFile) return Policy{SiteText{}};
  return Policy{std::move(*site)};
}

/// A site file can be long, and is only needed to judge: a rack's would be in memory for each node.
void forget_site_text(Evidence& evidence) {
  for (Record& record : evidence.records)
    if (auto* site = std::get_if<SiteText>(&record.body)) std::string().swap(site->text);
}

}  // namespace

int report_command(const Session& session) {
  const auto policy = report_policy(session.options.site);
  if (!policy) return refuse(policy.error());
  Report report;
  std::vector<Verdict> verdicts;
  bool unread = false;
  for (const std::string& file : session.options.evidence_files) {
    auto evidence = read_evidence(file);
    if (!evidence) {
      log_error(evidence.error());
      unread = true;
      continue;
    }
    if (evidence->torn_tail)
      log_note(
          fmt::format("{}: the last line is cut; the run was killed or the disk was full. "
                      "What came before is judged",
                      file));
    if (evidence->bad_lines > 0)
      log_note(fmt::format("{}: {} lines could not be read", file, evidence->bad_lines));
    verdicts.push_back(judge(*evidence, *policy));
    forget_site_text(*evidence);
    report.nodes.push_back(std::move(*evidence));
  }
  if (verdicts.empty()) return kExitUsage;
  report.verdict = combine(std::move(verdicts));
  if (unread && report.verdict.outcome == Outcome::pass) {
    report.verdict.outcome = Outcome::incomplete;
    report.verdict.exit = kExitIncomplete;
    report.verdict.reasons.emplace_back("an evidence file could not be read");
  }
  const auto written = write_report(report, session.options.formats);
  if (!written && report.verdict.exit == kExitPass) return kExitIncomplete;
  return report.verdict.exit;
}

}  // namespace linkburn
