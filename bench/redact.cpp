#include "bench/redact.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "bench/base/ascii.h"
#include "bench/base/component.h"
#include "bench/base/text.h"
#include "bench/redact_addresses.h"
#include "bench/redact_tables.h"
#include "bench/sensors/kernel_lines.h"

namespace linkburn {
namespace {

constexpr std::size_t kShortestWord = 5;    // shorter serials are replaced only in their place
constexpr std::size_t kShortestDigits = 8;  // and so are shorter ones of digits alone
constexpr std::string_view kPlainName = "host-";  // of host names

/// Files that hold one serial number or unique id.
constexpr std::array<std::string_view, 14> kSerialFiles{
    "serial",          "serial_number", "product_serial",    "board_serial", "chassis_serial",
    "board_asset_tag", "wwid",          "chassis_asset_tag", "nguid",        "eui",
    "unique_id",       "subsysnqn",     "serial_num",        "vpd_pg80"};
/// Files with numbers of versions, which look like addresses.
constexpr std::array<std::string_view, 4> kVersionFiles{"fw_ver", "firmware_rev", "version",
                                                        "hw_rev"};

template <class Names>
bool is_one_of(std::string_view path, const Names& names) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Replaces `from` where it stands as a word of its own.
void replace_word(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
    const std::size_t end = at + from.size();
    const bool whole = (at == 0 || !is_letter_or_digit(text[at - 1])) &&
                       (end == text.size() || !is_letter_or_digit(text[end]));
    if (whole) text.replace(at, from.size(), to);
    at += whole ? to.size() : 1;
  }
}

/// What stands for the names and numbers of one node.
class Redactor {
 public:
  ReadRecord apply(const ReadRecord& record);

 private:
  void learn_host(const ReadRecord& record);
  std::string alias_of(const std::string& serial);
  std::string first_pass(const std::string& path, const std::string& whole);
  std::string second_pass(const std::string& path, std::string bytes) const;
  std::string ethtool_text(std::string_view text);
  std::string serial_lines(std::string_view text);

