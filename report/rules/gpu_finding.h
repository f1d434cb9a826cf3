// What the rules about GPUs share.
#pragma once

#include <string>

#include "report/rules/finding.h"
#include "report/rules/story.h"

namespace linkburn {

/// A finding about a GPU from what its driver said of it.
Finding gpu_finding(const Story& story, const Seen<Gpu>& gpu, std::string code, FindingClass cls,
                    Aspect aspect);

}  // namespace linkburn
