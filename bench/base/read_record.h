// What was read of a node: enough to answer the same reads again elsewhere.
//
// Paths are canonical (all links resolved), relative to the root, without a leading slash. What a
// driver or the kernel log answered is noted under a path of its own, "linkburn/kmsg". Not for use
// from several threads.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "bench/base/result.h"

namespace linkburn {

/// Errors that reads gave, by path. The source of each is empty: the reader names its own.
using KeptErrors = std::map<std::string, Error>;

/// Where a captured tree keeps them: one line each, path, code, what and fix between tabs.
inline constexpr std::string_view kErrorsFile = "linkburn/errors";

std::string to_text(const KeptErrors& errors);

/// Lines of another form are left out: a capture can come from anywhere.
KeptErrors parse_kept_errors(std::string_view text);

class ReadRecord {
 public:
  /// A file that changes between two reads is kept as it was first.
  void file(const std::string& path, std::string bytes);

  /// Some bytes of a file. What lies between the parts that were read is zero in the record.
  void part(const std::string& path, std::size_t offset, std::string_view bytes);

  void folder(const std::string& path) { folders_.insert(path); }
  void link(const std::string& path, std::string target);

  /// Something is there, and was not read.
  void seen(const std::string& path) { seen_.insert(path); }

  /// A read gave an error. Whether something is there is told by seen().
  void error(const std::string& path, Error error);

  const std::map<std::string, std::string>& files() const { return files_; }
  const std::map<std::string, std::string>& links() const { return links_; }
  const std::set<std::string>& folders() const { return folders_; }

  /// What was seen, and is known by no more than its name.
  std::set<std::string> bare_names() const;

  /// All that a replay must refuse to read: errors, and files that were seen and not read.
  KeptErrors errors() const;

 private:
  std::map<std::string, std::string> files_, links_;
  std::set<std::string> folders_, seen_, partial_;
  KeptErrors errors_;
};

}  // namespace linkburn
