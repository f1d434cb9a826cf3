// Files, folders, archives and standard input to drafts of nodes.
#pragma once

#include <string>
#include <vector>

#include "bench/base/result.h"
#include "bench/captures/byte_source.h"
#include "bench/captures/draft.h"

namespace linkburn {

struct Captured {
  /// What could not be read, or not to its end, is an error among the records of each node that it
  /// may be of: with one of them that node does not pass.
  std::vector<NodeDraft> nodes;
};

/// Reads each path: a file, a folder with all that is below it, an archive, "-" for standard input.
/// Errors: a path that was given cannot be opened; nothing in it is known. When reading was stopped
/// before anything was known, the error says so: interrupted or timeout.
Result<Captured> read_captures(const std::vector<std::string>& paths,
                               const ReadLimits& limits = {});

/// The same of bytes in memory.
Result<Captured> read_capture_bytes(std::string_view bytes, const std::string& name);

}  // namespace linkburn
