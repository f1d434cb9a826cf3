// What a link is rated for, and where that rating comes from.
#pragma once

#include <optional>
#include <string>

#include "bench/base/units.h"
#include "report/evidence/record.h"

namespace linkburn {

/// A rated value with its origin in words: "lower capability of the two ends".
template <class T>
struct Rated {
  T value{};
  std::string origin;
};

/// The rating of one PCIe link. Absent: nothing says what it is rated for.
/// Order of sources: site file, product ratings, the lower capability of the two ends
/// [PCI Express Base Specification 6.0, sections 7.5.3.6 and 7.5.3.18: Max Link Speed and Width].
struct LinkRating {
  std::optional<Rated<LinkSpeed>> speed;
  std::optional<Rated<LinkWidth>> width;
};

LinkRating rate(const Link& link);

/// True for the lane counts that a PCIe link can have; 0, 63 and 255 are the kernel's ways to say
/// "none", "all ones" and "unknown" [linux drivers/pci/pci-sysfs.c; include/linux/pci.h,
/// PCIE_LNK_WIDTH_UNKNOWN].
bool is_lane_count(LinkWidth width);

}  // namespace linkburn
