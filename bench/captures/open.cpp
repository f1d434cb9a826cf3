#include "bench/captures/open.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "bench/captures/folder.h"
#include "bench/captures/intake.h"
#include "bench/captures/table.h"

namespace linkburn {
namespace {

/// A pipe that was given by name is opened without waiting for its writer: the wait comes when it
/// is read, where a signal ends it.
Result<Fd> open_given(const std::string& path) {
  constexpr const char* kFix = "give a file, a folder or an archive";
  Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file) return errno_error(errno, "cannot open", path, kFix);
  struct stat entry {};
  if (::fstat(file.get(), &entry) != 0) return errno_error(errno, "cannot open", path, kFix);
  if (S_ISREG(entry.st_mode) || S_ISFIFO(entry.st_mode) || ::isatty(file.get()) == 1) return file;
  return Error{Code::invalid, "is neither a file nor a pipe", path, kFix};
}

Status take_file(const std::string& path, const ReadLimits& limits, Intake& intake) {
  const auto file = open_given(path);
  if (!file) return file.error();
  FdSource bytes(file->get(), path, limits);
  return intake.take(bytes, path, {});
}

/// A file that was found. It may be another thing by now than it was then.
Status take_found(const FolderFile& found, const ReadLimits& limits, Intake& intake) {
  const Fd file(
      ::open(found.path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW));
  struct stat entry {};
  if (!file || ::fstat(file.get(), &entry) != 0) {
    intake.note(errno_error(errno, "cannot read", found.path, "what is in it is not judged"));
    return {};
  }
  if (!S_ISREG(entry.st_mode)) return {};
  FdSource bytes(file.get(), found.path, limits);
  return intake.take(bytes, found.path, found.group);
}

Status take_folder(const std::string& path, const ReadLimits& limits, Intake& intake) {
  if (const auto root = Sysroot::open(path); root && root->live())
    return Error{Code::invalid, "this is the running node, not a capture", path,
                 "leave the folder out to inspect this node"};
  const auto content = look_into(path);
  if (!content) return content.error();
  for (const Error& error : content->errors) intake.note(error);
  for (const std::string& folder : content->nodes) {
    const auto root = Sysroot::open(folder);
    if (!root) return root.error();
    intake.take_tree(*root, folder);
  }
  for (const FolderFile& file : content->files)
    if (const Status status = take_found(file, limits, intake); !status) return status;
  return {};
}

Status take_path(const std::string& path, const ReadLimits& limits, Intake& intake) {
  if (path == "-") {
    FdSource bytes(STDIN_FILENO, "standard input", limits);
    return intake.take(bytes, "standard input", {});
  }
  std::error_code error;
  return std::filesystem::is_directory(path, error) ? take_folder(path, limits, intake)
                                                    : take_file(path, limits, intake);
}

bool is_anything_known(const std::vector<NodeDraft>& nodes) {
  return std::any_of(nodes.begin(), nodes.end(), [](const NodeDraft& node) {
    return !node.trees.empty() ||
           std::any_of(node.parts.begin(), node.parts.end(),
                       [](const CapturePart& part) { return !part.reader.empty(); });
  });
}

std::string known_kinds() {
  std::string text;
  for (const CaptureKind* kind : capture_kinds())
    text += fmt::format("{}{}", text.empty() ? "" : "; ", kind->what);
  return text;
}

/// Why nothing of what was given is known.
Error nothing_known(const Intake& intake, const std::string& given) {
  if (!intake.errors().empty()) return intake.errors().front();
  const std::string fix = "what is read: " + known_kinds();
  if (intake.texts() > 0) return {Code::invalid, "nothing in it is known to linkburn", given, fix};
  if (intake.binaries() > 0) return {Code::invalid, "it holds no text", given, fix};
  return {Code::invalid, "it is empty", given, fix};
}

Result<Captured> settled(Intake intake, const std::string& given) {
  const Error reason = nothing_known(intake, given);
  Captured captured = std::move(intake).finish();
  if (!is_anything_known(captured.nodes)) return reason;
  return captured;
}

}  // namespace

Result<Captured> read_captures(const std::vector<std::string>& paths, const ReadLimits& limits) {
  Intake intake;
  for (const std::string& path : paths) {
    const Status status = take_path(path, limits, intake);
    if (status) continue;
    if (!ends_reading(status.error())) return status.error();
    intake.note(status.error());
    break;
  }
  return settled(std::move(intake),
                 paths.size() == 1 ? paths.front() : fmt::format("{} captures", paths.size()));
}

Result<Captured> read_capture_bytes(std::string_view bytes, const std::string& name) {
  Intake intake;
  MemorySource source(bytes);
  if (const Status status = intake.take(source, name, {}); !status) return status.error();
  return settled(std::move(intake), name);
}

}  // namespace linkburn
