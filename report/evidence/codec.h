// One record to one line of JSON and back.
#pragma once

#include <string>
#include <string_view>

#include "bench/base/result.h"
#include "report/evidence/record.h"

namespace linkburn {

/// One JSON object without a newline. Empty fields are left out.
std::string encode(const Record& record);

/// Strict about types, tolerant about unknown keys and kinds. Any bytes may come in.
Result<Record> decode(std::string_view line);

}  // namespace linkburn
