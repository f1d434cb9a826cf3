// `linkburn inspect`: passive, this node or a captured tree.
#include <filesystem>

#include "bench/base/log.h"
#include "bench/base/text.h"
#include "bench/capture.h"
#include "bench/command.h"
#include "bench/inspect_captures.h"
#include "bench/interrupts.h"
#include "bench/redact.h"
#include "bench/run.h"
#include "bench/sensors/aer.h"
#include "bench/sensors/kernel_log.h"
#include "bench/site_file.h"
#include "report/verdict.h"

namespace linkburn {
namespace {

/// In a redacted archive: its file's name may be the host's.
constexpr const char* kRedactedFolder = "redacted";

/// What an inspect works on, checked before anything is read.
struct Subject {
  Sysroot root;
  std::shared_ptr<ReadRecord> reads;  ///< null: nothing is captured
  std::optional<SiteText> site;
};

Result<Subject> subject_of(const Options& options) {
  auto root = Sysroot::open(options.sysroot);
  if (!root) return root.error();
  std::shared_ptr<ReadRecord> reads;
  if (!options.capture.empty()) {
    if (const auto name = check_capture_name(options.capture); !name) return name.error();
    reads = std::make_shared<ReadRecord>();
    root->note_reads(reads);
  }
  auto site = site_in_force(options.site, root->live());
  if (!site) return site.error();
  if (const auto room = check_new_file(options.write_site); !room) return room.error();
  return Subject{std::move(*root), std::move(reads), std::move(*site)};
}

std::string folder_name(const std::string& path) {
  std::error_code error;
  const auto whole = std::filesystem::canonical(path, error);
  return printable(error ? path : whole.filename().string(), 128);
}

Result<Inventory> look_at(const Session& session, const Subject& subject) {
  const Sysroot& root = subject.root;
  const std::string& place = session.options.sysroot;
  Inventory inventory = root.live() ? discover_live(session, root, subject.reads)
                                    : discover(root, read_directly(root));
  if (!root.live() && inventory.functions.empty() && inventory.numa_nodes.empty())
    return Error{Code::not_found, "no node is captured in this tree", place,
                 "give the directory that holds sys/ and proc/"};
  // A capture without its host name goes by the name of its folder.
  if (inventory.facts.name.empty()) inventory.facts.name = folder_name(place);
  return inventory;
}

void record(const Session& session, Subject& subject, const Inventory& inventory,
            EvidenceWriter& evidence) {
  RunStart start = start_record(session, inventory);
  start.source = subject.root.live() ? "live" : session.options.sysroot;
  require_the_usual(start);
  evidence.append(std::move(start));
  record_inventory(evidence, inventory, std::move(subject.site));
  for (Counter& counter : aer_counters(subject.root, inventory, Phase::passive, {}, false))
    evidence.append(std::move(counter));
  record_all(evidence, kernel_log_since_boot(subject.root));
}

/// False when a capture was asked for and could not be written.
bool save_capture(const Session& session, const ReadRecord* reads) {
  if (reads == nullptr) return true;
  if (Interrupts::signal() != 0) {
    log_error({Code::io,
               "no capture is written: the inspect was interrupted",
               session.options.capture,
               {}});
    return false;
  }
  const std::string& file = session.options.capture;
  const std::int64_t now_ns = session.clock.wall_ns();
  const Status status = session.options.redact
                            ? write_capture(redacted(*reads), file, kRedactedFolder, now_ns)
                            : write_capture(*reads, file, capture_folder(file), now_ns);
  if (!status) log_error(status.error());
  return status.has_value();
}

}  // namespace

int inspect_command(const Session& session) {
  if (!session.options.captures.empty()) return inspect_captures(session);
  auto subject = subject_of(session.options);
  if (!subject) return refuse(subject.error());
  const auto inventory = look_at(session, *subject);
  if (!inventory) return refuse(inventory.error());
  auto evidence = open_evidence(session, inventory->facts.name, false);
  if (!evidence) return refuse(evidence.error());
  std::vector<std::unique_ptr<EvidenceWriter>> writers;
  writers.push_back(std::move(*evidence));
  EvidenceWriter& writer = *writers.front();
  record(session, *subject, *inventory, writer);
  const bool captured = save_capture(session, subject->reads.get());
  writer.append(end_record(writer, true));
  const int exit = conclude(session, writers);
  return !captured && exit == kExitPass ? kExitIncomplete : exit;
}

}  // namespace linkburn
