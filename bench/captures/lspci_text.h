// What lspci prints of the capabilities of one function. Internal to the lspci reader.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "bench/inventory/inventory.h"

namespace linkburn::lspci {

/// What lspci names in front of a colon, in the order in which it prints them.
enum class Section : unsigned char {
  none,
  express,  ///< "Capabilities: [60] Express (v2) Endpoint"
  device_cap,
  device_ctl,
  link_cap,
  link_ctl,
  link_sta,
  slot_cap,
  slot_sta,
  root,
  device_ctl2,
  link_cap2,
  link_ctl2,
  link_sta2,
  uncorrectable_status,
  uncorrectable_mask,
  correctable_status,
  correctable_mask,
  lane_errors,
  other,  ///< known, and tells nothing about links
  count,
};

/// A line may hold several sections, as mails wrap and join lines.
class Sections {
 public:
  explicit Sections(std::string_view line) : rest_(line) {}

  /// The next section of the line with its text; what stands before the first name is of section
  /// `none`. False at the end.
  bool next(Section& section, std::string_view& text);

 private:
  std::string_view rest_;
  Section pending_ = Section::none;
  bool is_first_ = true;
};

/// The port type that LinkRegisters::port_type stands for, of a bridge.
PortType port_type_of_name(std::string_view type);

/// Zeros in the Link Status of an endpoint, whose link has to be up for it to be read at all: a
/// virtual function, or a device that a guest is shown.
bool shows_no_link(std::string_view type, const LinkEnd& end);

/// Collects the sections of one function.
class CapabilityText {
 public:
  /// True when the section cannot be of the function that the sections so far are of.
  bool begins_another(Section section) const;

  /// False: nothing in it could be read, though something should be there.
  bool take(Section section, std::string_view text);

  bool empty() const { return seen_ == 0; }
  bool has_link() const { return speed_ || width_ || max_speed_ || max_width_; }
  /// Something that is worth telling even of a function whose name is not known.
  bool tells() const { return has_link() || correctable_status_ || uncorrectable_status_; }

  /// Into link_end, port_type, type and facts of a function whose class and name are known.
  void fill(PciFunction& function) const;

 private:
  struct Flag {
    Section section;
    std::string_view name;
    std::optional<bool> CapabilityText::*field;
  };

  bool has(Section section) const { return (seen_ >> static_cast<int>(section) & 1U) != 0; }
  bool take_express(std::string_view text);
  bool take_link(Section section, std::string_view text);
  bool take_sizes(Section section, std::string_view text);
  void take_flags(Section section, std::string_view text);
  void take_flag(Section section, std::string_view name, bool value);
  std::optional<std::int64_t>* error_bits(Section section);
  std::string_view port_type() const;
  bool is_upper_end() const;
  void fill_upper_end(LinkRegisters& registers) const;
  LinkRegisters registers() const;
  std::optional<LinkSpeed> max_speed(bool is_port) const;

  std::uint32_t seen_ = 0;  ///< one bit per section
  std::string_view port_type_;
  std::optional<LinkSpeed> speed_, max_speed_, target_speed_;
  std::optional<int> width_, max_width_;  ///< as printed: 63 and 3 included
  int highest_code_ = 0;                  ///< of the list of supported speeds; 7: above all known
  std::string aspm_supported_, aspm_enabled_;
  std::optional<int> slot_number_, payload_, payload_supported_, read_request_;
  std::optional<bool> reports_active_, notifies_, link_disabled_, width_disabled_;
  std::optional<bool> training_, active_, managed_, changed_, card_present_;
  std::optional<bool> extended_tag_, ten_bit_tag_, retimer_shown_, speed_disabled_, retimer_, flit_;
  std::optional<std::int64_t> uncorrectable_status_, uncorrectable_mask_;
  std::optional<std::int64_t> correctable_status_, correctable_mask_, lane_errors_;
};

}  // namespace linkburn::lspci
