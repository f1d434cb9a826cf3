#include "bench/execute.h"

#include <fmt/core.h>

#include <algorithm>

#include "bench/base/log.h"
#include "bench/sensors/sampler.h"
#include "bench/worker/supervisor.h"

namespace linkburn {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Duration kPrepareLimit = seconds(60);  // workers announce long calls; silence ends sooner
constexpr Duration kMeasureSlack = seconds(30);  // a lap of a faulty link takes many times longer
constexpr Duration kVerifyLimit = seconds(60);
constexpr Duration kGateDelay = milliseconds(20);  // all lanes read the gate before it opens

/// The interval in which all completed lanes of a step ran, from their windows.
class CommonInterval {
 public:
  void add(int lane, const LapWindow& window) {
    const auto [entry, is_new] = lanes_.try_emplace(lane, window.start_ns, window.end_ns);
    if (!is_new) entry->second.second = window.end_ns;
  }
  void forget(int lane) { lanes_.erase(lane); }
  void write_to(Step& step) const {
    if (lanes_.empty()) return;
    std::int64_t start = INT64_MIN;
    std::int64_t end = INT64_MAX;
    for (const auto& [lane, span] : lanes_) {
      start = std::max(start, span.first);
      end = std::min(end, span.second);
    }
    if (start >= end) return;
    step.interval_start_ns = start;
    step.interval_end_ns = end;
  }

 private:
  std::map<int, std::pair<std::int64_t, std::int64_t>> lanes_;
};

/// One step from start to end.
class StepRun {
 public:
  StepRun(const PlannedStep& step, const Execution& with, Sampler& sampler)
      : step_(step),
        with_(with),
        sampler_(sampler),
        supervisor_(
            with.clock, with.worker_command,
            [this](const Worker& worker, Record record) { take(worker, std::move(record)); }, {},
            with.wake_fd) {}

  /// False when the run shall not go on (signal or deadline).
  bool run() {
    note("start");
    for (const PlannedLane& lane : step_.lanes) start(lane);
    bool go_on = wait(with_.clock.now() + kPrepareLimit, &StepRun::ready_or_ended);
    if (go_on && any(&Worker::ready)) go_on = load();
    if (go_on) go_on = wait(with_.clock.now() + kVerifyLimit, &StepRun::all_ended);
    if (!go_on) supervisor_.stop_all("the run was stopped");
    for (int lane : workers_) supervisor_.finish(lane, with_.clock.now());
    for (const Worker* stuck : supervisor_.survivors())
      note_error(
          {Code::timeout, "a worker process does not die: stuck in the kernel", stuck->name, {}},
          stuck->job.component);
    note_end(go_on);
    return go_on;
  }

 private:
  using Condition = bool (StepRun::*)() const;

  void start(const PlannedLane& lane) {
    Job job;
    job.kind = "lane";
    job.step = step_.step;
    job.workload = step_.workload;
    job.component = lane.lane.component;
    job.params = lane.params;
    std::string name = fmt::format("{} {}", step_.step, job.component.text());
    const auto worker = supervisor_.start(std::move(name), std::move(job));
    if (worker)
      workers_.push_back(*worker);
    else
      note_error(worker.error(), lane.lane.component);
  }

  /// Opens the gate, then follows the lanes through warm-up and measuring.
  bool load() {
    const Instant start = with_.clock.now() + kGateDelay;
    const Instant measure = start + step_.warm_up;
    const Gate gate{to_ns(start), to_ns(measure), step_.windows, kWindow.count()};
    for (int lane : workers_) supervisor_.send(lane, MessageType::go, encode(gate));
    sampler_.enter(Phase::warm_up, step_.step);
    if (!wait_until(measure)) return false;
    sampler_.enter(Phase::measure, step_.step);
    const Instant end = measure + step_.windows * kWindow + kMeasureSlack;
    const bool go_on = wait(end, &StepRun::measured_or_ended);
    sampler_.enter(Phase::idle, {});
    for (int lane : workers_) supervisor_.send(lane, MessageType::release);
    return go_on;
  }

  bool any(bool Worker::*flag) const {
    return std::any_of(workers_.begin(), workers_.end(),
                       [&](int lane) { return supervisor_.worker(lane).*flag; });
  }
  bool all_running(bool Worker::*flag) const {
    return std::all_of(workers_.begin(), workers_.end(), [&](int lane) {
      const Worker& worker = supervisor_.worker(lane);
      return worker.state != WorkerState::running || worker.*flag;
    });
  }
  bool all_ended() const {
    return std::all_of(workers_.begin(), workers_.end(), [&](int lane) {
      const WorkerState state = supervisor_.worker(lane).state;
      return state == WorkerState::ended || state == WorkerState::unkillable;
    });
  }
  bool ready_or_ended() const { return all_running(&Worker::ready); }
  bool measured_or_ended() const { return all_running(&Worker::measured); }
  bool stopped() const {
    if (with_.clock.now() >= with_.deadline) return true;
    pollfd wake{with_.wake_fd, POLLIN, 0};
    const auto ready = with_.clock.poll({&wake, 1}, with_.clock.now());
    return ready && *ready > 0;
  }

  /// Waits for a condition; what is not there at the deadline is dealt with by its own limits.
  bool wait(Instant deadline, Condition condition) {
    supervisor_.pump(std::min(deadline, with_.deadline), [&] { return (this->*condition)(); });
    return !stopped();
  }
  bool wait_until(Instant time) {
    supervisor_.pump(std::min(time, with_.deadline), [] { return false; });
    return !stopped();
  }

