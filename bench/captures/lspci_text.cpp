// The text of a section to values.
#include "bench/captures/lspci_text.h"

#include <algorithm>
#include <array>

#include "bench/base/text.h"
#include "bench/inventory/config_space.h"

namespace linkburn::lspci {
namespace {

/// What follows a word in a text; nothing when the word is not there.
std::optional<std::string_view> after(std::string_view text, std::string_view word) {
  const std::size_t at = text.find(word);
  if (at == std::string_view::npos) return std::nullopt;
  return text.substr(at + word.size());
}

std::optional<int> number_after(std::string_view text, std::string_view word) {
  const auto rest = after(text, word);
  if (!rest) return std::nullopt;
  const std::size_t digits = std::min(rest->find_first_not_of("0123456789"), rest->size());
  if (digits == 0 || digits > 6) return std::nullopt;
  return static_cast<int>(parse_int(rest->substr(0, digits)).value_or(0));
}

/// A speed of the PCIe specification: "2.5GT/s", "16 GT/s", and "2.5Gb/s" of lspci 2.x.
std::optional<LinkSpeed> speed_after(std::string_view text, std::string_view word) {
  const auto rest = after(text, word);
  const auto speed = rest ? parse_link_speed(rest->substr(0, 16)) : std::nullopt;
  return speed && generation_of(*speed) ? speed : std::nullopt;
}

/// A size that code n of 128 << n bytes stands for, as config space knows them.
std::optional<int> size_after(std::string_view text, std::string_view word) {
  const auto size = number_after(text, word);
  const bool is_code = size && *size >= 128 && *size <= 4096 && (*size & (*size - 1)) == 0;
  return is_code ? size : std::nullopt;
}

/// The highest code of "2.5-16GT/s"; 7 for what this lspci did not know, 0 for no list.
int highest_code_in(std::string_view list) {
  if (list.starts_with("RsvdP")) return kPcieGenerations + 1;
  const std::size_t dash = list.substr(0, 8).find('-');
  const auto speed = parse_link_speed(dash == std::string_view::npos ? list.substr(0, 16)
                                                                     : list.substr(dash + 1, 16));
  return speed ? generation_of(*speed).value_or(0) : 0;
}

/// "L0s L1" of "ASPM L0s L1, Exit Latency", "none" of "ASPM not supported" and "ASPM Disabled".
std::string aspm_in(std::string_view text) {
  const auto rest = after(text, "ASPM ");
  if (!rest) return {};
  const std::string_view states = trim(rest->substr(0, rest->find_first_of(",;")));
  if (states.starts_with("not supported") || states.starts_with("Disabled")) return "none";
  if (states.starts_with("L0s L1")) return "L0s L1";
  if (states.starts_with("L0s")) return "L0s";
  return states.starts_with("L1") ? "L1" : "";
}

struct ErrorName {
  std::string_view name;
  int bit;
};

/// [pciutils ls-ecaps.c, cap_aer; bits as in linux pci_regs.h]
constexpr std::array kUncorrectable{
    ErrorName{"DLP", 4},
    ErrorName{"SDES", 5},
    ErrorName{"TLP", 12},
    ErrorName{"FCP", 13},
    ErrorName{"CmpltTO", 14},
    ErrorName{"CmpltAbrt", 15},
    ErrorName{"UnxCmplt", 16},
    ErrorName{"RxOF", 17},
    ErrorName{"MalfTLP", 18},
    ErrorName{"ECRC", 19},
    ErrorName{"UnsupReq", 20},
    ErrorName{"ACSViol", 21},
    ErrorName{"UncorrIntErr", 22},
    ErrorName{"BlockedTLP", 23},
    ErrorName{"AtomicOpBlocked", 24},
    ErrorName{"TLPBlockedErr", 25},
    ErrorName{"PoisonTLPBlocked", 26},
    ErrorName{"DMWrReqBlocked", 27},
    ErrorName{"IDECheck", 28},
    ErrorName{"MisIDETLP", 29},
    ErrorName{"PCRC_CHECK", 30},
    ErrorName{"TLPXlatBlocked", 31},
};
constexpr std::array kCorrectable{
    ErrorName{"RxErr", 0},        ErrorName{"BadTLP", 6},      ErrorName{"BadDLLP", 7},
    ErrorName{"Rollover", 8},     ErrorName{"Timeout", 12},    ErrorName{"AdvNonFatalErr", 13},
    ErrorName{"NonFatalErr", 13}, ErrorName{"CorrIntErr", 14}, ErrorName{"HeaderOF", 15},
};

template <std::size_t kSize>
std::int64_t bit_of(const std::array<ErrorName, kSize>& names, std::string_view name) {
  for (const ErrorName& known : names)
    if (known.name == name) return std::int64_t{1} << known.bit;
  return 0;
}

/// "LaneErr at lane: 3 5", or "0".
std::optional<std::int64_t> lanes_in(std::string_view text) {
  if (text.starts_with('0')) return 0;
  const auto list = after(text, "lane:");
  if (!list) return std::nullopt;
  std::optional<std::int64_t> lanes;
  for (const std::string_view word : words_of(list->substr(0, 256))) {
    const auto lane = parse_int(word);
    if (!lane || *lane < 0 || *lane > 31) break;
    lanes = lanes.value_or(0) | std::int64_t{1} << *lane;
  }
  return lanes;
}

struct PortName {
  std::string_view start, type;
};

/// [pciutils ls-caps.c, cap_express]
constexpr std::array kPortNames{
    PortName{"Root Complex Integrated", "integrated_endpoint"},
    PortName{"Root Complex Event", "event_collector"},
    PortName{"Root Port", "root_port"},
    PortName{"Upstream Port", "switch_upstream"},
    PortName{"Downstream Port", "switch_downstream"},
    PortName{"Legacy Endpoint", "legacy_endpoint"},
    PortName{"Endpoint", "endpoint"},
    PortName{"PCI-Express to PCI", "pcie_to_pci_bridge"},
    PortName{"PCI/PCI-X to PCI-Express", "pci_to_pcie_bridge"},
    PortName{"PCI/PCI-X Bridge", "pcie_to_pci_bridge"},
    PortName{"Unknown type", "unknown"},
};

}  // namespace

bool CapabilityText::take_express(std::string_view text) {
  std::string_view rest = trim(after(text, "Express ").value_or(""));
  if (rest.starts_with("(v")) rest = trim(after(rest, ")").value_or(""));
  for (const PortName& name : kPortNames)
    if (rest.starts_with(name.start)) {
      port_type_ = name.type;
      return true;
    }
  return false;
}

bool CapabilityText::take_link(Section section, std::string_view text) {
  const bool has_speed = after(text, "Speed ").has_value();
  const bool has_width = number_after(text, "Width x").has_value();
  if (section == Section::link_cap) {
    if (has_speed) max_speed_ = speed_after(text, "Speed ");
    if (has_width) max_width_ = number_after(text, "Width x");
    if (const std::string aspm = aspm_in(text); !aspm.empty()) aspm_supported_ = aspm;
    return has_speed || has_width;
  }
  if (section == Section::link_sta) {
    if (has_speed) speed_ = speed_after(text, "Speed ");
    if (has_width) width_ = number_after(text, "Width x");
    return has_speed || has_width;
  }
  if (section == Section::link_ctl) {
    if (const std::string aspm = aspm_in(text); !aspm.empty()) aspm_enabled_ = aspm;
    return !aspm_enabled_.empty();
  }
  if (section == Section::link_cap2) {
    const auto list = after(text, "Supported Link Speeds: ");
    if (list) highest_code_ = highest_code_in(*list);
    return list.has_value();
  }
  if (after(text, "Target Link Speed: ")) target_speed_ = speed_after(text, "Target Link Speed: ");
  // [pciutils ls-caps.c, cap_express_link2: of downstream ports alone]
  if (after(text, "Selectable De-emphasis") && port_type_.empty()) port_type_ = "switch_downstream";
  return target_speed_.has_value() || after(text, "Unknown").has_value();
}

bool CapabilityText::take_sizes(Section section, std::string_view text) {
  if (section == Section::lane_errors) {
    if (const auto lanes = lanes_in(text)) lane_errors_ = lanes;
    return lane_errors_.has_value();
  }
  if (section == Section::slot_cap) {
    const auto number = number_after(text, "Slot #");
    const auto old = number_after(text, "Number ");
    constexpr int kMaxSlot = 0x1fff;  // 13 bits
    const auto either = number ? number : old;
    if (either && *either <= kMaxSlot) slot_number_ = either;
    return true;
  }
  const auto payload = size_after(text, "MaxPayload ");
  if (section == Section::device_cap) {
    if (payload) payload_supported_ = payload;
    return true;
  }
  if (payload) payload_ = payload;
  if (const auto request = size_after(text, "MaxReadReq ")) read_request_ = request;
  return true;
}

std::optional<std::int64_t>* CapabilityText::error_bits(Section section) {
  switch (section) {
    case Section::uncorrectable_status:
      return &uncorrectable_status_;
    case Section::uncorrectable_mask:
      return &uncorrectable_mask_;
    case Section::correctable_status:
      return &correctable_status_;
    case Section::correctable_mask:
      return &correctable_mask_;
    default:
      return nullptr;
  }
}

void CapabilityText::take_flags(Section section, std::string_view text) {
  // "Changed: MRL- PresDet- LinkState-" has the names of the status before it.
  if (section == Section::slot_sta) text = text.substr(0, text.find("Changed:"));
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t start = text.find_first_not_of(" \t,;", at);
    if (start == std::string_view::npos) return;
    at = std::min(text.find_first_of(" \t,;", start), text.size());
    const std::string_view word = text.substr(start, at - start);
    const char sign = word.back();
    if (word.size() < 3 || (sign != '+' && sign != '-')) continue;
    take_flag(section, word.substr(0, word.size() - 1), sign == '+');
  }
}

