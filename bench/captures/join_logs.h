// Kernel logs of one node that were captured apart: kern.log and kern.log.1, dmesg beside
// journalctl.
#pragma once

#include "bench/captures/draft.h"

namespace linkburn {

/// Makes records of the logs. Of several, those of an earlier boot are put aside, times come to one
/// clock where a line that two logs tell joins their clocks, and what two logs tell counts once.
void join_logs(NodeDraft& node);

}  // namespace linkburn
