#include "bench/inspect_captures.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "bench/base/log.h"
#include "bench/base/text.h"
#include "bench/captures/assemble.h"
#include "bench/captures/open.h"
#include "bench/command.h"
#include "bench/interrupts.h"
#include "bench/site_file.h"
#include "report/verdict.h"

namespace linkburn {
namespace {

/// A node whose captures do not tell its name goes by the name of what was given.
std::string name_for(const NodeDraft& draft, const Options& options) {
  if (!draft.name.empty()) return draft.name;
  if (!draft.facts.name.empty()) return draft.facts.name;
  const std::string& path = options.captures.front();
  if (path == "-") return "capture";
  std::error_code error;
  const auto whole = std::filesystem::canonical(path, error);
  return printable(error ? path : whole.filename().string(), 128);
}

/// Each of several nodes has a file of its own: "rack.jsonl" becomes "rack.node07.jsonl".
std::string evidence_file_of(const std::string& path, const std::string& node, std::size_t nodes) {
  if (path.empty() || nodes < 2) return path;
  std::string name = node;
  for (char& c : name)
    if (c == '/') c = '_';
  const std::filesystem::path file(path);
  return (file.parent_path() /
          fmt::format("{}.{}{}", file.stem().string(), name, file.extension().string()))
      .string();
}

Result<std::unique_ptr<EvidenceWriter>> record_node(const Session& session, const NodeDraft& draft,
                                                    std::size_t nodes,
                                                    const std::optional<SiteText>& site) {
  Inventory inventory = assemble(draft);
  inventory.facts.name = name_for(draft, session.options);
  const std::string file = evidence_file_of(session.options.evidence, inventory.facts.name, nodes);
  Result<std::unique_ptr<EvidenceWriter>> evidence =
      std::make_unique<EvidenceWriter>(session.clock);
  if (!file.empty()) evidence = EvidenceWriter::create(file, session.clock);
  if (!evidence) return evidence;
  RunStart start = start_record(session, inventory);
  start.source = fmt::format("{}", fmt::join(session.options.captures, ", "));
  start.root = false;
  start.environment.clear();
  require_the_usual(start);
  (*evidence)->append(std::move(start));
  record_inventory(**evidence, inventory, site);
  record_all(**evidence, other_records(draft, inventory));
  return evidence;
}

}  // namespace

Result<std::vector<std::unique_ptr<EvidenceWriter>>> evidence_of_captures(const Session& session) {
  auto site = site_in_force(session.options.site, false);
  if (!site) return site.error();
  const auto captured = read_captures(session.options.captures,
                                      {&session.clock, session.deadline(), Interrupts::fd()});
  if (!captured) return captured.error();
  std::vector<std::unique_ptr<EvidenceWriter>> writers;
  for (const NodeDraft& draft : captured->nodes) {
    auto evidence = record_node(session, draft, captured->nodes.size(), *site);
    if (!evidence) return evidence.error();
    writers.push_back(std::move(*evidence));
  }
  for (const ToolError& error : captured->errors) writers.front()->append(error);
  for (auto& writer : writers) writer->append(end_record(*writer, true));
  return writers;
}

int inspect_captures(const Session& session) {
  auto writers = evidence_of_captures(session);
  if (!writers && ends_reading(writers.error())) {
    log_error(writers.error());
    return kExitIncomplete;
  }
  if (!writers) return refuse(writers.error());
  return conclude(session, *writers);
}

}  // namespace linkburn
