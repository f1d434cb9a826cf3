// The values of the sections to a function, as config space would give them.
#include "bench/base/text.h"
#include "bench/captures/draft.h"
#include "bench/captures/lspci_text.h"
#include "bench/inventory/config_space.h"

namespace linkburn::lspci {
namespace {

/// Width 63 is the six bits of a register read as all ones.
constexpr int kAllOnesWidth = 63;

std::optional<LinkWidth> known_width(const std::optional<int>& lanes, bool zero_is_width) {
  if (!lanes || *lanes < 0) return std::nullopt;
  return width_of_code(static_cast<std::uint32_t>(*lanes), zero_is_width);
}

bool is_endpoint(std::string_view type) { return type == "endpoint" || type == "legacy_endpoint"; }

}  // namespace

bool shows_no_link(std::string_view type, const LinkEnd& end) {
  return is_endpoint(type) && end.max_width && end.width == LinkWidth{0} && !end.speed;
}

PortType port_type_of_name(std::string_view type) {
  if (type == "root_port") return PortType::root_port;
  if (type == "switch_upstream") return PortType::switch_upstream;
  // From conventional PCI back to PCI Express: a link below, and none above.
  if (type == "switch_downstream" || type == "pci_to_pcie_bridge")
    return PortType::switch_downstream;
  return PortType::none;
}

std::string_view CapabilityText::port_type() const {
  if (!port_type_.empty()) return port_type_;
  return has(Section::root) ? "root_port" : "";  // root ports alone have these registers
}

bool CapabilityText::is_upper_end() const {
  const std::string_view type = port_type();
  if (!type.empty()) {
    const PortType port = port_type_of_name(type);
    return port == PortType::root_port || port == PortType::switch_downstream;
  }
  // Without the line that says the type: only the upper end of a link has a slot, or reports
  // whether its data link is active.
  return has(Section::slot_cap) || has(Section::slot_sta) || reports_active_.value_or(false);
}

std::optional<LinkSpeed> CapabilityText::max_speed(bool is_port) const {
  // An lspci that does not know the highest speed of the list may know it in Link Capabilities.
  if (highest_code_ > kPcieGenerations && max_speed_ == speed_of_generation(kPcieGenerations))
    return max_speed_;
  return max_speed_of(is_port, max_speed_, highest_code_);
}

/// What only the port above a link has; elsewhere these bits are reserved.
void CapabilityText::fill_upper_end(LinkRegisters& registers) const {
  registers.link_disabled = link_disabled_;
  registers.training = training_;
  if (reports_active_.value_or(active_.value_or(false))) registers.data_link_active = active_;
  if (notifies_.value_or(managed_.value_or(false) || changed_.value_or(false))) {
    registers.bandwidth_managed = managed_;
    registers.bandwidth_changed_autonomously = changed_;
  }
  registers.slot_number = slot_number_;
  registers.card_present = card_present_;
}

LinkRegisters CapabilityText::registers() const {
  LinkRegisters registers;
  registers.port_type = port_type();
  for (int code = 1; code <= std::min(highest_code_, kPcieGenerations); ++code)
    registers.supported_speeds.push_back(*speed_of_generation(code));
  // A link does not run above its target: lspci calls 0, of an end that has none, 2.5 GT/s.
  if (!speed_ || !target_speed_ || *speed_ <= *target_speed_)
    registers.target_speed = target_speed_;
  registers.autonomous_speed_disabled = speed_disabled_;
  registers.autonomous_width_disabled = width_disabled_;
  registers.aspm_supported = aspm_supported_;
  registers.aspm_enabled = aspm_enabled_;
  registers.max_payload_bytes = payload_;
  registers.max_payload_supported_bytes = payload_supported_;
  registers.max_read_request_bytes = read_request_;
  if (extended_tag_) registers.tags = *extended_tag_ ? 256 : 32;
  if (ten_bit_tag_.value_or(false)) registers.tags = 1024;
  registers.lane_errors = lane_errors_;
  registers.aer_correctable_status = correctable_status_;
  registers.aer_correctable_mask = correctable_mask_;
  registers.aer_uncorrectable_status = uncorrectable_status_;
  registers.aer_uncorrectable_mask = uncorrectable_mask_;
  registers.flit_mode = flit_;
  if (retimer_shown_.value_or(retimer_.value_or(false))) registers.retimer_present = retimer_;
  if (is_upper_end()) fill_upper_end(registers);
  return registers;
}

void CapabilityText::fill(PciFunction& function) const {
  if (empty()) return;
  LinkEnd& end = function.link_end;
  const std::string_view type = port_type();
  const bool is_nameless = function.class_code.empty() && function.name.empty();
  if (is_nameless && is_upper_end()) function.type = "bridge";
  const bool is_bridge = function.type == "bridge";
  if (is_bridge) function.port_type = port_type_of_name(type);
  // Of a bridge that has an address, its place tells the type.
  if (is_bridge && is_nameless && type.empty()) function.port_type = PortType::switch_downstream;
  end.registers = registers();
  end.registers_absent.clear();
  if (type == "integrated_endpoint" || type == "event_collector")
    function.facts["integrated"] = "yes";
  if (max_width_ == 0 && !is_bridge && !is_endpoint(type)) return;  // integrated
  end.speed = speed_;
  end.width = known_width(width_, true);
  end.max_speed = max_speed(is_bridge);
  end.max_width = known_width(max_width_, false);
  const bool may_be_endpoint = type.empty() && !is_nameless && !is_bridge;
  if (shows_no_link(may_be_endpoint ? "endpoint" : type, end)) function.virtual_function = true;
  if (function.virtual_function) {
    end.speed = end.max_speed = std::nullopt;
    end.width = end.max_width = std::nullopt;
    return;
  }
  end.files = has_link();
  if (width_ == kAllOnesWidth && !speed_) end.all_ones = true;
}

}  // namespace linkburn::lspci
