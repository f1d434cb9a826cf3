// Asks the kernel what ethtool would ask: link modes, forward error correction, module memory and
// the driver's statistics of one interface. All of it enters the driver and can hang: only worker
// processes call it.
#pragma once

#include <string>

#include "bench/base/result.h"

namespace linkburn {

/// The answers in the form of bench/inventory/ethtool_text.h. An answer that the kernel or driver
/// does not give is a line that says why; an error is only an interface that is not there.
Result<std::string> query_ethtool(const std::string& interface);

}  // namespace linkburn
