// A rule: a pure function from one node's evidence to findings. No clock, no file, no hardware.
#pragma once

#include <string_view>
#include <vector>

#include "report/rules/finding.h"
#include "report/rules/story.h"

namespace linkburn {

/// What one rule has to say. A component that was judged and found good gets a `healthy` finding,
/// so that silence always means "not judged".
struct RuleOutput {
  std::vector<Finding> findings;
  std::vector<NotJudged> not_judged;
};

struct Rule {
  std::string_view name;      ///< as in table.h
  std::string_view question;  ///< one sentence for the README and `doctor`
  void (*apply)(const Story& story, RuleOutput& out);
};

}  // namespace linkburn
