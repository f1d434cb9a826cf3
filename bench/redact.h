// What was read of a node without what tells whose it is: host names, serial numbers, addresses.
// The answer to the same reads stays the same: forms, lengths and classes are kept.
#pragma once

#include <string>

#include "bench/base/read_record.h"

namespace linkburn {

ReadRecord redacted(const ReadRecord& record);

}  // namespace linkburn
