// What keeps a judgement from being complete.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "report/rules/rule.h"

namespace linkburn {

/// The aspects that must be judged, and what asks for more than this version knows.
struct Required {
  std::set<Aspect> aspects;
  std::set<std::pair<ComponentId, Aspect>> of_site;  ///< what the site expects of single components
  std::vector<std::string> unknown_words;

  /// True when an undecided finding leaves the judgement incomplete. What a profile planned must
  /// have taken place, and the data that it moved must have been verified, whatever else is
  /// required.
  bool covers(const Finding& finding) const;
};
Required required_by(const Story& story);

/// Why the evidence itself is not whole: no end, interrupted, cut, unreadable or lost records.
std::vector<std::string> gaps_in(const Story& story, const Evidence& evidence);

/// What the rules said anything about, before findings are put together.
struct Survey {
  std::set<Aspect> named;          ///< aspects with any finding, decided or not
  bool judged = false;             ///< a link or a port got a decided finding
  std::vector<std::string> unmet;  ///< what the site expects and no rule said anything about
};
Survey survey(const Story& story, const RuleOutput& out);

/// Why what the rules found is not enough: required findings that are undecided, required aspects
/// that nothing was said about, or nothing judged at all.
std::vector<std::string> gaps_in(const Story& story, const Required& required, const Survey& survey,
                                 const std::vector<Finding>& findings);

/// On a machine without PCIe links, or in texts without any: the sentence that says so, with what
/// was there instead.
std::optional<std::string> no_links(const Story& story);

}  // namespace linkburn
