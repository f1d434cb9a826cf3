#include "report/rules/steps.h"

#include <algorithm>

namespace linkburn {

bool StepLife::loads(const LinkStory& link, const Story& story) const {
  return std::any_of(lanes.begin(), lanes.end(), [&](const Lane& lane) {
    return completed(lane) &&
           std::any_of(lane.loads.begin(), lane.loads.end(),
                       [&](const ComponentId& load) { return story.link_of(load) == &link; });
  });
}

std::vector<StepLife> lives_of_steps(const Story& story) {
  std::vector<StepLife> lives;
  for (const auto& record : story.steps) {
    auto life = std::find_if(lives.begin(), lives.end(),
                             [&](const StepLife& known) { return known.id == record->step; });
    if (life == lives.end()) {
      life = lives.insert(lives.end(), StepLife{});
      life->id = record->step;
    }
    if (!record->workload.empty()) life->workload = record->workload;
    if (!record->lanes.empty()) life->lanes = record->lanes;
    if (record->event == "start") life->start = record.body;
    if (record->event == "end") life->end = record.body;
    if (record->event == "skipped") life->skipped = record.body;
    life->at_ns = record.at_ns;
    life->evidence.push_back(record.seq);
  }
  return lives;
}

}  // namespace linkburn
