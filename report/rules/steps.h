// The life of each step, put together from its records.
#pragma once

#include <string>
#include <vector>

#include "report/rules/story.h"

namespace linkburn {

struct StepLife {
  std::string id, workload;
  std::vector<Lane> lanes;             ///< of the latest record that names any
  const Step* start = nullptr;         ///< null: never started
  const Step* end = nullptr;           ///< null: never ended
  const Step* skipped = nullptr;       ///< with its reason
  std::optional<std::int64_t> at_ns;   ///< of its latest record
  std::vector<std::int64_t> evidence;  ///< its records

  /// True when this lane did all that was planned; others of the same step may have failed.
  bool completed(const Lane& lane) const {
    return end != nullptr && (lane.status.empty() ? end->status : lane.status) == "complete";
  }

  /// True when a completed lane of it sent traffic over this link.
  bool loads(const LinkStory& link, const Story& story) const;
};

/// In the order in which they were first named.
std::vector<StepLife> lives_of_steps(const Story& story);

}  // namespace linkburn