  AddressAliases addresses_;
  std::map<std::string, std::string> serials_;  ///< of the same length
  std::map<std::string, std::string> hosts_;    ///< of the same length
};

/// Free text can hold the host's name; attribute files of the kernel cannot, and a host may be
/// called "node1" as well as a memory node.
bool can_name_host(std::string_view path) {
  return !path.starts_with("sys/") || path.find("/dmi/") != std::string_view::npos ||
         path.ends_with("/node_desc");
}

std::string padded(std::string_view start, std::size_t number, std::size_t length) {
  std::string digits = std::to_string(number);
  std::string text(start.substr(0, length > digits.size() ? length - digits.size() : 0));
  while (text.size() + digits.size() < length) text += '0';
  return (text + digits).substr(0, length);
}

void Redactor::learn_host(const ReadRecord& record) {
  const auto found = record.files().find("proc/sys/kernel/hostname");
  if (found == record.files().end()) return;
  const std::string name(trim(found->second));
  const std::size_t dot = name.find('.');
  const std::string label = name.substr(0, dot);
  if (label.empty() || name == "(none)" || label == "localhost") return;
  hosts_[label] = padded(kPlainName, 1, label.size());
  const std::string domain = dot == std::string::npos ? "" : name.substr(dot + 1);
  if (domain.empty()) return;
  std::string other = domain;
  for (char& c : other)
    if (is_letter_or_digit(c)) c = 'x';
  hosts_[domain] = other;
}

/// Words without a digit, and rows of one character, stand for "none" in their many spellings.
bool is_serial(const std::string& text) {
  const bool varied = std::any_of(text.begin(), text.end(), [&](char c) { return c != text[0]; });
  return varied && std::any_of(text.begin(), text.end(), is_digit);
}

std::string Redactor::alias_of(const std::string& serial) {
  if (!is_serial(serial)) return serial;
  return serials_.try_emplace(serial, padded("R", serials_.size() + 1, serial.size()))
      .first->second;
}

/// The end of "serial number" in its spellings, if `lower` has one at `at`, where it has "serial".
/// The word alone has to be followed by a mark: "serial: X", not "serial console".
std::optional<std::size_t> end_of_keyword(std::string_view lower, std::size_t at) {
  at += std::string_view("serial").size();
  for (const std::string_view rest : {" number", "_number", "number", " no.", "_no"})
    if (lower.substr(at).starts_with(rest)) return at + rest.size();
  const std::size_t mark = lower.find_first_not_of(' ', at);
  const bool marked = mark != std::string_view::npos && (lower[mark] == ':' || lower[mark] == '=');
  return marked ? std::optional(mark) : std::nullopt;
}

/// "module serial: MT2112X07777" in the kernel log and elsewhere: the word behind "serial".
std::string Redactor::serial_lines(std::string_view text) {
  std::string out(text);
  const std::string small = lower(text);
  for (std::size_t at = small.find("serial"); at != std::string::npos;
       at = small.find("serial", at + 1)) {
    const auto keyword_end = end_of_keyword(small, at);
    if (!keyword_end) continue;
    const std::size_t start = out.find_first_not_of(" \t:=\"", *keyword_end);
    if (start == std::string::npos) continue;
    const std::size_t end = std::min(out.find_first_of(" \t\n\",;)]/", start), out.size());
    const std::string word = out.substr(start, end - start);
    if (word.size() < kShortestWord || parse_pci_address(word)) continue;
    out.replace(start, word.size(), alias_of(word));
  }
  return out;
}

/// Of the kernel log only what concerns links, and what is no record of it: other lines tell of
/// users, programs and other hosts. Their records stay, without their texts, so that none is
/// missed.
std::string link_records(std::string_view log) {
  std::string out, record;
  const auto finish = [&] {
    const auto parsed = parse_kmsg(record);
    const bool keep = !parsed || topic_of(*parsed);
    out += keep ? record : record.substr(0, record.find(';') + 1) + "(left out)\n";
    record.clear();
  };
  for (const std::string_view line : lines_of(log)) {
    if (!line.starts_with(' ') && !record.empty()) finish();
    record.append(line).append("\n");
  }
  if (!record.empty()) finish();
  if (!log.ends_with('\n')) out.resize(out.size() - std::min<std::size_t>(out.size(), 1));
  return out;
}

/// The same of what dmesg printed.
std::string link_lines(std::string_view log) {
  std::string out;
  for (const std::string_view line : lines_of(log))
    if (topic_of(parse_dmesg(line))) out.append(line).append("\n");
  return out;
}

std::string Redactor::ethtool_text(std::string_view text) {
  constexpr std::string_view kMemory = "module.lower = ";
  const std::size_t lower = text.find(kMemory);
  const int identifier =
      lower == std::string_view::npos
          ? 0
          : static_cast<int>(parse_int(text.substr(lower + kMemory.size(), 2), 16).value_or(0));
  const auto alias = [this](const std::string& serial) { return alias_of(serial); };
  std::string out;
  for (const std::string_view line : lines_of(text)) {
    out += line.starts_with("module.") && line.find(".error") == std::string_view::npos
               ? redact_module_line(std::string(line), identifier, alias)
               : addresses_.replace_addresses(line);
    out += '\n';
  }
  return out;
}

/// Replaces what its place or its form gives away, and remembers it.
std::string Redactor::first_pass(const std::string& path, const std::string& whole) {
  const std::string bytes = path == "linkburn/kmsg"   ? link_records(whole)
                            : path == "var/log/dmesg" ? link_lines(whole)
                                                      : whole;
  const auto alias = [this](const std::string& serial) { return alias_of(serial); };
  if (path == "sys/firmware/dmi/tables/DMI") return redact_smbios(bytes, addresses_, alias);
  if (path.starts_with("sys/firmware/dmi/")) return bytes;
  if (path.ends_with("/config")) return redact_config(bytes, addresses_);
  if (path.starts_with("linkburn/ethtool/")) return ethtool_text(bytes);
  std::string text = addresses_.replace_addresses(bytes, !is_one_of(path, kVersionFiles));
  if (is_one_of(path, kSerialFiles)) {
    const std::string serial(trim(text));
    if (text == bytes && !serial.empty())
      text.replace(text.find(serial), serial.size(), alias(serial));
    return text;
  }
  return path.starts_with("sys/") ? text : serial_lines(text);
}

/// Replaces what is known by now wherever else it stands.
std::string Redactor::second_pass(const std::string& path, std::string bytes) const {
  if (path.ends_with("/config")) return bytes;
  for (const auto& [from, to] : serials_) {
    const bool digits = std::all_of(from.begin(), from.end(), is_digit);
    if (from.size() >= (digits ? kShortestDigits : kShortestWord)) replace_word(bytes, from, to);
  }
  if (can_name_host(path))
    for (const auto& [from, to] : hosts_) replace_word(bytes, from, to);
  return addresses_.replace_bare(bytes);
}

ReadRecord Redactor::apply(const ReadRecord& record) {
  learn_host(record);
  std::map<std::string, std::string> files;
  for (const auto& [path, bytes] : record.files()) files[path] = first_pass(path, bytes);
  const auto name = [this](const std::string& path) { return addresses_.replace_bare(path); };
  ReadRecord out;
  for (auto& [path, bytes] : files) out.file(name(path), second_pass(path, std::move(bytes)));
  for (const std::string& path : record.folders()) out.folder(name(path));
  for (const auto& [path, target] : record.links()) out.link(name(path), name(target));
  for (const std::string& path : record.bare_names()) out.seen(name(path));
  for (const auto& [path, error] : record.errors()) out.error(name(path), error);
  return out;
}

}  // namespace

ReadRecord redacted(const ReadRecord& record) { return Redactor().apply(record); }

}  // namespace linkburn