void CapabilityText::take_flag(Section section, std::string_view name, bool value) {
  using Text = CapabilityText;
  // Names that no other section has stand for themselves, as the line above may have been cut.
  constexpr Section kAny = Section::none;
  static constexpr std::array kFlags{
      Flag{kAny, "LLActRep", &Text::reports_active_},
      Flag{kAny, "BwNot", &Text::notifies_},
      Flag{Section::link_ctl, "Disabled", &Text::link_disabled_},
      Flag{kAny, "LnkDisable", &Text::link_disabled_},
      Flag{kAny, "AutWidDis", &Text::width_disabled_},
      Flag{kAny, "Train", &Text::training_},
      Flag{kAny, "DLActive", &Text::active_},
      Flag{kAny, "BWMgmt", &Text::managed_},
      Flag{kAny, "ABWMgmt", &Text::changed_},
      Flag{Section::slot_sta, "PresDet", &Text::card_present_},
      Flag{Section::device_ctl, "ExtTag", &Text::extended_tag_},
      Flag{Section::device_ctl2, "10BitTagReq", &Text::ten_bit_tag_},
      Flag{Section::link_cap2, "Retimer", &Text::retimer_shown_},
      Flag{Section::link_ctl2, "SpeedDis", &Text::speed_disabled_},
      Flag{Section::link_sta2, "Retimer", &Text::retimer_},
      Flag{Section::link_sta2, "FlitMode", &Text::flit_},
      Flag{Section::link_sta2, "FltMode", &Text::flit_},
  };
  if (auto* bits = error_bits(section)) {
    const bool is_correctable =
        section == Section::correctable_status || section == Section::correctable_mask;
    const std::int64_t bit =
        is_correctable ? bit_of(kCorrectable, name) : bit_of(kUncorrectable, name);
    if (bit != 0) *bits = bits->value_or(0) | (value ? bit : 0);
    return;
  }
  for (const Flag& flag : kFlags)
    if (flag.name == name && (flag.section == kAny || flag.section == section))
      this->*flag.field = value;
}

}  // namespace linkburn::lspci
