// Findings to one verdict and its exit code.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/base/result.h"
#include "report/evidence/record.h"
#include "report/rules/finding.h"
#include "report/rules/policy.h"

namespace linkburn {

enum class Outcome { pass, fail, incomplete };
std::string_view to_string(Outcome outcome);  // "PASS", "FAIL", "INCOMPLETE"

/// Exit codes of the program [README.md, "Exit codes"].
inline constexpr int kExitPass = 0;
inline constexpr int kExitFail = 1;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitIncomplete = 3;
inline constexpr int kExitOwnError = 4;

struct Verdict {
  Outcome outcome = Outcome::incomplete;
  int exit = kExitIncomplete;
  std::vector<std::string> reasons;  ///< why it is INCOMPLETE, one sentence each
  std::vector<Finding> findings;     ///< the worst first; healthy ones last
  std::vector<NotJudged> not_judged;
};

/// Judges one node's evidence: all rules, then the verdict. Never throws, never looks at a clock.
Verdict judge(const Evidence& evidence, const Policy& policy = {});

/// One verdict over several evidences, in their order: FAIL wins over INCOMPLETE, INCOMPLETE over
/// PASS.
Verdict combine(std::vector<Verdict> verdicts);

}  // namespace linkburn
