// What the findings about measured copies are made of: rates beside their equals and their rating,
// and the words for them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/rules/finding.h"
#include "report/rules/measured_view.h"

namespace linkburn {

/// A copy engine gets about this share of a link [PCI Express payload of 256 bytes and 24 of
/// overhead, and flow control].
constexpr double kCopyEfficiency = 0.82;
/// A halved link gives at most 0.61 of what is expected; a remote NUMA node or noise do not go
/// below 0.70 on healthy links.
constexpr double kLowCopy = 0.70;

enum class CopyLevel { fine, odd, low };

/// One rate of one GPU, beside its equals and its rating.
struct JudgedCopy {
  const CopySeries* series = nullptr;
  double rate_gbs = 0;
  std::vector<std::int64_t> evidence;
  std::optional<CopyLevel> by_equals, by_rating;
  bool equal_reaches_rating = false;
  double best_gbs = 0;  ///< of the table
};

struct GpuCopies {
  ComponentId gpu;
  std::optional<int> index;
  std::optional<CopyExpectation> expected;
  std::vector<JudgedCopy> host, peers;
};

/// Evidence of a finding names the first records; hundreds would say no more.
void add_evidence(std::vector<std::int64_t>& all, const std::vector<std::int64_t>& more);

/// "host to device".
std::string_view words_of_direction(const CopySeries& series);

/// "host to device 26.1 GB/s (55.3 GB/s of 7 equals)"
std::string describe(const std::vector<JudgedCopy>& rates);

/// A finding about these rates of one GPU, which are not empty; of its numbers the lowest count.
Finding copy_finding(const GpuCopies& copies, const std::vector<JudgedCopy>& rates,
                     std::string code, FindingClass cls);

/// What a person should do next, as the end of a detail.
std::string how_to_settle(const GpuCopies& copies, bool peers);

/// What slows a healthy link as these rates are slow, as the end of a detail.
std::string other_reasons(const std::vector<JudgedCopy>& rates);

}  // namespace linkburn
