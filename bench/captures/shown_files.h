// Files of /sys that a text shows, put back into a tree.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "bench/base/memory_tree.h"
#include "bench/base/read_record.h"

namespace linkburn {

/// By path, as the text has them: below a class, below the bus or below the devices. It holds a
/// bounded amount; what comes after that is left out.
class ShownFiles {
 public:
  static constexpr std::size_t kMaxFiles = 100'000;
  static constexpr std::size_t kMaxBytes = 32U << 20U;
  static constexpr std::size_t kMaxFileBytes = 64U << 10U;

  /// A file is there; nothing of its content is known yet.
  void see(const std::string& path);

  /// A line of a file. Files that have one line keep the latest; others get one line more.
  void add_line(const std::string& path, std::string_view line);

  /// The file could not be read.
  void fail(const std::string& path, const Error& error);

  /// What is in `later` goes before what is here, except for a file of which it has the name alone.
  void merge(ShownFiles&& later);

  bool empty() const { return files_.empty() && errors_.empty(); }

  /// The tree. Where texts tell where a device hangs, its files are put there; else it stands in
  /// the folder of the bus itself, which on a node holds nothing but links.
  std::shared_ptr<const MemoryTree> tree() const;

  /// True for files of which a node shows one line.
  static bool has_one_line(std::string_view path);

 private:
  bool room_for(const std::string& path, std::size_t bytes);

  std::map<std::string, std::string> files_;
  KeptErrors errors_;
  std::size_t bytes_ = 0;
};

}  // namespace linkburn
