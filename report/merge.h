// One fault, one finding: what the rules said about one node, put together per component.
#pragma once

#include <vector>

#include "report/rules/finding.h"
#include "report/rules/story.h"

namespace linkburn {

/// Takes out what is said about lost devices and about everything below them, and counts the links
/// below in the finding that stays.
void absorb_lost(const Story& story, std::vector<Finding>& findings);

/// One finding for all faults and warnings of a link, one for all that limits it, and one where
/// findings say the same.
void merge_faults(const Story& story, std::vector<Finding>& findings);

/// At most one healthy finding per component, and none where something else was found.
void merge_healthy(const Story& story, std::vector<Finding>& findings);

/// The worst first, then by component.
void sort_findings(std::vector<Finding>& findings);

}  // namespace linkburn
