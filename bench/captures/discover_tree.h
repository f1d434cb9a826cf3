// Trees of sysfs to drafts of nodes: the same discovery as on a live node.
#pragma once

#include "bench/base/sysroot.h"
#include "bench/captures/draft.h"

namespace linkburn {

/// Adds all that a captured tree holds: what inspect --sysroot takes from it. False: there is no
/// node in it, and nothing was added.
bool discover_captured(const Sysroot& root, NodeDraft& node);

/// Adds what the files that texts show come to. What those texts do not show is no loss to tell of.
void discover_shown(NodeDraft& node);

}  // namespace linkburn
