// What lines of the kernel log are about, by the fixed parts of their texts.
#pragma once

#include <optional>
#include <string_view>

#include "bench/base/component.h"

namespace linkburn {

/// What stands in a text of the kernel, in one pass over it whatever the number of texts that are
/// known: a topic as in kernel_lines.h, one of the notes below, or nothing.
std::string_view sign_in(std::string_view text);

/// Signs that are no evidence by themselves: they tell what others are about, or how the node is
/// wired.
inline constexpr std::string_view kNoteSeverity = "note/severity";  ///< of a firmware record
inline constexpr std::string_view kNoteSection = "note/section";    ///< of a firmware record
inline constexpr std::string_view kNoteDevice = "note/device";      ///< of a firmware record
inline constexpr std::string_view kNoteStatus = "note/status";      ///< of a firmware record
inline constexpr std::string_view kNoteNvme = "note/nvme";          ///< address of a controller
inline constexpr std::string_view kNoteGpu = "note/gpu";            ///< the next line is about it
inline constexpr std::string_view kNoteGpuName = "note/gpu_name";   ///< a GPU and its UUID
inline constexpr std::string_view kNoteFound = "note/found";        ///< a function at enumeration
inline constexpr std::string_view kNoteBridge = "note/bridge";      ///< the bus below a bridge
inline constexpr std::string_view kNoteReported = "note/reported";  ///< a port was told of an error
inline constexpr std::string_view kNoteBelow = "note/below";        ///< told of the error above
inline constexpr std::string_view kNoteBoot = "note/boot";          ///< a boot begins
inline bool is_note(std::string_view sign) { return sign.starts_with("note/"); }

/// "0000:3b:00.0", also with ":pcie004" behind it, as port services were named up to 4.18, and with
/// "PCI:" before it and without a function, as NVIDIA's driver names its GPUs.
std::optional<ComponentId> pci_id(std::string_view word);

/// The same, as an address.
std::optional<PciAddress> pci_address(std::string_view word);
std::optional<PciAddress> pci_address_in(std::string_view text);

/// The first PCI address in a text.
std::optional<ComponentId> address_in(std::string_view text);

}  // namespace linkburn
