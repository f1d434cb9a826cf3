// The text of lspci, of any verbosity and age, and its dumps of config space; whole, or what grep
// left of it.
#include <utility>

#include "bench/base/text.h"
#include "bench/captures/lspci_device.h"
#include "bench/captures/lspci_lines.h"
#include "bench/captures/table.h"

namespace linkburn {
namespace {

using lspci::Device;
using lspci::HexLine;
using lspci::Section;
using lspci::Sections;

class Reader : public PartReader {
 public:
  Take take(std::string_view line) override;
  void finish(NodeDraft& node) override;

 private:
  void begin(Device device);
  void end_device();
  bool take_hex(const HexLine& line);
  std::optional<Take> take_sections(std::string_view line);
  void take_section(Section section);
  Take take_line(std::string_view line);
  Take take_rest(std::string_view line);
  bool goes_on(Section section);

  NodeDraft found_;
  std::optional<Device> device_;
  bool is_first_ = true;  ///< no line was taken yet
  Section section_ = Section::none;
  bool after_bare_ = false;   ///< the device before was one line: a list without -v
  bool after_blank_ = false;  ///< since the latest line of the device
  bool after_other_ = false;  ///< the same of a line that is not lspci's
};

bool is_ellipsis(std::string_view text) {
  return text == "\xe2\x80\xa6" || (text.size() >= 2 && text.find_first_not_of('.') == text.npos);
}

bool is_indented(std::string_view line) {
  return !line.empty() && (line.front() == '\t' || line.front() == ' ');
}

/// A shell's line: what follows it was asked for anew.
bool is_command(std::string_view text) {
  return text.front() == '$' || text.front() == '#' || text.find("lspci") != text.npos;
}

bool has_section(std::string_view line) {
  Sections sections(line);
  Section section = Section::none;
  std::string_view text;
  while (sections.next(section, text))
    if (section != Section::none) return true;
  return false;
}

void Reader::begin(Device device) {
  const bool was_bare = device_ && device_->is_bare();
  end_device();
  after_bare_ = was_bare;
  after_blank_ = after_other_ = false;
  device_ = std::move(device);
}

void Reader::end_device() {
  if (device_) device_->finish(found_);
  device_.reset();
  section_ = Section::none;
}

/// True when a section may be of the device at hand.
bool Reader::goes_on(Section section) {
  if (!device_ || device_->text().begins_another(section)) return false;
  if (!device_->has_header()) return true;
  if (device_->is_bare() && after_bare_ && (after_blank_ || after_other_)) return false;
  if (after_other_ && !device_->is_bare()) return false;
  return !after_blank_ || device_->may_go_on();
}

void Reader::take_section(Section section) {
  if (section != Section::other && !goes_on(section)) begin(Device());
  if (!device_) begin(Device());
  after_blank_ = after_other_ = false;
  section_ = section;
}

/// Nothing when the line has no section of its own.
std::optional<Take> Reader::take_sections(std::string_view line) {
  Sections sections(line);
  Section section = Section::none;
  std::string_view text;
  bool any = false, readable = true;
  while (sections.next(section, text)) {
    if (section == Section::none) {
      const auto address =
          text.size() < line.size() ? lspci::parse_lone_address(text) : std::optional<PciAddress>();
      if (address) begin(Device(*address));
      // What stands before the first name may go on with the line before.
      if (device_ && section_ != Section::none) device_->text().take(section_, text);
      continue;
    }
    any = true;
    take_section(section);
    readable = device_->text().take(section, text) && readable;
  }
  if (!any) return std::nullopt;
  return readable ? Take::understood : Take::not_understood;
}

bool Reader::take_hex(const HexLine& line) {
  const lspci::HexDump* dump = device_ ? device_->bytes_if_any() : nullptr;
  if (line.offset == 0) {
    const bool is_free = device_ && device_->has_header() && dump == nullptr && !line.of_file;
    if (!is_free && !begins_dump(line)) return false;
    if (!is_free) begin(Device());
  } else if (dump == nullptr) {
    if (!device_ || !device_->has_header() || line.of_file) return false;
  } else if (dump->of_file() != line.of_file) {
    return false;
  }
  device_->bytes().put(line);
  return true;
}

/// Lines that only lspci has, and that tell nothing about links by themselves.
Take Reader::take_rest(std::string_view line) {
  const std::string_view text = trim(line);
  const bool is_link = section_ == Section::link_cap || section_ == Section::link_sta;
  // A line that mails wrapped: "LnkSta: Speed 2.5GT/s (downgraded)," and "Width x16 (ok)".
  const bool is_wrapped = is_link && (text.starts_with("Width x") || text.starts_with("Speed "));
  // Pages that lost their indentation keep the lines of a block together.
  const bool is_inside = device_ && (is_indented(line) || !(after_blank_ || after_other_));
  const bool is_known = is_inside && lspci::is_known_line(text);
  const std::string_view word = text.substr(0, text.find_first_of(" \t"));
  // This one stands in the middle of Device Control 2.
  if (word.ends_with(':') && word != "AtomicOpsCtl:") section_ = Section::other;
  if (is_wrapped || is_known) {
    after_blank_ = false;
    return Take::understood;
  }
  // Mails wrap lines: the end of one that stands alone does not end the block.
  after_other_ = after_other_ || after_blank_ || is_command(text);
  if (after_other_) section_ = Section::other;
  return Take::elsewhere;
}

Take Reader::take(std::string_view line) {
  const Take taken = take_line(line);
  is_first_ = false;
  return taken;
}

Take Reader::take_line(std::string_view line) {
  const std::string_view text = trim(line);
  if (text.empty()) {
    after_blank_ = true;
    return Take::understood;
  }
  if (is_ellipsis(text)) return Take::understood;
  if (text == "--") {  // of grep, between what it found
    end_device();
    return Take::understood;
  }
  if (const auto hex = lspci::parse_hex_line(text); hex && take_hex(*hex))
    return hex->whole ? Take::understood : Take::not_understood;
  const lspci::HexDump* dump = device_ ? device_->bytes_if_any() : nullptr;
  if (text == "*" && dump != nullptr && dump->of_file()) {
    device_->bytes().repeat();
    return Take::understood;
  }
  auto header = lspci::parse_header(text);
  if (header && (header->known_class || !has_section(text))) {
    begin(Device(std::move(*header)));
    return Take::understood;
  }
  if (const auto address = lspci::parse_record_start(text)) {
    begin(Device::of_record(*address));
    return Take::understood;
  }
  if (device_ && (device_->take_record_line(text) || device_->take_field(text))) {
    section_ = Section::other;
    after_blank_ = after_other_ = false;
    return Take::understood;
  }
  // The first line of a stretch: begins() has seen what follows it.
  const auto address = is_first_ ? lspci::parse_lone_address(text) : std::nullopt;
  if (address) {
    begin(Device(*address));
    return Take::understood;
  }
  if (const auto taken = take_sections(line)) return *taken;
  return take_rest(line);
}

void Reader::finish(NodeDraft& node) {
  end_device();
  for (FunctionView& view : found_.functions) node.add(node.functions, std::move(view));
  for (NamedSlot& slot : found_.slots) node.add(node.slots, std::move(slot));
  node.parents.merge(found_.parents);
  node.dropped += found_.dropped;
}

bool begins(std::string_view line, std::string_view next) {
  if (const auto hex = lspci::parse_hex_line(line)) {
    const auto second = begins_dump(*hex) ? lspci::parse_hex_line(next) : std::nullopt;
    return second && second->offset == 0x10 && second->whole && second->of_file == hex->of_file;
  }
  const auto header = lspci::parse_header(line);
  if (header && header->known_class) return true;
  if (lspci::parse_record_start(line)) return true;
  if (has_section(line)) return true;
  return lspci::parse_lone_address(line) && has_section(next);
}

std::unique_ptr<PartReader> make() { return std::make_unique<Reader>(); }

}  // namespace

const CaptureKind lspci_capture{"lspci", "lspci text of any verbosity and its hex dumps", begins,
                                make};

}  // namespace linkburn
