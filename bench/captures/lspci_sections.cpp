// Lines of lspci to sections, by the names in front of their colons.
#include <algorithm>
#include <array>

#include "bench/base/ascii.h"
#include "bench/base/text.h"
#include "bench/captures/lspci_text.h"

namespace linkburn::lspci {
namespace {

struct Name {
  std::string_view text;
  Section section;
};

/// [pciutils ls-caps.c, ls-ecaps.c]
constexpr std::array kNames{
    Name{"DevCap", Section::device_cap},
    Name{"DevCtl", Section::device_ctl},
    Name{"DevSta", Section::other},
    Name{"LnkCap", Section::link_cap},
    Name{"LnkCtl", Section::link_ctl},
    Name{"LnkSta", Section::link_sta},
    Name{"SltCap", Section::slot_cap},
    Name{"SltCtl", Section::other},
    Name{"SltSta", Section::slot_sta},
    Name{"RootCtl", Section::root},
    Name{"RootCap", Section::root},
    Name{"RootSta", Section::other},
    Name{"DevCap2", Section::other},
    Name{"DevCtl2", Section::device_ctl2},
    Name{"LnkCap2", Section::link_cap2},
    Name{"LnkCtl2", Section::link_ctl2},
    Name{"LnkSta2", Section::link_sta2},
    Name{"LnkCtl3", Section::other},
    Name{"UESta", Section::uncorrectable_status},
    Name{"UEMsk", Section::uncorrectable_mask},
    Name{"UESvrt", Section::other},
    Name{"CESta", Section::correctable_status},
    Name{"CEMsk", Section::correctable_mask},
    Name{"AERCap", Section::other},
    Name{"LaneErrStat", Section::lane_errors},
};

/// lspci 2.x has one name for all registers of a kind.
struct OldName {
  std::string_view text, start;
  Section section;
};
constexpr std::array kOldNames{
    OldName{"Link", "Supported Speed", Section::link_cap},
    OldName{"Link", "Speed", Section::link_sta},
    OldName{"Link", "ASPM", Section::link_ctl},
    OldName{"Link", "Latency L0s", Section::other},
    OldName{"Device", "Supported: MaxPayload", Section::device_cap},
    OldName{"Device", "RlxdOrd", Section::device_ctl},
    OldName{"Device", "MaxPayload", Section::device_ctl},
    OldName{"Device", "Latency L0s", Section::other},
    OldName{"Device", "Errors: Correctable", Section::other},
    OldName{"Slot", "Number", Section::slot_cap},
    OldName{"Slot", "AtnBtn", Section::other},
    OldName{"Slot", "Enabled", Section::other},
    OldName{"Slot", "AttnInd", Section::other},
    OldName{"Root", "Correctable", Section::root},
};

/// The word that ends where a colon stands; names are not longer than "LaneErrStat".
std::string_view word_before(std::string_view text, std::size_t colon) {
  constexpr std::size_t kLongest = 16;
  std::size_t start = colon;
  while (start > 0 && colon - start <= kLongest && is_letter_or_digit(text[start - 1])) --start;
  return text.substr(start, colon - start);
}

bool has_part(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// "Capabilities: [60] Express (v2) Endpoint"; of other capabilities nothing is read here.
Section capability_of(std::string_view text) {
  if (!text.starts_with('[')) return Section::none;
  const std::size_t close = text.find(']');
  if (close == std::string_view::npos) return Section::none;
  return trim(text.substr(close + 1)).starts_with("Express ") ? Section::express : Section::other;
}

Section section_of(std::string_view word, std::string_view after) {
  for (const Name& name : kNames)
    if (word == name.text) return name.section;
  after = trim(after.substr(0, 64));
  if (word == "Capabilities") return capability_of(after);
  for (const OldName& name : kOldNames)
    if (word == name.text && after.starts_with(name.start)) return name.section;
  return Section::none;
}

}  // namespace

bool Sections::next(Section& section, std::string_view& text) {
  if (!is_first_ && pending_ == Section::none) return false;
  section = pending_;
  pending_ = Section::none;
  text = rest_;
  for (std::size_t colon = rest_.find(':'); colon != std::string_view::npos;
       colon = rest_.find(':', colon + 1)) {
    const std::string_view word = word_before(rest_, colon);
    if (word.size() < 4) continue;
    const std::string_view after = rest_.substr(colon + 1);
    pending_ = section_of(word, after);
    if (pending_ == Section::none) continue;
    text = rest_.substr(0, colon - word.size());
    rest_ = after;
    break;
  }
  is_first_ = false;
  return true;
}

bool CapabilityText::begins_another(Section section) const {
  if (section == Section::none || section == Section::other) return false;
  // Sections of 0x100 and above come in any order, once each.
  if (section >= Section::uncorrectable_status) return has(section);
  // Those of the Express capability come before them and in this order; two of them may repeat.
  const bool repeats = section == Section::device_ctl || section == Section::root;
  const int not_before = static_cast<int>(section) + (repeats ? 1 : 0);
  return (seen_ >> not_before) != 0;
}

bool CapabilityText::take(Section section, std::string_view text) {
  text = trim(text);
  if (section == Section::none || section == Section::other) {
    take_flags(section, text);
    return true;
  }
  seen_ |= 1U << static_cast<int>(section);
  take_flags(section, text);
  switch (section) {
    case Section::express:
      return take_express(text);
    case Section::link_cap:
    case Section::link_sta:
    case Section::link_ctl:
    case Section::link_cap2:
    case Section::link_ctl2:
      return take_link(section, text);
    case Section::device_cap:
    case Section::device_ctl:
    case Section::slot_cap:
    case Section::lane_errors:
      return take_sizes(section, text);
    default:
      return has_part(text, "+") || has_part(text, "-");
  }
}

}  // namespace linkburn::lspci
