#include "bench/inspect_captures.h"

#include <fmt/core.h>

#include <unistd.h>

#include <algorithm>
#include <cerrno>
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

constexpr const char* kWhatToGive = "give a file, a folder, an archive, or - for standard input";

/// The name beside a path that was misspelt.
std::optional<std::string> nearest_path(const std::filesystem::path& path) {
  constexpr std::size_t kMost = 10'000;
  std::vector<std::string> names;
  std::error_code error;
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  for (std::filesystem::directory_iterator at(folder, error), end;
       !error && at != end && names.size() < kMost; at.increment(error))
    names.push_back(at->path().filename().string());
  const auto name = nearest(path.filename().string(), names);
  if (!name) return std::nullopt;
  return printable((path.parent_path() / *name).string(), 256);
}

/// What can be said of a path before anything is read.
Status check_path(const std::string& path) {
  if (path.empty()) return Error{Code::invalid, "the name of a capture is empty", {}, kWhatToGive};
  if (path == "-") return {};
  if (::access(path.c_str(), R_OK) == 0) return {};
  const int code = errno;
  if (code != ENOENT) return errno_error(code, "cannot read", path, kWhatToGive);
  const auto close = nearest_path(path);
  return Error{Code::not_found, "cannot open: no such file or folder", path,
               close ? fmt::format("did you mean '{}'?", *close) : kWhatToGive};
}

std::string what_was_given(const std::vector<std::string>& paths) {
  std::string text;
  for (const std::string& path : paths)
    text += fmt::format("{}{}", text.empty() ? "" : ", ", path == "-" ? "standard input" : path);
  return text;
}

/// Somebody who sees nothing happen should know why.
void say_what_is_awaited(const std::vector<std::string>& paths) {
  const bool awaited = std::find(paths.begin(), paths.end(), "-") != paths.end();
  if (awaited && ::isatty(STDIN_FILENO) == 1)
    log_note("waiting for text on standard input; Ctrl-D on a line of its own ends it");
}

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
  start.source = what_was_given(session.options.captures);
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
  for (const std::string& path : session.options.captures)
    if (const Status status = check_path(path); !status) return status.error();
  say_what_is_awaited(session.options.captures);
  const auto captured = read_captures(session.options.captures,
                                      {&session.clock, session.deadline(), Interrupts::fd()});
  if (!captured) return captured.error();
  std::vector<std::unique_ptr<EvidenceWriter>> writers;
  for (const NodeDraft& draft : captured->nodes) {
    auto evidence = record_node(session, draft, captured->nodes.size(), *site);
    if (!evidence) return evidence.error();
    writers.push_back(std::move(*evidence));
  }
  for (auto& writer : writers) writer->append(end_record(*writer, true));
  return writers;
}

int inspect_captures(const Session& session) {
  auto writers = evidence_of_captures(session);
  if (!writers && ends_reading(writers.error())) {
    log_error(writers.error());
    return Interrupts::signal() != 0 ? 128 + Interrupts::signal() : kExitIncomplete;
  }
  if (!writers) return refuse(writers.error());
  return conclude(session, *writers);
}

}  // namespace linkburn
