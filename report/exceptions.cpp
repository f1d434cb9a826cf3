#include "report/exceptions.h"

#include <fmt/core.h>

#include <algorithm>

#include "bench/base/text.h"
#include "bench/base/toml_table.h"
#include "report/catalogue.h"

namespace linkburn {
namespace {

/// The day on which the evidence was taken, in UTC; empty when it does not say.
std::string day_of(const Story& story) {
  const std::string day = story.start != nullptr ? story.start->started.substr(0, 10) : "";
  return is_day(day) ? day : "";
}

bool is_about(const SiteException& exception, const Story& story, const Finding& finding) {
  if (exception.code != "*" && exception.code != finding.code) return false;
  const std::string& name = exception.component;
  const ComponentId& device = device_behind(story, finding.component);
  return name == "*" || name == finding.component.text() || names_address(name, device) ||
         names_place(name, finding.place ? finding.place : place_of(story, finding.component));
}

std::string place_in_file(const Story& story, const SiteException& exception) {
  return fmt::format("{}:{}", story.site.file, exception.line);
}

void add(std::string& detail, const std::string& more) {
  detail += (detail.empty() ? "" : "; ") + more;
}

void consider(const Story& story, const SiteException& exception, const std::string& day,
              Finding& finding) {
  const std::string where = place_in_file(story, exception);
  if (day.empty())
    add(finding.detail,
        fmt::format("the exception of {} was not applied: the evidence has no date", where));
  else if (day > exception.expires)
    add(finding.detail,
        fmt::format("the exception for it expired on {} ({})", exception.expires, where));
  else
    finding.accepted = fmt::format("until {}: {} ({})", exception.expires, exception.reason, where);
}

}  // namespace

void accept_known(const Story& story, std::vector<Finding>& findings) {
  if (story.site.exceptions.empty()) return;
  const std::string day = day_of(story);
  for (Finding& finding : findings) {
    if (!is_failure(finding.cls)) continue;
    const std::string detail = finding.detail;
    for (const SiteException& exception : story.site.exceptions)
      if (finding.accepted.empty() && is_about(exception, story, finding))
        consider(story, exception, day, finding);
    // One that holds makes an expired one beside it old news.
    if (!finding.accepted.empty()) finding.detail = detail;
  }
}

void note_unknown_codes(const Story& story, RuleOutput& out) {
  for (const SiteException& exception : story.site.exceptions) {
    const auto rows = catalogue();
    const bool known = exception.code == "*" ||
                       std::any_of(rows.begin(), rows.end(), [&](const CatalogueRow& row) {
                         return row.code == exception.code;
                       });
    if (known) continue;
    out.not_judged.push_back({"exception for " + printable(exception.code, 64),
                              "no finding has this code (" + place_in_file(story, exception) + ")",
                              "a code as findings show it, such as LB-PCIE-WIDTH",
                              {}});
  }
}

}  // namespace linkburn
