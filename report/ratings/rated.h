// What a link or port is rated for, and where that rating comes from.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "bench/base/units.h"
#include "report/evidence/record.h"
#include "report/ratings/site.h"

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
/// A product rating stands for what the device says of itself; a port that gives less still counts.
struct LinkRating {
  std::optional<Rated<LinkSpeed>> speed;
  std::optional<Rated<LinkWidth>> width;
};

/// What a rating can draw on besides the link or port itself. Null and empty: not known.
struct RatingContext {
  const Site* site = nullptr;
  const Component* device = nullptr;  ///< the device end of the link, or behind the port
  std::string_view board_id = {};     ///< of the RDMA device, when a port tells it
};

LinkRating rate(const Link& link, const RatingContext& context = {});

/// What a port is rated for in Gb/s. Absent: nothing says.
/// Order of sources: site file, product ratings, the fastest mode that its interface supports. The
/// last two are held down by what its module says that it can carry.
std::optional<Rated<double>> rate_port(const Port& port, const Interface* interface,
                                       const RatingContext& context = {});

/// True for the lane counts that a PCIe link can have; 0, 63 and 255 are the kernel's ways to say
/// "none", "all ones" and "unknown" [linux drivers/pci/pci-sysfs.c; include/linux/pci.h,
/// PCIE_LNK_WIDTH_UNKNOWN].
bool is_lane_count(LinkWidth width);

}  // namespace linkburn
