#include "bench/drill/tree_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace linkburn::drill {
namespace {

ssize_t write_at(const Fd& fd, std::string_view bytes, std::size_t at) {
  ssize_t put = 0;
  do {
    put = ::pwrite(fd.get(), bytes.data(), bytes.size(), static_cast<off_t>(at));
  } while (put < 0 && errno == EINTR);
  return put;
}

}  // namespace

void add_counter_line(std::string& text, std::string_view name, std::uint64_t count) {
  const std::size_t end = text.size() + kWholeBytes / 2;
  text.append(name).append(1, ' ').append(std::to_string(count));
  check(text.size() < end, "a counter fits into its line");
  text.append(end - 1 - text.size(), ' ').append(1, '\n');
}

void TreeFiles::failed(int error, const std::string& path) {
  if (trouble_) trouble_ = errno_error(error, "the drill's tree cannot be written", path);
}

Status TreeFiles::take_trouble() { return std::exchange(trouble_, Status()); }

void TreeFiles::make_parents(const std::string& path) {
  const std::size_t last = path.rfind('/');
  if (last == std::string::npos) return;
  std::string parent = path.substr(0, last);
  if (parent != last_parent_) folder(parent);
  last_parent_ = std::move(parent);
}

void TreeFiles::folder(const std::string& path) {
  for (std::size_t slash = path.find('/');; slash = path.find('/', slash + 1)) {
    const std::string part = path.substr(0, slash);
    if (::mkdirat(folder_.get(), part.c_str(), 0755) != 0 && errno != EEXIST) failed(errno, part);
    if (slash == std::string::npos) return;
  }
}

bool TreeFiles::open(Live& file, int flags) {
  if (file.fd) return true;
  make_parents(file.path);
  file.fd = Fd(::openat(folder_.get(), file.path.c_str(),
                        O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | flags, 0644));
  if (!file.fd) failed(errno, file.path);
  return static_cast<bool>(file.fd);
}

void TreeFiles::write(Live& file, std::string_view bytes, std::size_t at) {
  const ssize_t put = write_at(file.fd, bytes, at);
  if (put != static_cast<ssize_t>(bytes.size())) failed(put < 0 ? errno : ENOSPC, file.path);
}

void TreeFiles::file(const std::string& path, std::string_view text) {
  Live file{path, {}, {}};
  if (open(file, O_EXCL)) write(file, fmt::format("{}\n", text), 0);
}

void TreeFiles::link(const std::string& path, const std::string& target) {
  make_parents(path);
  if (::symlinkat(target.c_str(), folder_.get(), path.c_str()) != 0) failed(errno, path);
}

int TreeFiles::live(std::string path) {
  files_.push_back({std::move(path), {}, {}});
  return static_cast<int>(files_.size()) - 1;
}

void TreeFiles::set(int number, std::string_view line) {
  std::string bytes(line);
  check(bytes.size() < kWholeBytes / 2, "a live text fits into its file");
  bytes.resize(kWholeBytes / 2, '\n');
  set_bytes(number, std::move(bytes));
}

void TreeFiles::set_bytes(int number, std::string bytes) {
  Live& file = files_[static_cast<std::size_t>(number)];
  if (bytes == file.bytes) return;
  if (file.bytes.empty()) {
    if (open(file, O_EXCL)) write(file, bytes, 0);
    file.bytes = std::move(bytes);
    return;
  }
  check(bytes.size() == file.bytes.size(), "a live file keeps its size");
  for (std::size_t at = 0; at < bytes.size(); at += kWholeBytes) {
    const std::string_view now = std::string_view(bytes).substr(at, kWholeBytes);
    const std::string_view before = std::string_view(file.bytes).substr(at, kWholeBytes);
    if (now != before) write(file, now, at);
  }
  file.bytes = std::move(bytes);
}

int TreeFiles::growing(std::string path) {
  const int number = live(std::move(path));
  (void)open(files_.back(), O_EXCL | O_APPEND);
  return number;
}

void TreeFiles::append(int number, std::string_view bytes) {
  Live& file = files_[static_cast<std::size_t>(number)];
  if (!file.fd) return;
  const ssize_t put = ::write(file.fd.get(), bytes.data(), bytes.size());
  if (put != static_cast<ssize_t>(bytes.size())) failed(put < 0 ? errno : ENOSPC, file.path);
}

}  // namespace linkburn::drill
