#include "bench/inventory/pci_class.h"

#include "bench/base/text.h"

namespace linkburn {

/// Class codes [PCI Code and ID Assignment Specification 1.15; 0x0c06 is what InfiniBand adapters
/// used before 0x0207 existed].
std::string type_of_class(std::string_view class_code, std::string_view vendor_id) {
  const auto code = parse_int(class_code, 16).value_or(0) >> 8;
  switch (code) {
    case 0x0108:
      return "nvme";
    case 0x0200:
      return "nic";
    case 0x0207:
    case 0x0c06:
      return "infiniband";
    case 0x0302:
      return "gpu";
    case 0x0300:
    case 0x0380:
      // A display function of these vendors is a GPU; others are the board's own video output.
      return vendor_id == "0x10de" || vendor_id == "0x1002" || vendor_id == "0x8086" ? "gpu"
                                                                                     : "other";
    case 0x0b40:
    case 0x1200:
      return "accelerator";
    case 0x0604:
      return "bridge";
    default:
      return "other";
  }
}

}  // namespace linkburn
