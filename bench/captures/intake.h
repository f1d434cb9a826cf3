// Texts, archives and trees from one or many places, sorted by the node they are of.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bench/base/sysroot.h"
#include "bench/captures/archive.h"
#include "bench/captures/collector.h"
#include "bench/captures/open.h"

namespace linkburn {

/// What is given below one folder is one group. A group with a node's tree or a host name is a
/// node; the others belong to the node whose folder they lie in, or to the only node there is.
class Intake {
 public:
  explicit Intake(const UnpackLimits& unpack = {}) : unpack_(unpack) {}

  /// A text or an archive, told by its content. `folder` is the group of a text. Errors end all
  /// reading: a signal, the deadline. Others are noted.
  Status take(ByteSource& bytes, const std::string& name, const std::string& folder);

  /// The tree of a captured node, which is this folder.
  void take_tree(const Sysroot& root, const std::string& folder);

  void note(const Error& error);

  /// The nodes, and what could not be read.
  Captured finish() &&;

  std::int64_t texts() const { return texts_; }
  std::int64_t binaries() const { return binaries_; }
  const std::vector<Error>& errors() const { return errors_; }

 private:
  struct Group {
    Collector collector;
    std::shared_ptr<MemoryTree> tree;
    std::string host;       ///< as a file of it says
    bool has_tree = false;  ///< on disk or in an archive
  };
  /// An archive.
  struct Place {
    std::string name;
    std::string folder;  ///< the group that it lies in
    int depth = 0;
  };

  Group& group(const std::string& key, const std::string& otherwise = {});
  Status take_bytes(ByteSource& bytes, const std::string& name, const std::string& key,
                    Unpacked& unpacked, int depth);
  Status take_text(ByteSource& bytes, const std::string& name, Collector& collector);
  Status take_host(ByteSource& bytes, std::string key);
  Status take_archive(ByteSource& bytes, const Place& at, Unpacked& unpacked);
  Status take_member(const Member& member, ByteSource& bytes, const Place& at, Unpacked& unpacked);
  Status take_tree_member(const Member& member, const std::string& path, ByteSource& bytes,
                          const std::string& key, const std::string& archive);
  void settle_tree(const std::string& key, Group& group);
  void take_texts_of(const std::string& name, const MemoryTree::Entry& folder, Group& group);

  UnpackLimits unpack_;
  std::map<std::string, Group> groups_;
  std::size_t tree_bytes_ = 0;
  std::vector<Error> errors_;
  std::int64_t texts_ = 0, binaries_ = 0;
};

}  // namespace linkburn
