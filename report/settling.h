// Which command's output would settle what the evidence could not.
#pragma once

#include <string>
#include <vector>

#include "report/rules/finding.h"
#include "report/rules/story.h"

namespace linkburn {

/// Commands to type on the node, the most telling first: "sudo lspci -vvv -s 0000:17:00.0". Empty:
/// no command would settle it.
std::vector<std::string> settling_commands(const Story& story, const Finding& finding);

}  // namespace linkburn
