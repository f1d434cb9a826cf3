#include "bench/captures/byte_source.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace linkburn {

Result<std::string_view> ByteSource::head() {
  head_.resize(kHeadBytes);
  std::size_t size = 0;
  while (size < kHeadBytes) {
    const auto got = fill(head_.data() + size, kHeadBytes - size);
    if (!got && size == 0) return got.error();
    if (!got) ended_by_ = got.error();
    if (!got || *got == 0) break;
    size += *got;
  }
  head_.resize(size);
  given_ = 0;
  return std::string_view(head_);
}

Result<std::size_t> ByteSource::read(char* to, std::size_t size) {
  if (given_ < head_.size()) {
    const std::size_t part = std::min(size, head_.size() - given_);
    std::copy_n(head_.data() + given_, part, to);
    given_ += part;
    bytes_read_ += static_cast<std::int64_t>(part);
    return part;
  }
  if (ended_by_) return *ended_by_;
  auto got = fill(to, size);
  if (got) bytes_read_ += static_cast<std::int64_t>(*got);
  return got;
}

std::optional<std::int64_t> ByteSource::seek(std::int64_t offset, int whence) {
  const auto unread = static_cast<std::int64_t>(head_.size() - given_);
  const auto at = move(whence == SEEK_CUR ? offset - unread : offset, whence);
  if (at) head_.clear(), given_ = 0;
  return at;
}

Status FdSource::wait() const {
  std::array<pollfd, 2> fds{pollfd{fd_, POLLIN, 0}, pollfd{limits_.interrupt_fd, POLLIN, 0}};
  while (true) {
    const auto ready = limits_.clock->poll(fds, limits_.deadline);
    if (!ready) return ready.error();
    if (fds[1].revents != 0) return Error{Code::interrupted, "reading was stopped", name_, {}};
    if (fds[0].revents != 0) return {};
    if (limits_.clock->now() >= limits_.deadline)
      return Error{Code::timeout, "the deadline passed while it was read", name_,
                   "give more time with --deadline"};
  }
}

Result<std::size_t> FdSource::fill(char* to, std::size_t size) {
  while (true) {
    if (const Status ready = wait(); !ready) return ready.error();
    const ssize_t got = ::read(fd_, to, size);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR && errno != EAGAIN) return errno_error(errno, "cannot read", name_);
  }
}

std::optional<std::int64_t> FdSource::move(std::int64_t offset, int whence) {
  const off_t at = ::lseek(fd_, offset, whence);
  return at < 0 ? std::nullopt : std::optional<std::int64_t>(at);
}

Result<std::size_t> MemorySource::fill(char* to, std::size_t size) {
  const std::size_t part = std::min(size, bytes_.size() - at_);
  std::copy_n(bytes_.data() + at_, part, to);
  at_ += part;
  return part;
}

std::optional<std::int64_t> MemorySource::move(std::int64_t offset, int whence) {
  const auto size = static_cast<std::int64_t>(bytes_.size());
  const std::int64_t from = whence == SEEK_SET   ? 0
                            : whence == SEEK_END ? size
                                                 : static_cast<std::int64_t>(at_);
  // Offsets come from archives that may be damaged: they can be anything.
  if (offset < -from || offset > size - from) return std::nullopt;
  at_ = static_cast<std::size_t>(from + offset);
  return from + offset;
}

bool ends_reading(const Error& error) {
  return error.code == Code::interrupted || error.code == Code::timeout;
}

}  // namespace linkburn
