// Drafts of one node that were read apart.
#pragma once

#include <string>
#include <vector>

#include "bench/captures/draft.h"

namespace linkburn {

/// What was read in one folder.
struct DraftGroup {
  std::string folder;
  std::string host;               ///< empty: not told
  bool is_node = false;           ///< has a tree or a host name
  std::vector<NodeDraft> drafts;  ///< the one without a name is that of the folder
};

/// One draft for each node.
std::vector<NodeDraft> joined(std::vector<DraftGroup> groups);

}  // namespace linkburn
