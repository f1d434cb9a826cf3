// The kernel log as evidence.
#pragma once

#include <vector>

#include "bench/base/sysroot.h"
#include "bench/sensors/kernel_lines.h"

namespace linkburn {

/// The log of this boot, with a part that says where it was read from: /dev/kmsg of the live node;
/// of a captured tree "linkburn/kmsg" (records of /dev/kmsg, one per line), else "var/log/dmesg".
/// The sensor follows the live log, and in the tree of a drill the file, which grows there.
std::vector<Body> kernel_log_since_boot(const Sysroot& root);

}  // namespace linkburn
