// A node's files in memory: what a text or an archive holds of a tree, without a folder on disk.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace linkburn {

/// Directories, files and symlinks by path. Paths are relative to the root; a leading slash, empty
/// names and "." count for nothing, and a path with ".." is refused. What is put twice is kept as
/// it was first.
class MemoryTree {
 public:
  static constexpr std::size_t kMaxBytes = 256U << 20U;  ///< of names and contents together
  static constexpr std::size_t kMaxNames = 64;           ///< in a path; sysfs has some twenty

  enum class Kind { folder, file, link };
  struct Entry {
    Kind kind = Kind::folder;
    std::string text;  ///< bytes of a file, target of a link
    std::map<std::string, std::unique_ptr<Entry>, std::less<>> entries;

    /// The entry of that name in this directory; null without one.
    const Entry* find(std::string_view name) const;
  };

  /// False: no room is left, the path is none, or it leads through something that is no directory.
  bool put_folder(std::string_view path) { return put(path, Kind::folder, {}); }
  bool put_file(std::string_view path, std::string bytes);
  bool put_link(std::string_view path, std::string target);

  /// The entry at this path, links not followed; null without one.
  const Entry* find(std::string_view path) const;

  const Entry& root() const { return root_; }
  std::size_t bytes() const { return bytes_; }
  bool empty() const { return root_.entries.empty(); }

  /// True once something was left out for want of room.
  bool full() const { return full_; }

 private:
  bool put(std::string_view path, Kind kind, std::string text);
  Entry* add(Entry& folder, std::string_view name, Kind kind);

  Entry root_;
  std::size_t bytes_ = 0;
  bool full_ = false;
};

}  // namespace linkburn
