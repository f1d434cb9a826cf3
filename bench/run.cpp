#include "bench/run.h"

#include <algorithm>
#include <filesystem>

#include "bench/base/log.h"
#include "bench/command.h"
#include "bench/execute.h"
#include "bench/interrupts.h"
#include "bench/node_lock.h"
#include "bench/output.h"
#include "bench/parts.h"
#include "bench/plan.h"
#include "bench/profile.h"
#include "bench/site_file.h"
#include "bench/watchdog.h"
#include "report/verdict.h"

namespace linkburn {
namespace {

/// Beyond its time budget a run may wait for hung workers, one after the other; not for longer than
/// this.
constexpr Duration kOverrun = std::chrono::minutes(3);

/// The evidence of the run in progress, for the moment in which a bug aborts it.
EvidenceWriter* evidence_in_progress = nullptr;

void flush_evidence(std::string_view /*message*/) {
  if (evidence_in_progress != nullptr) evidence_in_progress->flush_after_bug();
}

}  // namespace

Instant Session::deadline() const {
  if (!options.deadline_s) return kForever;
  return started +
         std::chrono::duration_cast<Duration>(std::chrono::duration<double>(*options.deadline_s));
}

Status check_run_root(const Sysroot& root, const std::string& drill_tree) {
  if (root.live() && drill_tree.empty()) return {};
  if (root.live())
    return Error{Code::invalid, "in a drill 'run' loads no real machine", root.path(),
                 "give the drill's tree: --sysroot " + drill_tree};
  const std::string replay = "replay a tree with: linkburn inspect --sysroot DIR";
  if (!is_drill(root))
    return Error{Code::invalid, "'run' loads this machine and takes no --sysroot but a drill's",
                 root.path(), replay};
  std::error_code error;
  if (!std::filesystem::equivalent(root.path(), drill_tree, error))
    return Error{Code::invalid, "this tree is a drill's, and 'run' is not part of that drill",
                 root.path(), replay};
  return {};
}

int run_command(const Session& session) {
  const Options& options = session.options;
  const auto root = Sysroot::open(options.sysroot);
  if (!root) return refuse(root.error());
  if (const Status allowed = check_run_root(*root, session.drill_tree); !allowed)
    return refuse(allowed.error());
  const auto profile = load_profile(options.profile);
  if (!profile) return refuse(profile.error());
  auto site = site_in_force(options.site, root->live());
  if (!site) return refuse(site.error());
  const auto lock = options.lock_files.empty()
                        ? NodeLock::take(options.command_line)
                        : NodeLock::take(options.command_line, options.lock_files);
  if (!lock) {
    log_error(lock.error());
    return lock.error().code == Code::busy ? kExitIncomplete : kExitUsage;
  }

  const Inventory inventory =
      root->live() ? discover_live(session, *root, nullptr) : discover(*root, read_directly(*root));
  const Plan plan = make_plan(*profile, inventory);
  auto writer = open_evidence(session, inventory.facts.name, true);
  if (!writer) return refuse(writer.error());
  std::vector<std::unique_ptr<EvidenceWriter>> writers;
  writers.push_back(std::move(*writer));
  EvidenceWriter& evidence = *writers.front();
  evidence_in_progress = &evidence;
  set_bug_handler(flush_evidence);

  RunStart start = start_record(session, inventory);
  start.source = root->live() ? "live" : options.sysroot;
  start.profile = profile->name;
  start.profile_text = profile->text;
  start.sampling_period_ms = profile->sampling_period_ms;
  if (start.require.empty())
    for (Aspect aspect : profile->require) start.require.emplace_back(to_string(aspect));
  evidence.append(std::move(start));
  record_inventory(evidence, inventory, std::move(*site));
  for (Part& part : probe_libraries(session.clock, worker_command(session), Interrupts::fd()))
    evidence.append(std::move(part));
  set_watchdog(std::min(session.deadline(), session.clock.now() + plan.budget + kOverrun));
  const bool whole =
      execute(plan, {session.clock, *root, inventory, evidence, worker_command(session),
                     std::chrono::milliseconds(profile->sampling_period_ms), session.deadline(),
                     Interrupts::fd()});
  evidence.append(end_record(evidence, whole));
  return conclude(session, writers);
}

}  // namespace linkburn
