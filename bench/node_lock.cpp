#include "bench/node_lock.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "bench/base/clock.h"
#include "bench/base/text.h"

namespace linkburn {
namespace {

/// Opens without O_CREAT first: in a sticky directory the kernel refuses O_CREAT on another user's
/// file [linux Documentation/admin-guide/sysctl/fs.rst, protected_regular].
Fd open_lock_file(const std::string& path) {
  constexpr int kFlags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  Fd fd(::open(path.c_str(), kFlags));
  if (fd || errno != ENOENT) return fd;
  fd = Fd(::open(path.c_str(), kFlags | O_CREAT | O_EXCL, 0666));
  if (fd)
    ::fchmod(fd.get(), 0666);  // whatever the umask: other users must be able to lock it
  else if (errno == EEXIST)
    fd = Fd(::open(path.c_str(), kFlags));  // somebody was quicker
  return fd;
}

std::string read_holder(int fd) {
  std::array<char, 512> text{};
  const ssize_t got = ::pread(fd, text.data(), text.size(), 0);
  const std::string words =
      got > 0 ? printable(trim({text.data(), static_cast<std::size_t>(got)})) : "";
  return words.empty() ? "another linkburn" : words;
}

void write_holder(int fd, const std::string& command) {
  const std::string words =
      fmt::format("process {} of user {}, since {}: {}\n", ::getpid(), ::getuid(),
                  iso_time(real_clock().wall_ns()), printable(command, 256));
  if (::ftruncate(fd, 0) == 0) {
    [[maybe_unused]] const ssize_t written = ::pwrite(fd, words.data(), words.size(), 0);
  }
}

}  // namespace

std::vector<std::string> NodeLock::places() {
  return {"/run/lock/linkburn.lock", "/tmp/linkburn.lock"};
}

Result<NodeLock> NodeLock::take(const std::string& command) { return take(command, places()); }

Result<NodeLock> NodeLock::take(const std::string& command, const std::vector<std::string>& files) {
  NodeLock lock;
  int last_error = ENOENT;
  for (const std::string& path : files) {
    Fd fd = open_lock_file(path);
    if (!fd) {
      last_error = errno;
      continue;
    }
    if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0)
      return Error{Code::busy, "another run holds this node, " + read_holder(fd.get()), path,
                   "wait for it to end"};
    lock.files_.push_back(std::move(fd));
  }
  if (lock.files_.empty())
    return errno_error(last_error, "cannot open a lock file",
                       fmt::format("{}", files.empty() ? "" : files.back()),
                       "linkburn needs to write one, so that two runs never load a node at once");
  for (const Fd& fd : lock.files_) write_holder(fd.get(), command);
  return lock;
}

std::string NodeLock::holder(const std::vector<std::string>& files) {
  for (const std::string& path : files) {
    const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (!fd) continue;
    if (::flock(fd.get(), LOCK_SH | LOCK_NB) != 0) return read_holder(fd.get());
  }
  return {};
}

}  // namespace linkburn
