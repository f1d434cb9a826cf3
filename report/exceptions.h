// Shortcomings that a site lives with until a day.
#pragma once

#include <vector>

#include "report/rules/finding.h"
#include "report/rules/rule.h"
#include "report/rules/story.h"

namespace linkburn {

/// Marks failures that an exception of the site covers on the day of the evidence. One that has
/// expired covers nothing, and the finding says so.
void accept_known(const Story& story, std::vector<Finding>& findings);

/// Exceptions for a code that no finding has: they never take effect.
void note_unknown_codes(const Story& story, RuleOutput& out);

}  // namespace linkburn
