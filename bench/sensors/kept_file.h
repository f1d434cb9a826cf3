// A small kernel file that is read again and again through one descriptor.
#pragma once

#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>
#include <string_view>

#include "bench/base/fd.h"
#include "bench/base/sysroot.h"
#include "bench/base/text.h"

namespace linkburn {

/// sysfs makes an attribute's text anew for each pread at offset 0 [linux fs/kernfs/file.c].
class KeptFile {
 public:
  KeptFile() = default;
  KeptFile(const Sysroot& root, std::string path) : path_(std::move(path)) { reopen(root); }

  bool open() const { return static_cast<bool>(fd_); }
  void close() { fd_.reset(); }

  /// True when the file is there (again).
  bool reopen(const Sysroot& root) {
    auto fd = root.open_file(path_);
    missing_ = !fd && fd.error().code == Code::not_found;
    fd_ = fd ? std::move(*fd) : Fd();
    return open();
  }

  /// Not open because it is not there; else something else keeps it closed.
  bool missing() const { return missing_; }

  /// The trimmed text in `buffer`, valid until the next read into it. On failure the errno.
  struct Text {
    std::string_view text;
    int error = 0;
  };
  template <std::size_t N>
  Text read(std::array<char, N>& buffer) const {
    if (!fd_) return {{}, missing_ ? ENOENT : EMFILE};
    ssize_t got = 0;
    do {
      got = ::pread(fd_.get(), buffer.data(), buffer.size(), 0);
    } while (got < 0 && errno == EINTR);
    if (got < 0) return {{}, errno};
    return {trim({buffer.data(), static_cast<std::size_t>(got)}), 0};
  }

 private:
  std::string path_;
  Fd fd_;
  bool missing_ = false;
};

}  // namespace linkburn
