// The PCIe part of the vocabulary of evidence: places, ends of links, links.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/base/component.h"
#include "bench/base/units.h"

namespace linkburn {

/// What one source calls a slot.
struct SlotName {
  std::string label;
  std::string source;  ///< "site", "smbios", "kernel", "slot capability"
  template <class Fields>
  void fields(Fields& f) {
    f("label", label), f("source", source);
  }
};

/// Where a person finds it: the label of the best source, and what others call it when they do not
/// agree with it.
struct Slot {
  std::string label;
  std::string source;  ///< "site", "smbios", "kernel", "slot capability"
  std::vector<SlotName> others = {};
  template <class Fields>
  void fields(Fields& f) {
    f("label", label), f("source", source), f("others", others);
  }
};

/// What config space says of one end of a link beyond speed and width
/// [PCI Express Base Specification 6.0, section 7.5.3; offsets as in linux pci_regs.h]. Absent:
/// could not be read, or the end does not have the field.
struct LinkRegisters {
  /// "endpoint", "legacy_endpoint", "root_port", "switch_upstream", "switch_downstream",
  /// "pcie_to_pci_bridge", "pci_to_pcie_bridge", "integrated_endpoint", "event_collector",
  /// "unknown"; empty: a text that does not tell it
  std::string port_type;
  std::vector<LinkSpeed> supported_speeds;  ///< Link Capabilities 2; empty in version 1
  std::optional<LinkSpeed> target_speed;    ///< Link Control 2
  std::optional<bool> link_disabled, training;
  std::optional<bool> data_link_active;  ///< only where the port reports it
  std::optional<bool> card_present;      ///< only ports with a slot
  std::optional<int> slot_number;        ///< physical slot number; 0 is not given
  std::optional<bool> autonomous_speed_disabled, autonomous_width_disabled;
  /// Sticky: the hardware retrained to keep an unreliable link, or changed it on its own.
  std::optional<bool> bandwidth_managed, bandwidth_changed_autonomously;
  std::string aspm_supported, aspm_enabled;  ///< "none", "L0s", "L1", "L0s L1"
  std::optional<int> max_payload_bytes, max_payload_supported_bytes, max_read_request_bytes;
  std::optional<int> tags;                  ///< requests in flight: 32, 256 or 1024
  std::optional<std::int64_t> lane_errors;  ///< one sticky bit per lane
  std::optional<std::int64_t> aer_correctable_status, aer_correctable_mask;
  std::optional<std::int64_t> aer_uncorrectable_status, aer_uncorrectable_mask;
  std::optional<bool> flit_mode, retimer_present;
  template <class Fields>
  void fields(Fields& f) {
    f("port_type", port_type), f("supported_speeds_gts", supported_speeds);
    f("target_speed_gts", target_speed), f("link_disabled", link_disabled);
    f("training", training), f("data_link_active", data_link_active);
    f("card_present", card_present), f("slot_number", slot_number);
    f("autonomous_speed_disabled", autonomous_speed_disabled);
    f("autonomous_width_disabled", autonomous_width_disabled);
    f("bandwidth_managed", bandwidth_managed);
    f("bandwidth_changed_autonomously", bandwidth_changed_autonomously);
    f("aspm_supported", aspm_supported), f("aspm_enabled", aspm_enabled);
    f("max_payload_bytes", max_payload_bytes);
    f("max_payload_supported_bytes", max_payload_supported_bytes);
    f("max_read_request_bytes", max_read_request_bytes), f("tags", tags);
    f("lane_errors", lane_errors), f("aer_correctable_status", aer_correctable_status);
    f("aer_correctable_mask", aer_correctable_mask);
    f("aer_uncorrectable_status", aer_uncorrectable_status);
    f("aer_uncorrectable_mask", aer_uncorrectable_mask), f("flit_mode", flit_mode);
    f("retimer_present", retimer_present);
  }
};

/// What one source says of an end, where several were captured and one of them had to be chosen.
struct EndView {
  std::string source;  ///< as of LinkEnd
  std::optional<LinkSpeed> speed, max_speed;
  std::optional<LinkWidth> width, max_width;
  template <class Fields>
  void fields(Fields& f) {
    f("source", source), f("speed_gts", speed), f("width", width), f("max_speed_gts", max_speed);
    f("max_width", max_width);
  }
};

/// What one end of a PCIe link says. Absent: the file is not there or holds no number.
struct LinkEnd {
  std::optional<LinkSpeed> speed, max_speed;
  std::optional<LinkWidth> width, max_width;
  bool files = false;          ///< the end has link files at all
  bool all_ones = false;       ///< width 63 or vendor 0xffff: the device does not answer
  std::string runtime_status;  ///< power/runtime_status; "suspended" ends are not read
  /// Of speed and width: "config" (the registers' bytes), "files" (of sysfs), "lspci" (its text),
  /// "nvidia-smi", "kernel log".
  std::string source;
  std::vector<EndView> views;  ///< of all sources, the chosen one first; empty: there was only one
  std::optional<LinkRegisters> registers;  ///< absent: see registers_absent
  std::string registers_absent;            ///< why: "needs root", "input/output error", ...
  template <class Fields>
  void fields(Fields& f) {
    f("speed_gts", speed), f("width", width), f("max_speed_gts", max_speed);
    f("max_width", max_width), f("files", files), f("all_ones", all_ones);
    f("runtime_status", runtime_status), f("source", source), f("views", views);
    f("registers", registers);
    f("registers_absent", registers_absent);
  }
};

/// Kinds of links. Only `pcie` is judged by its PCIe numbers; the others carry their traffic by
/// other means, or their numbers mean something else.
inline constexpr std::string_view kLinkPcie = "pcie";
inline constexpr std::string_view kLinkChipToChip = "chip_to_chip";  ///< placeholders in registers
inline constexpr std::string_view kLinkThunderbolt = "thunderbolt";  ///< always 2.5 GT/s x4
inline constexpr std::string_view kLinkHiddenPort = "hidden_port";   ///< the upper end is not shown
inline constexpr std::string_view kLinkLoneEnd = "lone_end";   ///< a capture of the lower end alone
inline constexpr std::string_view kLinkInternal = "internal";  ///< fixed, inside a card

/// One PCIe link as found at discovery, both ends. Named by its device (lower) end.
struct Link {
  static constexpr std::string_view kKind = "link";
  ComponentId component;  ///< function 0 of the device below
  ComponentId peer;       ///< the port above; empty where it is hidden or was not captured
  std::string port_type;  ///< of the peer: "root_port", "switch_downstream"
  LinkEnd device_end, peer_end;
  std::optional<Slot> slot;
  std::string kind{kLinkPcie};
  std::string kind_reason;  ///< what shows that it is of another kind than pcie
  /// The kernel's cooling device of the port: 0 is full speed
  /// [linux drivers/thermal/pcie_cooling.c].
  std::optional<int> cooling_state, cooling_max_state;
  template <class Fields>
  void fields(Fields& f) {
    f("component", component), f("peer", peer), f("port_type", port_type);
    f("device_end", device_end), f("peer_end", peer_end), f("slot", slot);
    f("link_kind", kind), f("link_kind_reason", kind_reason);
    f("cooling_state", cooling_state), f("cooling_max_state", cooling_max_state);
  }
};

}  // namespace linkburn
