#include "bench/command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>

#include "bench/base/log.h"
#include "bench/capture.h"
#include "bench/driver_reader.h"
#include "bench/interrupts.h"
#include "bench/output.h"
#include "bench/parts.h"
#include "bench/site_file.h"
#include "report/verdict.h"

namespace linkburn {
namespace {

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

}  // namespace

int refuse(const Error& error) {
  log_error(error);
  return kExitUsage;
}

std::vector<std::string> worker_command(const Session& session) {
  return {session.program, "worker"};
}

Inventory discover_live(const Session& session, const Sysroot& root,
                        const std::shared_ptr<ReadRecord>& reads) {
  DriverReader reader(session.clock, worker_command(session), Interrupts::fd());
  DriverFiles files = reader.files();
  if (reads) files = noted_files(std::move(files), root, reads);
  Inventory inventory = discover(root, files);
  reader.close();
  return inventory;
}

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
  start.drill = start.clock == "drill";
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

void record_all(EvidenceWriter& evidence, std::vector<Body> records) {
  for (Body& body : records) evidence.append(std::move(body));
}

void record_inventory(EvidenceWriter& evidence, const Inventory& inventory,
                      std::optional<SiteText> site) {
  std::vector<Body> records = to_records(inventory);
  if (site) {
    name_slots(*site, inventory.facts.name, records);
    evidence.append(std::move(*site));
  }
  record_all(evidence, std::move(records));
}

void require_the_usual(RunStart& start) {
  if (start.require.empty()) start.require = {"presence", "width", "speed", "ports"};
}

int conclude(const Session& session, std::vector<std::unique_ptr<EvidenceWriter>>& writers) {
  Report report;
  std::vector<Verdict> verdicts;
  std::optional<Error> trouble;
  bool described = true;
  int signal = 0;
  for (const auto& writer : writers) {
    writer->close();
    if (const auto own = writer->trouble()) {
      log_error(*own);
      trouble = own;
    }
    Evidence evidence = writer->evidence();
    verdicts.push_back(judge(evidence));
    described &= describe_site(session.options.write_site, evidence, verdicts.back());
    if (signal == 0) signal = signal_in(evidence);
    report.nodes.push_back(std::move(evidence));
  }
  report.verdict =
      verdicts.size() == 1 ? std::move(verdicts.front()) : combine(std::move(verdicts));
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

}  // namespace linkburn
