// Where results go: stdout or files, in the formats that were asked for.
#pragma once

#include <string>
#include <vector>

#include "bench/base/result.h"
#include "bench/session.h"
#include "report/render/renderer.h"

namespace linkburn {

/// Before anything runs: known formats, one of them at most on stdout, and places that can be
/// written.
Status check_formats(const std::vector<FormatChoice>& formats);

/// Renders the report in every chosen format (text when none was chosen). Files appear whole or not
/// at all. A file that cannot be written goes to stderr instead, and is an error.
Status write_report(const Report& report, const std::vector<FormatChoice>& formats);

/// A default place for evidence: /var/log/linkburn for root, else the user's state folder, else a
/// folder of the user's own below the temporary directory. Needs neither HOME nor a working
/// directory.
Result<std::string> default_evidence_file(const std::string& node, const std::string& profile,
                                          std::int64_t wall_ns);

/// All bytes to stdout. A reader that went away is no error of ours.
Status write_stdout(std::string_view text);

}  // namespace linkburn
