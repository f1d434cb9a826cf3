// Files, folders and standard input to drafts of nodes.
#pragma once

#include <string>
#include <vector>

#include "bench/base/result.h"
#include "bench/captures/draft.h"

namespace linkburn {

struct Captured {
  std::vector<NodeDraft> nodes;
  /// Files that hold no text, or could not be read to their end, as far as somebody should know.
  std::vector<ToolError> errors;
};

/// Reads each path: a file, a folder with all that is below it, an archive, "-" for standard input.
/// Errors: a path that was given cannot be read at all; nothing in it is known; a limit was met.
Result<Captured> read_captures(const std::vector<std::string>& paths);

}  // namespace linkburn
