#include "bench/captures/open.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>

#include "bench/captures/collector.h"
#include "bench/captures/table.h"

namespace linkburn {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kChunkBytes = 256 * 1024;
constexpr std::size_t kMaxFiles = 100'000;  ///< below one folder

Status take_descriptor(int fd, const std::string& name, Collector& collector) {
  std::vector<char> chunk(kChunkBytes);
  collector.begin(name);
  Status status;
  while (true) {
    const ssize_t got = ::read(fd, chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) status = errno_error(errno, "cannot read", name);
    if (got <= 0) break;
    collector.take({chunk.data(), static_cast<std::size_t>(got)});
  }
  collector.end();
  return status;
}

Status take_file(const std::string& path, Collector& collector) {
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return errno_error(errno, "cannot open", path, "give a file, a folder or an archive");
  return take_descriptor(file.get(), path, collector);
}

Result<std::vector<std::string>> files_below(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    if (at->is_symlink(error) || !at->is_regular_file(error)) continue;
    files.push_back(at->path().string());
    if (files.size() > kMaxFiles)
      return Error{Code::invalid, fmt::format("more than {} files", kMaxFiles), folder,
                   "give the folder that holds the captures"};
  }
  if (error) return Error{Code::io, error.message(), folder, {}};
  std::sort(files.begin(), files.end());
  return files;
}

Status take_path(const std::string& path, Collector& collector) {
  if (path == "-") return take_descriptor(STDIN_FILENO, "standard input", collector);
  std::error_code error;
  if (!fs::is_directory(path, error)) return take_file(path, collector);
  const auto files = files_below(path);
  if (!files) return files.error();
  for (const std::string& file : *files)
    if (const Status status = take_file(file, collector); !status) return status;
  return {};
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

}  // namespace

Result<Captured> read_captures(const std::vector<std::string>& paths) {
  Collector collector;
  for (const std::string& path : paths)
    if (const Status status = take_path(path, collector); !status) return status.error();
  Captured captured{std::move(collector).finish(), {}};
  if (!is_anything_known(captured.nodes))
    return Error{Code::invalid, "nothing in it is known to linkburn",
                 paths.size() == 1 ? paths.front() : fmt::format("{} captures", paths.size()),
                 "what is read: " + known_kinds()};
  return captured;
}

}  // namespace linkburn
