#include "bench/run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>

#include "bench/base/log.h"
#include "bench/base/text.h"
#include "bench/capture.h"
#include "bench/driver_reader.h"
#include "bench/execute.h"
#include "bench/interrupts.h"
#include "bench/inventory/inventory.h"
#include "bench/node_lock.h"
#include "bench/output.h"
#include "bench/parts.h"
#include "bench/plan.h"
#include "bench/profile.h"
#include "bench/redact.h"
#include "bench/sensors/aer.h"
#include "bench/sensors/kernel_log.h"
#include "bench/site_file.h"
#include "bench/watchdog.h"
#include "report/evidence/reader.h"
#include "report/evidence/writer.h"
#include "report/verdict.h"

namespace linkburn {
namespace {

/// Beyond its time budget a run may wait for hung workers, one after the other; not for longer than
/// this.
constexpr Duration kOverrun = std::chrono::minutes(3);
constexpr const char* kInspectRequires[] = {"presence", "width", "speed", "ports"};

int refuse(const Error& error) {
  log_error(error);
  return kExitUsage;
}

/// Variables that can change what libraries of a run do; others are nobody's business.
std::map<std::string, std::string> telling_environment() {
  static constexpr std::array kPrefixes{"CUDA_",      "NCCL_",      "NVIDIA_",        "OMPI_",
                                        "SLURM_JOB_", "UCX_",       "IBV_",           "MLX5_",
                                        "HWLOC_",     "LD_PRELOAD", "LD_LIBRARY_PATH"};
  std::map<std::string, std::string> kept;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    for (const char* prefix : kPrefixes)
      if (text.starts_with(prefix) && text.find('=') != std::string_view::npos)
        kept[std::string(text.substr(0, text.find('=')))] = text.substr(text.find('=') + 1);
  }
  return kept;
}

RunStart start_record(const Session& session, const Inventory& inventory) {
  RunStart start;
  start.tool = "linkburn";
  start.version = version();
  start.mode = session.options.command;
  start.node = inventory.facts.name;
  start.kernel = inventory.facts.kernel;
  start.boot_id = inventory.facts.boot_id;
  start.machine = inventory.facts.machine;
  start.started = iso_time(session.clock.wall_ns());
  start.clock = session.clock.name();
  start.root = ::geteuid() == 0;
  start.command = session.options.command_line;
  start.environment = telling_environment();
  start.require = session.options.require;
  return start;
}

RunEnd end_record(const EvidenceWriter& evidence, bool whole) {
  RunEnd end;
  end.status = whole ? "complete" : "interrupted";
  if (const int signal = Interrupts::signal(); signal != 0) {
    end.status = "interrupted";
    end.signal = signal;
  }
  end.dropped_samples = evidence.dropped_samples();
  end.lost_records = evidence.lost_records();
  return end;
}

/// Where this run's evidence goes; nothing when a passive command was not asked for any.
Result<std::unique_ptr<EvidenceWriter>> open_evidence(const Session& session,
                                                      const std::string& node, bool needed) {
  std::string path = session.options.evidence;
  if (path.empty() && !needed) return std::make_unique<EvidenceWriter>(session.clock);
  if (path.empty()) {
    auto place = default_evidence_file(node, session.options.profile, session.clock.wall_ns());
    if (!place) return place.error();
    path = *place;
  }
  return EvidenceWriter::create(path, session.clock);
}

/// The evidence of the run in progress, for the moment in which a bug aborts it.
EvidenceWriter* evidence_in_progress = nullptr;

void flush_evidence(std::string_view /*message*/) {
  if (evidence_in_progress != nullptr) evidence_in_progress->flush_after_bug();
}

/// The signal that ended the run; 0 when it came to its end, even if one came after that.
int signal_in(const Evidence& evidence) {
  for (auto record = evidence.records.rbegin(); record != evidence.records.rend(); ++record)
    if (const auto* end = std::get_if<RunEnd>(&record->body)) return end->signal.value_or(0);
  return 0;
}

/// False when a site file was asked for and is not there now.
bool describe_site(const std::string& path, const Evidence& evidence, const Verdict& verdict) {
  if (path.empty()) return true;
  const auto text = write_site(evidence, verdict);
  const Status status = text ? save_site(path, *text) : Status(text.error());
  if (status)
    log_note(fmt::format("{}: read it before it is used; it takes this node for good", path));
  else
    log_error(status.error());
  return status.has_value();
}

/// Judges, renders, and turns what else went wrong into the exit code.
int conclude(const Session& session, EvidenceWriter& writer) {
  writer.close();
  const auto trouble = writer.trouble();
  if (trouble) log_error(*trouble);
  Evidence evidence = writer.evidence();
  Report report{judge(evidence), {}};
  const bool described = describe_site(session.options.write_site, evidence, report.verdict);
  report.nodes.push_back(std::move(evidence));
  const int signal = signal_in(report.nodes.front());
  const bool failed = report.verdict.outcome == Outcome::fail;
  if (trouble && !failed) {
    report.verdict.outcome = Outcome::incomplete;
    report.verdict.exit = kExitIncomplete;
    report.verdict.reasons.push_back(trouble->line());
  }
  if (signal != 0 && !failed) report.verdict.exit = 128 + signal;
  const auto written = write_report(report, session.options.formats);
  if ((!written || !described) && report.verdict.exit == kExitPass) return kExitIncomplete;
  return report.verdict.exit;
}

std::vector<std::string> worker_command(const Session& session) {
  return {session.program, "worker"};
}

/// The live node's inventory, with driver files read by a worker. What it reads is noted in
/// `record`, unless that is null.
Inventory discover_live(const Session& session, const Sysroot& root,
                        const std::shared_ptr<ReadRecord>& record) {
  DriverReader reader(session.clock, worker_command(session), Interrupts::fd());
  DriverFiles files = reader.files();
  if (record) files = noted_files(std::move(files), root, record);
  Inventory inventory = discover(root, files);
  reader.close();
  return inventory;
}

/// False when a capture was asked for and could not be written.
bool save_capture(const Session& session, const ReadRecord* record) {
  if (record == nullptr) return true;
  const std::string& file = session.options.capture;
  const std::int64_t now_ns = session.clock.wall_ns();
  const Status status = session.options.redact ? write_capture(redacted(*record), file, now_ns)
                                               : write_capture(*record, file, now_ns);
  if (!status) log_error(status.error());
  return status.has_value();
}

std::string folder_name(const std::string& path) {
  std::error_code error;
  const auto whole = std::filesystem::canonical(path, error);
  return printable(error ? path : whole.filename().string(), 128);
}

void record_all(EvidenceWriter& evidence, std::vector<Body> records) {
  for (Body& body : records) evidence.append(std::move(body));
}

/// What is on the node, with the names that its site has for its places.
void record_inventory(EvidenceWriter& evidence, const Inventory& inventory,
                      std::optional<SiteText> site) {
  std::vector<Body> records = to_records(inventory);
  if (site) {
    name_slots(*site, inventory.facts.name, records);
    evidence.append(std::move(*site));
  }
  record_all(evidence, std::move(records));
}

/// The site file of a report replaces the recorded ones; "none" leaves them aside.
Result<Policy> report_policy(const std::string& option) {
  auto site = site_in_force(option, false);
  if (!site) return site.error();
  if (option == kNoSiteFile) return Policy{SiteText{}};
  return Policy{std::move(*site)};
}

/// A site file can be long, and is only needed to judge: a rack's would be in memory for each node.
void forget_site_text(Evidence& evidence) {
  for (Record& record : evidence.records)
    if (auto* site = std::get_if<SiteText>(&record.body)) site->text = {};
}

}  // namespace

