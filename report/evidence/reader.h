// Evidence files back into memory.
#pragma once

#include <string>
#include <string_view>

#include "bench/base/result.h"
#include "report/evidence/record.h"

namespace linkburn {

/// Reads one file. A cut last line and unreadable lines in between are counted, not fatal. Errors:
/// the file cannot be read, is empty, is no evidence, or is of another schema version.
Result<Evidence> read_evidence(const std::string& path);

/// The same over text already in memory; `name` stands for the file in messages.
Result<Evidence> parse_evidence(std::string_view text, const std::string& name);

}  // namespace linkburn