  /// A worker says only what it can know: laps, readings, counters, parts and its own errors.
  void take(const Worker& worker, Record record) {
    if (auto* window = std::get_if<LapWindow>(&record.body)) {
      window->start_ns = with_.evidence.run_ns(instant_from_ns(window->start_ns));
      window->end_ns = with_.evidence.run_ns(instant_from_ns(window->end_ns));
      interval_.add(worker.number, *window);
      with_.evidence.append(std::move(record.body));
    } else if (std::holds_alternative<Reading>(record.body) ||
               std::holds_alternative<Transition>(record.body) ||
               std::holds_alternative<Counter>(record.body) ||
               std::holds_alternative<Part>(record.body) ||
               std::holds_alternative<ToolError>(record.body)) {
      with_.evidence.append(std::move(record.body));
    }
  }

  void note(const char* event) {
    Step record;
    record.step = step_.step;
    record.workload = step_.workload;
    record.event = event;
    for (const PlannedLane& lane : step_.lanes) record.lanes.push_back(lane.lane);
    with_.evidence.append(std::move(record));
  }

  void note_end(bool went_on) {
    Step record;
    record.step = step_.step;
    record.workload = step_.workload;
    record.event = "end";
    record.status = went_on ? "complete" : "interrupted";
    for (const PlannedLane& lane : step_.lanes) {
      Lane ended = lane.lane;
      note_lane_end(ended, record);
      if (went_on && ended.status != "complete") record.status = "error";
      record.lanes.push_back(std::move(ended));
    }
    interval_.write_to(record);
    with_.evidence.append(std::move(record));
  }

  void note_lane_end(Lane& lane, Step& record) {
    lane.status = "error";
    lane.reason = "its worker process could not be started";
    for (int number : workers_) {
      const Worker& worker = supervisor_.worker(number);
      if (worker.job.component != lane.component) continue;
      lane.status = worker.outcome.status;
      lane.reason = worker.outcome.reason;
      for (const auto& [name, fact] : worker.outcome.facts)
        record.facts[fact_name(worker, name)] = fact;
      if (lane.status != "complete") interval_.forget(number);
    }
  }

  /// "method" of a lone lane, "numa0->numa1 method" of one among several.
  std::string fact_name(const Worker& worker, const std::string& name) const {
    return step_.lanes.size() == 1 ? name : worker.job.component.text() + " " + name;
  }

  void note_error(const Error& error, const ComponentId& component) {
    with_.evidence.append(ToolError{std::string(to_string(error.code)), error.what, error.source,
                                    error.fix, component, step_.step});
  }

  const PlannedStep& step_;
  const Execution& with_;
  Sampler& sampler_;
  CommonInterval interval_;
  std::vector<int> workers_;
  Supervisor supervisor_;
};

void note_skip(const PlannedStep& step, const std::string& reason, EvidenceWriter& evidence) {
  Step record;
  record.step = step.step;
  record.workload = step.workload;
  record.event = "skipped";
  record.reason = reason;
  for (const PlannedLane& lane : step.lanes) record.lanes.push_back(lane.lane);
  evidence.append(std::move(record));
}

/// Sleeps through an unloaded phase; false on a signal or at the deadline.
bool rest(Duration time, const Execution& with) {
  const Instant end = std::min(with.clock.now() + time, with.deadline);
  while (with.clock.now() < end) {
    pollfd wake{with.wake_fd, POLLIN, 0};
    const auto ready = with.clock.poll({&wake, 1}, end);
    if (ready && *ready > 0) return false;
  }
  return with.clock.now() < with.deadline;
}

}  // namespace

bool execute(const Plan& plan, const Execution& with) {
  Sampler sampler({with.clock, with.root, with.inventory, with.evidence}, with.sampling_period);
  sampler.start();
  const Instant budget_end = with.clock.now() + plan.budget;
  bool go_on = rest(plan.idle, with);
  bool whole = true;
  for (const PlannedStep& step : plan.steps) {
    if (!step.skip_reason.empty()) {
      note_skip(step, step.skip_reason, with.evidence);
    } else if (!go_on) {
      whole = false;
      note_skip(step, "the run was stopped before", with.evidence);
    } else if (with.clock.now() + step.estimate + plan.cool_down > budget_end) {
      whole = false;
      note_skip(step, budget_reason(plan.budget), with.evidence);
    } else {
      log_progress(fmt::format("{} ...", step.step));
      go_on = StepRun(step, with, sampler).run();
      whole = whole && go_on;
    }
  }
  sampler.enter(Phase::cool_down, {});
  if (go_on) rest(plan.cool_down, with);
  sampler.stop();
  return whole;
}

std::vector<Part> probe_libraries(const Clock& clock, std::vector<std::string> worker_command,
                                  int wake_fd) {
  std::vector<Part> parts;
  Supervisor supervisor(
      clock, std::move(worker_command),
      [&](const Worker&, Record record) {
        if (auto* part = std::get_if<Part>(&record.body)) parts.push_back(std::move(*part));
      },
      {}, wake_fd);
  Job job;
  job.kind = "probe";
  const auto worker = supervisor.start("library probe", std::move(job));
  if (!worker) return {{"libraries", "unusable", {}, {}, worker.error().what, worker.error().fix}};
  supervisor.pump(clock.now() + seconds(60),
                  [&] { return supervisor.worker(*worker).state == WorkerState::ended; });
  supervisor.finish(*worker, clock.now());
  const JobOutcome& outcome = supervisor.worker(*worker).outcome;
  if (outcome.status != "complete")
    parts.push_back({"libraries",
                     "unusable",
                     {},
                     {},
                     outcome.reason,
                     "a driver library hangs or crashes when it is loaded"});
  return parts;
}

}  // namespace linkburn
