// lspci -t: which port is above which device. Lines of one bus stand below each other, so the
// column of a branch tells the bus [pciutils ls-tree.c].
#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "bench/base/text.h"
#include "bench/captures/table.h"

namespace linkburn {
namespace {

/// A bus as far as the lines so far tell it.
struct Bus {
  std::uint32_t domain = 0;
  std::optional<int> number;
  std::optional<PciAddress> port;  ///< the bridge above; none on a root bus
};

constexpr std::string_view kHexDigits = "0123456789abcdef";

bool is_hex(std::string_view text) {
  return !text.empty() && text.find_first_not_of(kHexDigits) == std::string_view::npos;
}

/// Reads one line from the column where it differs from the line above.
class Line {
 public:
  explicit Line(std::string_view text) : text_(text), at_(text.find_first_not_of(" |")) {}

  std::size_t column() const { return at_; }
  bool at_end() const { return at_ >= text_.size(); }
  char mark() const { return at_end() ? '\0' : text_[at_]; }
  void skip() { ++at_; }
  void skip_dashes() { at_ = std::min(text_.find_first_not_of('-', at_), text_.size()); }

  /// "[0000:80]" or "[81-84]" at the cursor, without its brackets.
  std::optional<std::string_view> bracket() {
    const std::string_view rest = text_.substr(std::min(at_, text_.size()), 32);
    const std::size_t close = rest.find(']');
    if (!rest.starts_with('[') || close == std::string_view::npos) return std::nullopt;
    at_ += close + 1;
    return rest.substr(1, close - 1);
  }

  /// "1f.3" at the cursor, with a branch or a blank after it.
  std::optional<std::string_view> device() {
    const std::string_view rest = text_.substr(std::min(at_, text_.size()), 5);
    if (rest.size() < 4 || rest[2] != '.' || !is_hex(rest.substr(0, 2)) ||
        !is_hex(rest.substr(3, 1)))
      return std::nullopt;
    if (rest.size() == 5 && rest[4] != ' ' && rest[4] != '-') return std::nullopt;
    at_ += 4;
    return rest.substr(0, 4);
  }

  /// "0000:00:" before the device that `lspci -t -s` begins with.
  std::optional<std::string_view> place() {
    const std::string_view rest = text_.substr(std::min(at_, text_.size()), 20);
    const std::size_t dot = rest.find('.');
    const std::size_t colon = dot == std::string_view::npos ? dot : rest.rfind(':', dot);
    if (colon == std::string_view::npos || !parse_pci_address(rest.substr(0, dot + 2)))
      return std::nullopt;
    at_ += colon + 1;
    return rest.substr(0, colon);
  }

 private:
  std::string_view text_;
  std::size_t at_;
};

/// "0000:80", or "81" and "81-84" of a bus whose domain is known; false when it is neither.
bool take_bus(std::string_view text, Bus& bus) {
  const std::size_t colon = text.find(':');
  if (colon != std::string_view::npos) {
    if (!is_hex(text.substr(0, colon)) || colon > 8) return false;
    bus.domain = static_cast<std::uint32_t>(parse_int(text.substr(0, colon), 16).value_or(0));
    text.remove_prefix(colon + 1);
  }
  const std::string_view first = text.substr(0, text.find('-'));
  if (first.size() != 2 || !is_hex(first)) return false;
  bus.number = static_cast<int>(*parse_int(first, 16));
  return true;
}

class Reader : public PartReader {
 public:
  Take take(std::string_view text) override;
  void finish(NodeDraft& node) override { node.parents.merge(parents_); }

 private:
  bool start(Line& line, Bus& bus);
  bool walk(Line& line, Bus& bus);
  std::optional<PciAddress> add(const Bus& bus, std::string_view device);

  std::map<std::size_t, Bus> branches_;  ///< the bus of the branch in a column
  std::map<PciAddress, PciAddress> parents_;
};

std::optional<PciAddress> Reader::add(const Bus& bus, std::string_view device) {
  if (!bus.number) return std::nullopt;
  const auto address =
      parse_pci_address(fmt::format("{:x}:{:02x}:{}", bus.domain, *bus.number, device));
  if (address && bus.port && parents_.size() < NodeDraft::kMaxItems)
    parents_.insert_or_assign(*address, *bus.port);
  return address;
}

/// The bus that the first device of a line is on; false: this is no line of a tree.
bool Reader::start(Line& line, Bus& bus) {
  if (line.at_end()) return false;
  if (line.mark() == '-') {  // the tree begins
    branches_.clear();
    return true;
  }
  if (line.mark() == '+' || line.mark() == '\\') {
    const auto known = branches_.find(line.column());
    if (known != branches_.end()) bus = known->second;
    line.skip();
    return line.mark() == '-';
  }
  const auto place = line.place();
  if (!place) return false;
  branches_.clear();
  return take_bus(place->size() == 2 ? fmt::format("0:{}", *place) : std::string(*place), bus);
}

/// From branch to branch to the end of the line; false where it is garbled.
bool Reader::walk(Line& line, Bus& bus) {
  while (true) {
    line.skip_dashes();
    if (line.at_end()) return true;  // a port with nothing below
    if (line.mark() == '+') {
      branches_[line.column()] = bus;
      line.skip();
      continue;
    }
    if (const auto root = line.bracket()) {
      if (!take_bus(*root, bus)) return false;
      continue;
    }
    const auto device = line.device();
    if (!device) return false;
    const auto address = add(bus, *device);
    if (line.mark() != '-') return true;  // its name, or the end
    line.skip();
    const auto below = line.bracket();
    if (!below) return false;
    bus.port = address;
    if (!take_bus(*below, bus)) return false;
  }
}

Take Reader::take(std::string_view text) {
  const std::string_view trimmed = trim(text);
  if (trimmed.empty() || trimmed.find_first_not_of(" |") == std::string_view::npos)
    return Take::understood;
  Line line(text);
  Bus bus;
  // Of -tvv: the regions of the device before.
  const bool is_region = trimmed.find("Memory at ") != std::string_view::npos ||
                         trimmed.find("I/O ports at ") != std::string_view::npos;
  if (is_region) return Take::understood;
  if (!start(line, bus)) return Take::elsewhere;
  return walk(line, bus) ? Take::understood : Take::not_understood;
}

/// A root bus in brackets, a branch to a bridge, or a bridge with its address.
bool begins(std::string_view text, std::string_view) {
  Line line(text);
  if (line.at_end()) return false;
  const bool is_branch = line.mark() == '+' || line.mark() == '\\';
  if (line.mark() != '-' && !is_branch && !line.place()) return false;
  if (line.mark() == '-' || is_branch) {
    line.skip();
    line.skip_dashes();
    if (line.mark() == '+') line.skip();
    line.skip_dashes();
    Bus bus;
    if (const auto root = line.bracket())
      return root->find(':') != std::string_view::npos && take_bus(*root, bus);
  }
  if (!line.device() || line.mark() != '-') return false;
  line.skip();
  Bus bus;
  const auto below = line.bracket();
  return below && take_bus(*below, bus);
}

std::unique_ptr<PartReader> make() { return std::make_unique<Reader>(); }

}  // namespace

const CaptureKind lspci_tree_capture{"lspci_tree", "lspci -t", begins, make};

}  // namespace linkburn
