// Error counters of a PCI function as the kernel shows them.
#pragma once

#include <string>

#include "bench/drill/shown_function.h"

namespace linkburn::drill {

/// aer_dev_correctable, aer_dev_nonfatal, aer_dev_fatal. Lines stay where they are whatever they
/// count (tree_files.h).
std::string aer_correctable_text(const ShownErrors& errors);
std::string aer_nonfatal_text(const ShownErrors& errors);
std::string aer_fatal_text(const ShownErrors& errors);

}  // namespace linkburn::drill
