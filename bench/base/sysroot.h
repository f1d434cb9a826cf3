// A node's files below one directory: the live "/", a captured tree on disk, or one in memory.
//
// In a captured tree no symlink and no ".." leads outside: links are resolved by us, component by
// component, absolute ones against the tree's own root (openat2 would do the same, but kernels
// before 5.6 do not have it). Only regular files are read, never pipes or devices, and never
// without a bound.
//
// What is read can be noted, so that it can be captured; a tree made of such a capture gives the
// same errors as the node did.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bench/base/fd.h"
#include "bench/base/memory_tree.h"
#include "bench/base/read_record.h"
#include "bench/base/result.h"

namespace linkburn {

/// Marks a tree as that of a drill: of software devices. Holds the name of what was drilled.
inline constexpr const char* kDrillMarker = "linkburn/drill";

class Sysroot {
 public:
  /// sysfs files have at most one page; 64 KiB holds every text file we read from /proc as well.
  static constexpr std::size_t kMaxFileBytes = 64 * 1024;

  /// Opens a tree. "/" is the live node.
  static Result<Sysroot> open(const std::string& path);

  /// A captured tree in memory; `name` is what messages call it.
  static Sysroot of(std::shared_ptr<const MemoryTree> tree, std::string name);

  bool live() const { return live_; }
  const std::string& path() const { return path_; }

  /// The file's bytes. Longer files than `max_bytes` are an error, not cut.
  /// Errors carry the path as their source.
  Result<std::string> read(std::string_view path, std::size_t max_bytes = kMaxFileBytes) const;

  /// Like read(), trimmed.
  Result<std::string> read_line(std::string_view path) const;

  /// A descriptor to keep and pread from. The open does not block. Of a tree in memory it is a file
  /// of its own, in memory too.
  Result<Fd> open_file(std::string_view path) const;

  /// Bytes of such a file from an offset on; fewer where it ends. `name` is a plain name in this
  /// directory, which was opened.
  Result<std::string> read_part(const Fd& file, const std::string& name, std::size_t offset,
                                std::size_t size) const;

  /// Names in a directory, sorted, without "." and "..".
  Result<std::vector<std::string>> list(std::string_view path) const;

  /// The path with all links resolved, relative to the root and without a leading slash.
  Result<std::string> resolve(std::string_view path) const;

  bool exists(std::string_view path) const;

  /// What a link in this directory itself says, given its plain name. It is read, not followed.
  Result<std::string> link_target(const std::string& name) const;

  /// The same tree seen from one of its directories: paths are then relative to that directory.
  /// Saves walking the same prefix for each of a device's files.
  Result<Sysroot> below(std::string_view path) const;

  /// From here on, notes what is read here and below().
  void note_reads(std::shared_ptr<ReadRecord> record) { record_ = std::move(record); }

  /// Where to note what is read of this node by other means, under a path below linkburn/; null
  /// when nothing is noted.
  ReadRecord* record() const { return record_.get(); }

 private:
  using Entry = MemoryTree::Entry;

  /// A handle, or an entry of the tree in memory.
  struct Folder {
    std::shared_ptr<Fd> fd;
    const Entry* entry = nullptr;
  };

  struct Place {
    std::vector<Folder> folders;     ///< from the root to the current directory
    std::vector<std::string> names;  ///< the canonical path so far
    bool is_folder = true;           ///< else the last name is a file in folders.back()
  };

  struct Opened {
    Fd fd;
    std::string place;  ///< canonical path; empty when nobody needs it
    const Entry* entry = nullptr;
  };

  /// One name of a directory, looked at and not followed.
  struct Step {
    int error = 0;
    bool is_link = false, is_folder = false;
    Fd fd;
    const Entry* entry = nullptr;
  };

  Sysroot(std::string path, bool live, Place start)
      : path_(std::move(path)), live_(live), start_(std::move(start)) {}

  static Step step(const Folder& folder, const std::string& name);
  void take_kept_errors();
  Result<Place> walk(std::string_view path) const;
  Result<Opened> open_memory(const Place& end, int flags, std::string_view path) const;
  std::vector<std::string> names_in(const Opened& folder) const;
  Result<Opened> open_at(std::string_view path, int flags) const;
  Result<Opened> settled(Opened opened, int error, std::string_view path) const;
  Result<Opened> open_regular(std::string_view path) const;
  std::string shown(std::string_view path) const;

  bool needs_places() const { return record_ != nullptr || kept_errors_ != nullptr; }
  const Error* kept_error(const std::string& place) const;
  Error noted(const std::string& place, Error error) const;
  void note_place(const Place& place) const;
  void note_entry(int folder, const std::string& place, const std::string& name, int type) const;
  void note_entry(const std::string& place, const std::string& name, const Entry& entry) const;

  std::string path_;  ///< as the user gave it, for messages
  bool live_ = false;
  Place start_;
  std::shared_ptr<const MemoryTree> memory_;       ///< keeps the entries; null: the tree is on disk
  std::shared_ptr<ReadRecord> record_;             ///< null: nothing is noted
  std::shared_ptr<const KeptErrors> kept_errors_;  ///< of a capture; null when it has none
};

/// Whether what is read here is a drill's and no node's. A marker that cannot be read is one.
bool is_drill(const Sysroot& root);

}  // namespace linkburn
