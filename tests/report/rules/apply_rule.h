// Runs one rule of the table over evidence.
#pragma once

#include <gmock/gmock.h>

#include "report/rules/table.h"

namespace linkburn {

inline RuleOutput apply_rule(const Rule& rule, const Evidence& evidence) {
  RuleOutput out;
  rule.apply(Story::of(evidence), out);
  return out;
}

/// The one finding that a test expects.
inline Finding only_finding(const Rule& rule, const Evidence& evidence) {
  const RuleOutput out = apply_rule(rule, evidence);
  EXPECT_EQ(out.findings.size(), 1U);
  return out.findings.empty() ? Finding{} : out.findings.front();
}

MATCHER_P2(Is, code, cls, "") {
  *result_listener << arg.code << " " << to_string(arg.cls) << ": " << arg.detail;
  return arg.code == code && arg.cls == cls;
}

}  // namespace linkburn
