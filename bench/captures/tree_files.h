// Members of archives that are files of a node's tree.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "bench/base/memory_tree.h"
#include "bench/captures/archive.h"

namespace linkburn {

/// Where a path belongs in a node's tree: "node01/sys/class/net" is "sys/class/net" of "node01".
struct TreePlace {
  std::string top;   ///< the folder that holds the tree; empty: the archive itself
  std::string path;  ///< below it
};

/// Paths below sys/, proc/ and linkburn/, and the kernel log of such a tree. Nothing for others.
std::optional<TreePlace> tree_place(std::string_view path);

/// Adds a member to the tree. A file of sysfs that was packed while it said it was longer is padded
/// with zeros, which are taken off. Errors: the bytes could not be read. False: no room was left.
Result<bool> put_member(const Member& member, const std::string& path, ByteSource& bytes,
                        MemoryTree& tree);

}  // namespace linkburn