Instant Session::deadline() const {
  if (!options.deadline_s) return kForever;
  return started +
         std::chrono::duration_cast<Duration>(std::chrono::duration<double>(*options.deadline_s));
}

int run_command(const Session& session) {
  const Options& options = session.options;
  const auto profile = load_profile(options.profile);
  if (!profile) return refuse(profile.error());
  auto site = site_in_force(options.site, true);
  if (!site) return refuse(site.error());
  const auto root = Sysroot::open("/");
  if (!root) return refuse(root.error());
  const auto lock = options.lock_files.empty()
                        ? NodeLock::take(options.command_line)
                        : NodeLock::take(options.command_line, options.lock_files);
  if (!lock) {
    log_error(lock.error());
    return lock.error().code == Code::busy ? kExitIncomplete : kExitUsage;
  }

  const Inventory inventory = discover_live(session, *root, nullptr);
  const Plan plan = make_plan(*profile, inventory);
  auto writer = open_evidence(session, inventory.facts.name, true);
  if (!writer) return refuse(writer.error());
  EvidenceWriter& evidence = **writer;
  evidence_in_progress = &evidence;
  set_bug_handler(flush_evidence);

  RunStart start = start_record(session, inventory);
  start.source = "live";
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
  return conclude(session, evidence);
}

