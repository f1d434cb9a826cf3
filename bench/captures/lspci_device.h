// One function as lspci's text and bytes tell of it. Internal to the lspci reader.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bench/captures/draft.h"
#include "bench/captures/lspci_header.h"
#include "bench/captures/lspci_hex.h"
#include "bench/captures/lspci_text.h"

namespace linkburn::lspci {

class Device {
 public:
  Device() = default;
  explicit Device(Header header) : header_(std::move(header)), has_header_(true) {}
  /// Of which a script printed the address alone.
  explicit Device(const PciAddress& address) : has_header_(true) { header_.address = address; }
  /// A record of -vmm: lines of a key, a tab and a value.
  static Device of_record(const PciAddress& address);

  bool has_header() const { return has_header_; }
  /// Nothing but its header line was there.
  bool is_bare() const { return has_header_ && !has_more_ && text_.empty() && !bytes_; }
  /// True when what follows a blank line may still be about it.
  bool may_go_on() const { return !text_.empty() || !is_complete_; }

  CapabilityText& text() { return text_; }
  HexDump& bytes();
  const HexDump* bytes_if_any() const { return bytes_.get(); }

  /// "Subsystem: ...", "Kernel driver in use: ..." and the like. False for another line.
  bool take_field(std::string_view line);
  /// A line of a -vmm record.
  bool take_record_line(std::string_view line);

  /// Its views, its slot and the port above it.
  void finish(NodeDraft& node) const;

 private:
  PciFunction described() const;
  bool take_state(std::string_view line);

  Header header_;
  bool has_header_ = false, is_record_ = false, has_more_ = false, is_complete_ = false;
  CapabilityText text_;
  std::unique_ptr<HexDump> bytes_;
  std::string driver_, label_, slot_;
  std::optional<int> numa_node_, secondary_bus_;
  bool is_denied_ = false, has_no_list_ = false, is_unreadable_ = false;
};

/// The address that a -vmm record begins with.
std::optional<PciAddress> parse_record_start(std::string_view line);

}  // namespace linkburn::lspci
