// Where bytes of captures come from: files, pipes, memory, members of archives.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "bench/base/clock.h"
#include "bench/base/fd.h"
#include "bench/base/result.h"

namespace linkburn {

/// What ends the reading early: a pipe may never end by itself.
struct ReadLimits {
  const Clock* clock = &real_clock();
  Instant deadline = kForever;
  int interrupt_fd = -1;  ///< readable after a signal
};

/// Read once, from start to end.
class ByteSource {
 public:
  static constexpr std::size_t kHeadBytes = 4096;

  ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;
  virtual ~ByteSource() = default;

  /// The first 4096 bytes, fewer where it ends or fails before; read() gives them again. To be
  /// called before anything is read.
  Result<std::string_view> head();

  /// Up to `size` bytes; 0 at the end.
  Result<std::size_t> read(char* to, std::size_t size);

  /// As lseek(2); nothing where that cannot be done.
  std::optional<std::int64_t> seek(std::int64_t offset, int whence);

  std::int64_t bytes_read() const { return bytes_read_; }

 protected:
  virtual Result<std::size_t> fill(char* to, std::size_t size) = 0;
  virtual std::optional<std::int64_t> move(std::int64_t, int) { return std::nullopt; }

 private:
  std::string head_;
  std::size_t given_ = 0;          ///< of head_
  std::optional<Error> ended_by_;  ///< what came behind a shorter head
  std::int64_t bytes_read_ = 0;
};

/// A file or pipe that is open.
class FdSource : public ByteSource {
 public:
  FdSource(int fd, std::string name, const ReadLimits& limits)
      : fd_(fd), name_(std::move(name)), limits_(limits) {}

 protected:
  Result<std::size_t> fill(char* to, std::size_t size) override;
  std::optional<std::int64_t> move(std::int64_t offset, int whence) override;

 private:
  Status wait() const;

  int fd_;
  std::string name_;
  ReadLimits limits_;
};

class MemorySource : public ByteSource {
 public:
  explicit MemorySource(std::string_view bytes) : bytes_(bytes) {}

 protected:
  Result<std::size_t> fill(char* to, std::size_t size) override;
  std::optional<std::int64_t> move(std::int64_t offset, int whence) override;

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
};

/// True for errors that end all reading: a signal, the deadline.
bool ends_reading(const Error& error);

}  // namespace linkburn
