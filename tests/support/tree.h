// Node trees as text: a file system of a node, one line per entry, so that a change is a readable
// diff. tests/README.md is the page for people; the format in short:
//
//   # comment
//   path = content           a file; "\n" and "\\" are escapes, a newline is added at the end
//   path =                   an empty file
//   path =x 10 de 00*40      a file of bytes in hexadecimal, nothing added; 00*40 is 40 of them
//   path =x@62 03 11         changes bytes of such a file from an offset (in hexadecimal)
//   path -> target           a symbolic link
//   path/                    a directory (parents of entries need no line of their own)
//   path ! mode 000          permissions of a file that an earlier line made
//   !path                    removes an entry and all below it
//   @in path                 the paths of the lines that follow are below this one; "@in /" ends it
//   @include file            the lines of another file, found beside this one
//
// A later line overrides an earlier one, and overlays come after the tree.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/base/result.h"

namespace linkburn::test {

/// Writes the tree, changed by the overlays, into `target`, which must be empty or not there yet.
/// Errors name the file and line. Nothing is written outside `target`: paths are relative, have no
/// "." or ".." and do not lead through links.
Status unpack_tree(const std::string& tree, const std::vector<std::string>& overlays,
                   const std::string& target);

/// The file of a shipped tree or overlay: "pair.tree", "width-x8.overlay". Names with a slash are
/// taken as they stand.
std::string node_file(std::string_view name);

}  // namespace linkburn::test