int inspect_command(const Session& session) {
  const Options& options = session.options;
  auto root = Sysroot::open(options.sysroot);
  if (!root) return refuse(root.error());
  std::shared_ptr<ReadRecord> record;
  if (!options.capture.empty()) {
    if (const auto name = check_capture_name(options.capture); !name) return refuse(name.error());
    record = std::make_shared<ReadRecord>();
    root->note_reads(record);
  }
  auto site = site_in_force(options.site, root->live());
  if (!site) return refuse(site.error());
  if (const auto room = check_new_file(options.write_site); !room) return refuse(room.error());
  Inventory inventory =
      root->live() ? discover_live(session, *root, record) : discover(*root, read_directly(*root));
  if (!root->live() && inventory.functions.empty() && inventory.numa_nodes.empty())
    return refuse({Code::not_found, "no node is captured in this tree", options.sysroot,
                   "give the directory that holds sys/ and proc/"});
  // A capture without its host name goes by the name of its folder.
  if (inventory.facts.name.empty()) inventory.facts.name = folder_name(options.sysroot);
  auto writer = open_evidence(session, inventory.facts.name, false);
  if (!writer) return refuse(writer.error());
  EvidenceWriter& evidence = **writer;

  RunStart start = start_record(session, inventory);
  start.source = root->live() ? "live" : options.sysroot;
  if (start.require.empty())
    start.require.assign(std::begin(kInspectRequires), std::end(kInspectRequires));
  evidence.append(std::move(start));
  record_inventory(evidence, inventory, std::move(*site));
  for (Counter& counter : aer_counters(*root, inventory, Phase::passive, {}, false))
    evidence.append(std::move(counter));
  record_all(evidence, kernel_log_since_boot(*root));
  const bool captured = save_capture(session, record.get());
  evidence.append(end_record(evidence, true));
  const int exit = conclude(session, evidence);
  return !captured && exit == kExitPass ? kExitIncomplete : exit;
}

int report_command(const Session& session) {
  const auto policy = report_policy(session.options.site);
  if (!policy) return refuse(policy.error());
  Report report;
  std::vector<Verdict> verdicts;
  bool unread = false;
  for (const std::string& file : session.options.evidence_files) {
    auto evidence = read_evidence(file);
    if (!evidence) {
      log_error(evidence.error());
      unread = true;
      continue;
    }
    if (evidence->torn_tail)
      log_note(
          fmt::format("{}: the last line is cut; the run was killed or the disk was full. "
                      "What came before is judged",
                      file));
    if (evidence->bad_lines > 0)
      log_note(fmt::format("{}: {} lines could not be read", file, evidence->bad_lines));
    verdicts.push_back(judge(*evidence, *policy));
    forget_site_text(*evidence);
    report.nodes.push_back(std::move(*evidence));
  }
  if (verdicts.empty()) return kExitUsage;
  report.verdict = combine(std::move(verdicts));
  if (unread && report.verdict.outcome == Outcome::pass) {
    report.verdict.outcome = Outcome::incomplete;
    report.verdict.exit = kExitIncomplete;
    report.verdict.reasons.emplace_back("an evidence file could not be read");
  }
  const auto written = write_report(report, session.options.formats);
  if (!written && report.verdict.exit == kExitPass) return kExitIncomplete;
  return report.verdict.exit;
}

}  // namespace linkburn
