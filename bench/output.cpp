#include "bench/output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "bench/base/fd.h"
#include "bench/base/log.h"
#include "bench/base/text.h"
#include "report/render/table.h"

namespace linkburn {
namespace {

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const Renderer* renderer : renderers()) names.emplace_back(renderer->name);
  return names;
}

/// A parent may have made our stdout non-blocking; its reader gets some time to catch up.
bool wait_for_reader(int fd) {
  pollfd room{fd, POLLOUT, 0};
  const auto ready = real_clock().poll({&room, 1}, real_clock().now() + std::chrono::seconds(10));
  return ready && *ready > 0;
}

Status write_all(int fd, std::string_view text, const std::string& name) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EAGAIN && wait_for_reader(fd)) continue;
    if (written < 0)
      return errno_error(errno, "cannot write", name, "free some space or give another file");
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

bool is_special(const std::string& path) {
  struct stat entry {};
  return ::stat(path.c_str(), &entry) == 0 && !S_ISREG(entry.st_mode);
}

/// Written beside its place and renamed, so that nobody ever reads half a report.
Status write_file(const std::string& path, std::string_view text) {
  if (is_special(path)) {
    const Fd fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (!fd) return errno_error(errno, "cannot open the report file", path);
    return write_all(fd.get(), text, path);
  }
  const std::string beside = fmt::format("{}.{}.part", path, ::getpid());
  Fd fd(::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (!fd)
    return errno_error(errno, "cannot create the report file", path, "give a writable place");
  auto status = write_all(fd.get(), text, path);
  fd.reset();
  if (status && ::rename(beside.c_str(), path.c_str()) != 0)
    status = errno_error(errno, "cannot put the report in place", path);
  if (!status) ::unlink(beside.c_str());
  return status;
}

RenderOptions terminal_options() {
  RenderOptions options;
  const char* no_colour = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  const bool plain = (no_colour != nullptr && *no_colour != '\0') ||
                     (term != nullptr && std::string_view(term) == "dumb");
  if (::isatty(STDOUT_FILENO) != 1) return options;
  options.colour = !plain;
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 60)
    options.columns = std::min<int>(size.ws_col, 120);
  return options;
}

/// A folder of ours: made when missing, refused when it belongs to somebody else.
Status own_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  struct stat entry {};
  if (::lstat(folder.c_str(), &entry) != 0)
    return errno_error(errno, "cannot make the folder", folder.string());
  if (!S_ISDIR(entry.st_mode) || entry.st_uid != ::geteuid())
    return Error{Code::permission, "the folder belongs to another user", folder.string(), {}};
  if (::access(folder.c_str(), W_OK | X_OK) != 0)
    return errno_error(errno, "cannot write into the folder", folder.string());
  return {};
}

std::vector<std::filesystem::path> evidence_folders() {
  std::vector<std::filesystem::path> folders;
  if (::geteuid() == 0) folders.emplace_back("/var/log/linkburn");
  const char* state = std::getenv("XDG_STATE_HOME");
  const char* home = std::getenv("HOME");
  if (state != nullptr && *state == '/')
    folders.push_back(std::filesystem::path(state) / "linkburn");
  else if (home != nullptr && *home == '/')
    folders.push_back(std::filesystem::path(home) / ".local/state/linkburn");
  std::error_code error;
  auto temporary = std::filesystem::temp_directory_path(error);
  if (!error) folders.push_back(temporary / fmt::format("linkburn-{}", ::geteuid()));
  return folders;
}

}  // namespace

Status check_formats(const std::vector<FormatChoice>& formats) {
  int on_stdout = 0;
  for (const FormatChoice& format : formats) {
    if (find_renderer(format.name) == nullptr) {
      const auto close = nearest(format.name, format_names());
      return Error{Code::invalid, fmt::format("unknown format '{}'", printable(format.name, 64)),
                   "--format",
                   close ? fmt::format("did you mean '{}'?", *close)
                         : fmt::format("there is: {}", fmt::join(format_names(), ", "))};
    }
    if (format.file.empty()) {
      ++on_stdout;
      continue;
    }
    if (std::error_code none; std::filesystem::is_directory(format.file, none))
      return Error{Code::invalid, "the report file is a directory", format.file, "give a file"};
    const auto folder = std::filesystem::path(format.file).parent_path();
    if (!is_special(format.file) &&
        ::access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) != 0)
      return errno_error(errno, "cannot write the report there", format.file,
                         "give a writable place");
  }
  if (on_stdout > 1)
    return Error{Code::invalid, "two formats on stdout", "--format",
                 "give the others a file: --format json=FILE"};
  return {};
}

Status write_stdout(std::string_view text) {
  auto status = write_all(STDOUT_FILENO, text, "stdout");
  if (!status && status.error().code == Code::peer) return {};
  return status;
}

Status write_report(const Report& report, const std::vector<FormatChoice>& formats) {
  static const std::vector<FormatChoice> kText{{"text", ""}};
  Status result;
  for (const FormatChoice& format : formats.empty() ? kText : formats) {
    const Renderer* renderer = find_renderer(format.name);
    if (renderer == nullptr) continue;  // check_formats() has refused it
    const RenderOptions options = format.file.empty() ? terminal_options() : RenderOptions{};
    const std::string text = renderer->render(report, options);
    const auto status = format.file.empty() ? write_stdout(text) : write_file(format.file, text);
    if (status) continue;
    result = status;
    log_error(status.error());
    if (!format.file.empty()) (void)write_all(STDERR_FILENO, text, "stderr");
  }
  return result;
}

Result<std::string> default_evidence_file(const std::string& node, const std::string& profile,
                                          std::int64_t wall_ns) {
  std::string stamp = iso_time(wall_ns);
  std::erase_if(stamp, [](char c) { return c == '-' || c == ':'; });
  std::string name = fmt::format("{}-{}-{}-{}.jsonl", node, profile, stamp, ::getpid());
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '/' || c == ' '; }, '_');
  for (const auto& folder : evidence_folders())
    if (own_folder(folder)) return (folder / name).string();
  return Error{
      Code::permission, "no place for evidence is writable", {}, "give one with --evidence FILE"};
}

}  // namespace linkburn
