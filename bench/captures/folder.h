// What lies in a folder of captures.
#pragma once

#include <string>
#include <vector>

#include "bench/base/result.h"

namespace linkburn {

struct FolderFile {
  std::string path;
  std::string group;  ///< the captured node's folder, or the two uppermost folders
};

struct FolderContent {
  std::vector<std::string> nodes;  ///< folders with the tree of a node, sorted
  std::vector<FolderFile> files;   ///< not those of trees; sorted
  std::vector<Error> errors;       ///< folders that cannot be listed
};

/// Looks at everything below. Links are not followed, and what is neither file nor folder is left
/// out. Errors: more files than anybody gives.
Result<FolderContent> look_into(const std::string& folder);

}  // namespace linkburn
