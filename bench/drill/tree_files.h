// The files of a drill's tree, and how they change while others read them.
//
// Readers keep descriptors and take no lock, so a file is never replaced and never changes its
// size: a reader that comes between a change of size and a change of bytes would see the new text
// cut off, or the old one's end behind it. Each live file is as large as the longest text that it
// will hold; shorter ones are filled up with newlines at their end, which shells and linkburn take
// off. What is left is the copy into the page itself. Within one cache line no reader on another
// core sees half of it (measured on tmpfs and ext4: none in 10^6 reads of 64 bytes against a
// writer that never rests, 44 to 1900 of 4096 bytes), so each line of 64 bytes that differs is one
// pwrite of its own. Texts of one line fit into one; of longer files no number crosses a boundary
// (add_counter_line), and their lines change one by one, as those of the kernel do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bench/base/fd.h"
#include "bench/base/result.h"

namespace linkburn::drill {

/// What changes at once for every reader.
inline constexpr std::size_t kWholeBytes = 64;

/// Adds "RxErr 5", filled up so that each number stays in its place and in its cache line.
void add_counter_line(std::string& text, std::string_view name, std::uint64_t count);

/// Paths are relative to the tree's folder. Not for use from several threads.
class TreeFiles {
 public:
  explicit TreeFiles(Fd folder) : folder_(std::move(folder)) {}

  // What does not change. A newline is added to the text.
  void folder(const std::string& path);
  void file(const std::string& path, std::string_view text);
  void link(const std::string& path, const std::string& target);

  /// A file that set() fills and changes; returns its number.
  int live(std::string path);

  /// A text of one line, at most kWholeBytes with its newline; empty for what cannot be read now.
  void set(int number, std::string_view line);

  /// Bytes, always as many as the first time.
  void set_bytes(int number, std::string bytes);

  /// A file that only grows; returns its number.
  int growing(std::string path);
  void append(int number, std::string_view bytes);

  /// The first trouble since the last call.
  Status take_trouble();

 private:
  struct Live {
    std::string path;
    Fd fd;  ///< opened with the first bytes
    std::string bytes;
  };

  void make_parents(const std::string& path);
  bool open(Live& file, int flags);
  void write(Live& file, std::string_view bytes, std::size_t at);
  void failed(int error, const std::string& path);

  Fd folder_;
  std::vector<Live> files_;
  std::string last_parent_;  ///< made already
  Status trouble_;
};

}  // namespace linkburn::drill
