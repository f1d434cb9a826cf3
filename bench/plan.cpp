#include "bench/plan.h"

#include <fmt/core.h>

#include <algorithm>

namespace linkburn {
namespace {

using std::chrono::milliseconds;

// What a host_copy step costs beside warm-up and measuring: process, touching and locking memory,
// the trial of copy methods, the comparison. Most of it grows with the buffer, which follows the
// caches.
constexpr milliseconds kStepOverhead{1200};
constexpr milliseconds kShortestWarmUp{100};

PlannedLane memory_lane(int from, int to, const ProfileStep& step) {
  PlannedLane lane;
  lane.lane.component = ComponentId::numa_path(from, to);
  lane.lane.loads = {ComponentId::numa(from)};
  if (to != from) lane.lane.loads.push_back(ComponentId::numa(to));
  lane.params = {{"from_node", std::to_string(from)},
                 {"to_node", std::to_string(to)},
                 {"buffer_mib", std::to_string(step.buffer_mib)}};
  return lane;
}

bool has_memory(const NumaNode& node) { return node.memory_bytes.value_or(0) > 0; }

/// Adds a step with the given lanes, or without lanes one that is skipped for `reason`.
void add(Plan& plan, const ProfileStep& from, std::vector<PlannedLane> lanes,
         std::string reason = {}) {
  PlannedStep step;
  const auto same =
      std::count_if(plan.steps.begin(), plan.steps.end(),
                    [&](const PlannedStep& other) { return other.workload == from.workload; });
  step.step = fmt::format("{}-{}", from.workload, same + 1);
  step.workload = from.workload;
  step.lanes = std::move(lanes);
  step.warm_up = milliseconds(from.warm_up_ms);
  step.windows = std::max(1, from.measure_ms / static_cast<int>(kWindow.count()));
  step.skip_reason = std::move(reason);
  plan.steps.push_back(std::move(step));
}

/// Each node to each node, local paths first, one after the other.
void plan_each_pair(const ProfileStep& step, const Inventory& inventory, Plan& plan) {
  const std::size_t before = plan.steps.size();
  const auto& nodes = inventory.numa_nodes;
  for (std::size_t distance = 0; distance < nodes.size(); ++distance) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const NumaNode& from = nodes[i];
      const NumaNode& to = nodes[(i + distance) % nodes.size()];
      if (from.cpus.empty() || !has_memory(from) || !has_memory(to)) continue;
      add(plan, step, {memory_lane(from.number, to.number, step)});
    }
  }
  if (plan.steps.size() == before)
    add(plan, step, {}, "no NUMA node with both CPUs and memory was found");
}

/// Every node's local path at the same time.
void plan_all_local(const ProfileStep& step, const Inventory& inventory, Plan& plan) {
  std::vector<PlannedLane> lanes;
  for (const NumaNode& node : inventory.numa_nodes)
    if (!node.cpus.empty() && has_memory(node))
      lanes.push_back(memory_lane(node.number, node.number, step));
  if (lanes.size() > 1) return add(plan, step, std::move(lanes));
  add(plan, step, {}, "one NUMA node: all at once is the same as one alone");
}

void plan_step(const ProfileStep& step, const Inventory& inventory, Plan& plan) {
  if (step.workload == "host_copy" && step.lanes == "each_pair")
    return plan_each_pair(step, inventory, plan);
  if (step.workload == "host_copy" && step.lanes == "all_local")
    return plan_all_local(step, inventory, plan);
  add(plan, step, {},
      fmt::format("this build has no workload '{}' with lanes '{}'", step.workload, step.lanes));
}

Duration time_of(const PlannedStep& step) {
  if (!step.skip_reason.empty()) return Duration::zero();
  return step.warm_up + step.windows * kWindow + kStepOverhead;
}

Duration time_of(const Plan& plan) {
  Duration total = plan.idle + plan.cool_down;
  for (const PlannedStep& step : plan.steps) total += time_of(step);
  return total;
}

void keep_budget(Plan& plan, Duration budget) {
  while (time_of(plan) > budget) {
    bool shrunk = false;
    for (PlannedStep& step : plan.steps) {
      if (step.windows > 2) {
        --step.windows;
        shrunk = true;
      } else if (step.warm_up > kShortestWarmUp) {
        step.warm_up = kShortestWarmUp;
        shrunk = true;
      }
    }
    if (shrunk) continue;
    const auto last = std::find_if(
        plan.steps.rbegin(), plan.steps.rend(),
        [](const PlannedStep& step) { return step.skip_reason.empty() && step.lanes.size() == 1; });
    if (last == plan.steps.rend()) return;
    last->skip_reason = budget_reason(budget);
  }
}

}  // namespace

std::string budget_reason(Duration budget) {
  return fmt::format("cut to keep the time budget of {:.0f} s",
                     std::chrono::duration<double>(budget).count());
}

Plan make_plan(const Profile& profile, const Inventory& inventory) {
  Plan plan;
  plan.idle = milliseconds(profile.idle_ms);
  plan.cool_down = milliseconds(profile.cool_down_ms);
  for (const ProfileStep& step : profile.steps) plan_step(step, inventory, plan);
  keep_budget(plan, std::chrono::seconds(profile.time_budget_s));
  for (PlannedStep& step : plan.steps) step.estimate = time_of(step);
  plan.estimate = time_of(plan);
  plan.budget = std::chrono::seconds(profile.time_budget_s);
  return plan;
}

}  // namespace linkburn
