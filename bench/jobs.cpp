#include "bench/jobs.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "bench/base/sysroot.h"
#include "bench/base/text.h"
#include "bench/engine.h"
#include "bench/ethtool/query.h"
#include "bench/inventory/ethtool_text.h"
#include "bench/parts.h"
#include "bench/workloads/table.h"

namespace linkburn {
namespace {

constexpr Duration kFileAllowance = std::chrono::seconds(2);
constexpr Duration kLoadAllowance = std::chrono::seconds(20);
/// Counting the GPUs starts them when nothing keeps them started: seconds for each.
constexpr Duration kDriverAllowance = std::chrono::seconds(40);

class SessionProgress final : public Progress {
 public:
  explicit SessionProgress(WorkerSession& session) : session_(session) {}
  void doing(std::string_view call, Duration allowed) override { session_.doing(call, allowed); }
  bool stop_requested() const override { return session_.stop_requested(); }

 private:
  WorkerSession& session_;
};

JobOutcome failed(const Error& error) { return {"error", error.line(), {}}; }

JobOutcome interrupted() { return {"interrupted", "the run was stopped", {}}; }

LapWindow to_record(const Window& window, const Job& job) {
  LapWindow record;
  record.step = job.step;
  record.component = job.component;
  record.phase = Phase::measure;
  record.start_ns = to_ns(window.start);
  record.end_ns = to_ns(window.end);
  record.laps = window.laps;
  record.bytes = window.bytes;
  record.lap_ns = window.lap_ns;
  return record;
}

Reading to_record(const DataCheck& check, const Job& job) {
  Reading record{job.component,     "wrong_words",  "words", static_cast<double>(check.wrong_words),
                 check.first_wrong, Phase::measure, job.step};
  if (check.wrong_words == 0)
    record.text = std::to_string(check.words_checked) + " words compared, all right";
  return record;
}

/// Asked before every lap: shows life, and says when to stop. A lap may take many times as long as
/// the longest so far before it counts as a hang, because a faulty link is slow, not silent.
class LapPulse {
 public:
  explicit LapPulse(WorkerSession& session) : session_(session), last_(session.clock().now()) {}

  bool stop() {
    const Instant now = session_.clock().now();
    longest_ = std::max(longest_, now - last_);
    last_ = now;
    session_.beat(std::max<Duration>(kFirstLap, 20 * longest_));
    return session_.stop_requested();
  }

 private:
  static constexpr Duration kFirstLap = std::chrono::seconds(1);
  WorkerSession& session_;
  Instant last_;
  Duration longest_{0};
};

/// Warm-up, windows, and the load that goes on until all lanes have measured.
Status measure(WorkerSession& session, const Job& job, Workload& workload, const Gate& gate) {
  const Clock& clock = session.clock();
  LapPulse pulse(session);
  const auto stopped = [&] { return pulse.stop(); };
  while (clock.now() < instant_from_ns(gate.start_ns) && !stopped())
    clock.sleep_until(instant_from_ns(gate.start_ns));
  const auto ignored = [](const Window&) {};
  const std::chrono::milliseconds window(gate.window_ms);
  const LapPlan warm_up{instant_from_ns(gate.measure_ns), window};
  if (auto warm = run_laps(workload, warm_up, clock, ignored, stopped); !warm) return warm.error();
  const WindowPlan plan{job.step + "/" + job.component.text(), gate.windows, window};
  const auto sink = [&](const Window& measured) { session.record(to_record(measured, job)); };
  if (auto laps = run_windows(workload, plan, clock, sink, stopped); !laps) return laps.error();
  session.measured();
  const auto released = [&] { return stopped() || session.released(); };
  if (auto rest = run_laps(workload, {kForever, window}, clock, ignored, released); !rest)
    return rest.error();
  return {};
}

JobOutcome run_prepared(WorkerSession& session, const Job& job, Workload& workload) {
  const auto gate = session.wait_at_gate();
  if (!gate) return interrupted();
  if (const auto status = measure(session, job, workload, *gate); !status)
    return failed(status.error());
  if (session.stop_requested()) return interrupted();
  session.doing("comparison of the copied data", kLoadAllowance);
  const auto check = workload.verify();
  if (!check) return failed(check.error());
  session.record(to_record(*check, job));
  return {"complete", {}, workload.facts()};
}

/// One announcement for all: each answer is a sign of life, and the first missing one names the
/// file.
std::string reads_of(const std::vector<std::string>& paths) {
  if (paths.size() == 1) return "read of /" + paths.front();
  return fmt::format("read of /{} and {} more files", paths.front(), paths.size() - 1);
}

/// A file of the node, or what a driver says only through calls (bench/ethtool).
Result<std::string> read_file(const Sysroot& root, const std::string& path) {
  if (const auto interface = interface_of_ethtool_file(path)) return query_ethtool(*interface);
  return root.read(path);
}

}  // namespace

JobOutcome run_lane_job(WorkerSession& session, const Job& job) {
  const WorkloadInfo* info = find_workload(job.workload);
  if (info == nullptr) return {"error", "this build has no workload '" + job.workload + "'", {}};
  const std::unique_ptr<Workload> workload = info->make(session.clock());
  SessionProgress progress(session);
  if (const auto ready = workload->prepare({job.component, job.params, job.step}, progress); !ready)
    return failed(ready.error());
  JobOutcome outcome = run_prepared(session, job, *workload);
  session.doing("release of the workload's memory", kLoadAllowance);
  workload->release();
  return outcome;
}

JobOutcome run_read_job(WorkerSession& session, const Job& job) {
  const auto root = Sysroot::open("/");
  if (!root) return failed(root.error());
  std::optional<Job> request = job;
  while (request && !session.stop_requested()) {
    if (!request->paths.empty()) session.doing(reads_of(request->paths), kFileAllowance);
    for (const std::string& path : request->paths) {
      const auto text = read_file(*root, path);
      if (text)
        session.record(
            Reading{ComponentId::node(), "file", path, std::nullopt, *text, Phase::passive, {}});
      else
        session.record(ToolError{std::string(to_string(text.error().code)),
                                 text.error().what,
                                 path,
                                 text.error().fix,
                                 std::nullopt,
                                 {}});
    }
    session.measured();
    request = session.wait_for_job();
  }
  return {"complete", {}, {}};
}

JobOutcome run_probe_job(WorkerSession& session, const Job& job) {
  session.doing("load of the CUDA and NVML libraries", kDriverAllowance);
  const auto parts = open_gpu_parts(job.params, session.clock());
  if (!parts) return failed(parts.error());
  for (const Part& part : *parts) session.record(part);
  for (const LibraryNeed& need : library_needs()) {
    session.doing("load of " + need.sonames.front(), kLoadAllowance);
    const LibraryFact fact = probe_library(need, session.clock());
    session.record(Part{fact.part,
                        fact.found ? "found" : "absent",
                        fact.path,
                        {},
                        fact.found ? "" : fmt::format("{} ({})", fact.purpose, fact.why),
                        fact.found ? "" : fact.fix});
  }
  return {"complete", {}, {}};
}

std::span<const JobKind> job_kinds() {
  static constexpr std::array kinds{JobKind{"lane", run_lane_job}, JobKind{"read", run_read_job},
                                    JobKind{"probe", run_probe_job}};
  return kinds;
}

}  // namespace linkburn
