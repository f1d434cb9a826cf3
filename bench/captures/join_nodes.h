// Which texts are about the same node.
#pragma once

#include <vector>

#include "bench/captures/draft.h"

namespace linkburn {

/// True when a draft holds nothing, no line that nobody knows either.
bool says_nothing(const NodeDraft& draft);

/// Some tool's output was read of it.
bool is_known(const NodeDraft& draft);

/// Puts together what is about one node. Drafts with a name come one per name, those without one
/// per text. A text without a name belongs to the one node that is named in its own file, in its
/// folder or above; to a node of its own where several are, or where both tell of the same thing
/// and tell another serial, GUID, UUID or device.
std::vector<NodeDraft> join_nodes(std::vector<NodeDraft> drafts);

}  // namespace linkburn
