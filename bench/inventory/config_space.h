// What the config space of a PCI function says, decoded from bytes.
//
// Only registers that the capability lists lead to are asked for: on a live node each read goes to
// the device, and reading what is not defined can upset one.
// [PCI Local Bus Specification 3.0, chapter 6; PCI Express Base Specification 6.0, section 7.5;
// offsets and bits as in linux include/uapi/linux/pci_regs.h]
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "bench/base/result.h"
#include "report/evidence/links.h"

namespace linkburn {

/// Bytes of config space from an offset on; fewer than asked for where the space ends.
using ConfigBytes = std::function<Result<std::string>(std::size_t offset, std::size_t size)>;

struct ConfigSpace {
  bool all_ones = false;  ///< the device does not answer: nothing below is known
  std::optional<int> vendor_id, device_id;
  std::optional<int> header_type;  ///< 0 endpoint, 1 bridge, 2 CardBus; without the function bit
  std::optional<int> subsystem_vendor_id, subsystem_device_id;  ///< of header type 0
  std::optional<int> secondary_bus;                             ///< of header type 1
  bool has_link = false;     ///< speed, width and their maxima are this function's own
  bool thunderbolt = false;  ///< part of an Intel Thunderbolt controller
  std::optional<LinkSpeed> speed, max_speed;
  std::optional<LinkWidth> width, max_width;
  std::optional<LinkRegisters> registers;
  std::string registers_absent;  ///< why, when they are
};

/// LinkEnd::registers_absent of a function of conventional PCI.
inline constexpr std::string_view kNotPcie = "no PCI Express capability";
/// ... of a file that ends after the part that everybody may read.
inline constexpr std::string_view kNeedsRoot = "needs root";

/// A width field of a register; codes that are no lane count stay unknown. Zero is a link that is
/// not up.
std::optional<LinkWidth> width_of_code(std::uint32_t code, bool zero_is_width);

/// The maximum of an end, from what Link Capabilities name and from the highest code of the list in
/// Link Capabilities 2; 0: there is no list.
std::optional<LinkSpeed> max_speed_of(bool is_port, std::optional<LinkSpeed> named,
                                      int highest_code);

/// Whatever comes, something is returned: what cannot be read is absent.
ConfigSpace decode_config_space(const ConfigBytes& bytes);

/// The same of a space that is in memory.
ConfigSpace decode_config_space(std::string_view space);

}  // namespace linkburn
