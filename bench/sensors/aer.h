// AER counters of a PCI function from sysfs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/base/sysroot.h"
#include "report/evidence/record.h"

namespace linkburn {

struct AerCount {
  std::string name;  ///< "aer_correctable/BadTLP"
  std::int64_t value = 0;
};

/// The lines of one aer_dev_* file: name and count, the count last, because names of older kernels
/// hold blanks [linux Documentation/ABI/testing/sysfs-bus-pci-devices-aer_stats]. Lines of another
/// form are left out.
std::vector<AerCount> parse_aer(std::string_view group, std::string_view text);

/// All three files of a function; empty when the kernel shows none (no AER, or firmware owns it).
std::vector<AerCount> read_aer(const Sysroot& root, const std::string& folder);

/// Counter records of both ends of every link, as they stand now.
std::vector<Counter> aer_counters(const Sysroot& root, const struct Inventory& inventory,
                                  Phase phase, const std::string& step, bool baseline);

}  // namespace linkburn
