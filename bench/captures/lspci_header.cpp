#include "bench/captures/lspci_header.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "bench/base/ascii.h"
#include "bench/base/text.h"
#include "bench/captures/lspci_names.h"

namespace linkburn::lspci {
namespace {

constexpr std::size_t kMaxNameBytes = 256;
constexpr std::string_view kBlanks = " \t";

bool is_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

/// Four digits in lower case, as lspci prints classes, vendors and devices.
bool is_id(std::string_view text) {
  return text.size() == 4 && std::all_of(text.begin(), text.end(), is_hex);
}

std::string id_of(std::string_view digits) { return fmt::format("0x{}", digits); }

/// The last pair of brackets, cut off: "10de:2330" of "GH100 [H100] [10de:2330]".
std::optional<std::string_view> cut_bracket(std::string_view& text) {
  if (!text.ends_with(']')) return std::nullopt;
  const std::size_t open = text.rfind('[');
  if (open == std::string_view::npos) return std::nullopt;
  const std::string_view inside = text.substr(open + 1, text.size() - open - 2);
  text = trim(text.substr(0, open));
  return inside;
}

/// What follows a name in round brackets, cut off: "a1" of "GH100 (rev a1)".
std::optional<std::string_view> cut_remark(std::string_view& text, std::string_view start) {
  const std::size_t at = text.rfind(start);
  if (at == std::string_view::npos || !text.ends_with(')')) return std::nullopt;
  const std::string_view inside = text.substr(at + start.size());
  text = trim(text.substr(0, at));
  return inside.substr(0, inside.size() - 1);
}

bool take_ids(std::string_view pair, std::string& vendor_id, std::string& device_id) {
  if (pair.size() != 9 || pair[4] != ':') return false;
  if (!is_id(pair.substr(0, 4)) || !is_id(pair.substr(5))) return false;
  vendor_id = id_of(pair.substr(0, 4));
  device_id = id_of(pair.substr(5));
  return true;
}

/// lspci prints domains of four digits and more; anything shorter is a time or a line number.
std::optional<PciAddress> address_in(std::string_view word) {
  const std::size_t colons = static_cast<std::size_t>(std::count(word.begin(), word.end(), ':'));
  const std::size_t first = word.find(':');
  if (colons == 0 || colons > 2 || (colons == 2 && first < 4)) return std::nullopt;
  if (colons == 1 && first != 2) return std::nullopt;
  return parse_pci_address(word);
}

/// The first word as the place of a function; false when it is none.
bool take_place(std::string_view word, Header& header) {
  const std::size_t slash = word.rfind('/');
  if (slash == std::string_view::npos) {
    header.address = address_in(word);
    return header.address.has_value();
  }
  // The path from the root port down: -PP with buses, -P without.
  const std::string_view above = word.substr(0, slash);
  header.parent = address_in(above.substr(above.rfind('/') + 1));
  header.address = address_in(word.substr(slash + 1));
  if (header.address) return header.parent.has_value();
  const std::string_view last = word.substr(slash + 1);
  header.parent.reset();
  return last.size() == 4 && last[2] == '.' && address_in(above.substr(0, above.find('/')));
}

/// A class of a newer list than ours.
bool may_be_class(std::string_view text) {
  const bool is_name = !text.empty() && (is_upper(text[0]) || is_digit(text[0]));
  return is_name && text.size() <= 64 && text.find_first_of("_=/'\"") == std::string_view::npos;
}

/// "3D controller: NVIDIA Corporation GH100 (rev a1) (prog-if 00)".
bool take_words(std::string_view text, Header& header) {
  const std::size_t colon = text.find(": ");
  if (colon == std::string_view::npos) return false;
  const std::string_view class_text = trim(text.substr(0, colon));
  const auto class_code = read_class(class_text);
  header.known_class = class_code.has_value();
  header.class_code = class_code.value_or("");
  std::string_view name = trim(text.substr(colon + 2));
  const auto interface = cut_remark(name, "(prog-if ");
  const auto revision = cut_remark(name, "(rev ");
  if (interface && interface->size() >= 2 && !header.class_code.empty())
    header.class_code.replace(6, 2, interface->substr(0, 2));
  header.all_ones = revision == "ff" && (!interface || interface->starts_with("ff"));
  read_device_name(name, header.vendor_id, header.device_id, header.name);
  return header.known_class || (!header.name.empty() && may_be_class(class_text));
}

/// The next word in quotes, which are doubled by a backslash inside.
std::optional<std::string> cut_quoted(std::string_view& text) {
  if (!text.starts_with('"')) return std::nullopt;
  std::string word;
  for (std::size_t at = 1; at < text.size(); ++at) {
    if (text[at] == '"') {
      text = trim(text.substr(at + 1));
      return word;
    }
    if (text[at] == '\\' && at + 1 < text.size()) ++at;
    word.push_back(text[at]);
  }
  return std::nullopt;
}

/// Of -mm: a vendor or a device alone, with or without its number.
std::string cut_id(std::string& name) {
  std::string_view rest = name;
  if (is_id(rest)) return id_of(std::exchange(name, {}));
  const auto inside = cut_bracket(rest);
  if (!inside || !is_id(*inside)) return {};
  std::string id = id_of(*inside);
  name = std::string(rest);
  return id;
}

/// "3D controller" "NVIDIA Corporation" "GH100" -ra1 "NVIDIA Corporation" "Device 16c1".
bool take_quoted(std::string_view text, Header& header) {
  const auto class_text = cut_quoted(text);
  auto vendor = class_text ? cut_quoted(text) : std::nullopt;
  auto device = vendor ? cut_quoted(text) : std::nullopt;
  if (!device) return false;
  const auto class_code = read_class(*class_text);
  if (!class_code) return false;
  header.class_code = *class_code;
  header.known_class = true;
  const std::string vendor_id = cut_id(*vendor), device_id = cut_id(*device);
  read_device_name(fmt::format("{} {}", *vendor, *device), header.vendor_id, header.device_id,
                   header.name);
  if (!vendor_id.empty()) header.vendor_id = vendor_id;
  if (!device_id.empty()) header.device_id = device_id;
  while (text.starts_with('-')) {
    const std::string_view option = text.substr(0, text.find(' '));
    header.all_ones = header.all_ones || option == "-rff";
    if (option.starts_with("-p") && option.size() == 4)
      header.class_code.replace(6, 2, option.substr(2));
    text = trim(text.substr(option.size()));
  }
  return true;
}

}  // namespace

void read_device_name(std::string_view text, std::string& vendor_id, std::string& device_id,
                      std::string& name) {
  text = trim(text);
  if (take_ids(text.substr(0, 9), vendor_id, device_id) && text.size() == 9) return;
  vendor_id.clear();
  device_id.clear();
  std::string_view rest = text;
  const auto inside = cut_bracket(rest);
  if (inside && take_ids(*inside, vendor_id, device_id)) {
    text = rest;
  } else if (inside && is_id(*inside)) {  // a subsystem of the same vendor
    device_id = id_of(*inside);
    text = rest;
  }
  if (vendor_id.empty()) vendor_id = vendor_of_name(text);
  const std::string_view last = text.substr(std::min(text.rfind(' ') + 1, text.size()));
  const std::string_view before = trim(text.substr(0, text.size() - last.size()));
  if (device_id.empty() && is_id(last) &&
      (before.ends_with("Device") || before.ends_with("Unknown device")))
    device_id = id_of(last);
  name = printable(text, kMaxNameBytes);
}

std::optional<std::string> read_class(std::string_view text) {
  if (text.starts_with("Class ")) text.remove_prefix(6);
  const auto code = [](std::string_view digits) { return fmt::format("0x{}00", digits); };
  if (is_id(text)) return code(text);
  std::string_view rest = text;
  const auto inside = cut_bracket(rest);
  if (inside && is_id(*inside) && !rest.empty()) return code(*inside);
  const std::string_view known = class_of_name(text);
  if (known.empty()) return std::nullopt;
  return fmt::format("{}00", known);
}

std::optional<PciAddress> parse_lone_address(std::string_view text) {
  constexpr std::string_view kMarks = " \t=*#:-";
  const std::size_t start = text.find_first_not_of(kMarks);
  if (start == std::string_view::npos) return std::nullopt;
  return address_in(text.substr(start, text.find_last_not_of(kMarks) - start + 1));
}

std::optional<Header> parse_header(std::string_view line) {
  std::string_view text = trim(line);
  if (text.size() < 8) return std::nullopt;
  // A list item, or a line that `grep -n` numbered.
  const std::size_t mark = text.find_first_not_of("*-`# ");
  if (mark == std::string_view::npos) return std::nullopt;
  text.remove_prefix(mark);
  const std::size_t end = text.find_first_of(kBlanks);
  if (end > 128) return std::nullopt;  // or no blank at all
  Header header;
  bool is_place = take_place(text.substr(0, end), header);
  bool numbered = false;
  if (!is_place) {
    const std::size_t digits = text.find_first_not_of("0123456789");
    if (digits == 0 || digits >= end || (text[digits] != ':' && text[digits] != '-'))
      return std::nullopt;
    numbered = true;
    is_place = take_place(text.substr(digits + 1, end - digits - 1), header);
  }
  if (!is_place) return std::nullopt;
  const std::string_view rest = trim(text.substr(end));
  if (!(rest.starts_with('"') ? take_quoted(rest, header) : take_words(rest, header)))
    return std::nullopt;
  if (numbered && !header.known_class) return std::nullopt;
  return header;
}

}  // namespace linkburn::lspci
