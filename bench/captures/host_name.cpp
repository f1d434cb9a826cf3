#include "bench/captures/host_name.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "bench/base/ascii.h"
#include "bench/base/text.h"

namespace linkburn {
namespace {

template <std::size_t N>
bool is_one_of(std::string_view word, const std::array<std::string_view, N>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// What comes with a number and is no host: devices, parts of them, parts of a document.
bool is_numbered_thing(std::string_view stem) {
  static constexpr std::array<std::string_view, 66> kThings{
      "gpu",     "cpu",    "numa",   "eth",   "ib",    "ens",   "enp",   "eno",  "en",     "wlan",
      "bond",    "br",     "vlan",   "mlx",   "hca",   "nvme",  "sd",    "sda",  "md",     "dm",
      "ata",     "usb",    "pci",    "pcie",  "port",  "link",  "lane",  "slot", "socket", "card",
      "device",  "dev",    "rank",   "step",  "part",  "test",  "run",   "case", "iter",   "phase",
      "section", "figure", "table",  "page",  "line",  "level", "gen",   "ver",  "cuda",   "nccl",
      "rtx",     "gtx",    "quadro", "tesla", "gb",    "gh",    "hwmon", "edac", "input",  "loop",
      "tpm",     "rtc",    "hpet",   "irq",   "ixgbe", "file"};
  return is_one_of(stem, kThings);
}

bool is_file_ending(std::string_view label) {
  static constexpr std::array<std::string_view, 14> kEndings{"txt",  "log", "out", "err", "csv",
                                                             "json", "xml", "gz",  "tgz", "bz2",
                                                             "xz",   "zip", "sh",  "py"};
  return is_one_of(label, kEndings) || std::all_of(label.begin(), label.end(), is_digit);
}

/// "node[01-03]" to its names; one name when there are no brackets. False: not a list.
bool expand(std::string_view word, std::vector<std::string>& hosts) {
  const std::size_t open = word.find('[');
  if (open == std::string_view::npos) {
    if (!is_surely_host(word)) return false;
    hosts.emplace_back(word);
    return true;
  }
  const std::size_t close = word.find(']', open);
  if (close == std::string_view::npos) return false;
  const std::string_view before = word.substr(0, open), after = word.substr(close + 1);
  std::string_view ranges = word.substr(open + 1, close - open - 1);
  while (!ranges.empty()) {
    const std::string_view range = ranges.substr(0, ranges.find(','));
    ranges.remove_prefix(std::min(ranges.size(), range.size() + 1));
    const std::string_view first = range.substr(0, range.find('-'));
    const std::string_view last =
        first.size() < range.size() ? range.substr(first.size() + 1) : first;
    const auto low = parse_int(first), high = parse_int(last);
    constexpr std::int64_t kMostNumbers = 65536;
    if (!low || !high || *low < 0 || *high < *low || *high - *low > kMostNumbers) return false;
    for (std::int64_t n = *low; n <= *high && hosts.size() <= kMaxHostsOfList; ++n)
      hosts.push_back(fmt::format("{}{:0{}}{}", before, n, first.size(), after));
  }
  return !hosts.empty() && is_surely_host(hosts.back());
}

/// The place of the comma that ends the first entry: those in brackets belong to it.
std::size_t end_of_entry(std::string_view list) {
  bool inside = false;
  for (std::size_t at = 0; at < list.size(); ++at) {
    if (list[at] == '[') inside = true;
    if (list[at] == ']') inside = false;
    if (list[at] == ',' && !inside) return at;
  }
  return list.size();
}

/// Without the " (12)" that clush adds.
std::string_view without_count(std::string_view list) {
  const std::size_t open = list.rfind(" (");
  if (open == std::string_view::npos || !list.ends_with(')')) return list;
  return parse_int(list.substr(open + 2, list.size() - open - 3)) ? trim(list.substr(0, open))
                                                                  : list;
}

}  // namespace

bool is_host_character(char c) { return is_letter_or_digit(c) || c == '-' || c == '.'; }

bool is_host_name(std::string_view word) {
  if (word.empty() || word.size() > kMaxHostBytes) return false;
  if (!std::all_of(word.begin(), word.end(), is_host_character)) return false;
  if (!is_letter_or_digit(word.front()) || !is_letter_or_digit(word.back())) return false;
  if (std::none_of(word.begin(), word.end(), is_letter)) return false;
  static constexpr std::array<std::string_view, 5> kNobody{"localhost", "none", "unknown",
                                                           "localhost.localdomain", "null"};
  return !is_one_of(lower(word), kNobody);
}

bool is_surely_host(std::string_view word) {
  if (!is_host_name(word) || !is_letter(word.front())) return false;
  if (std::none_of(word.begin(), word.end(), is_digit)) return false;
  const std::size_t stem_end = static_cast<std::size_t>(
      std::find_if_not(word.begin(), word.end(), is_letter) - word.begin());
  const std::string stem = lower(word.substr(0, stem_end));
  const bool is_short = std::all_of(word.begin() + static_cast<std::ptrdiff_t>(stem_end),
                                    word.end(), [](char c) { return is_digit(c) || c == '.'; });
  // "H100", "x16", "v1.2": products, widths and versions have one letter and a number.
  if (is_short && (stem.size() < 2 || is_numbered_thing(stem))) return false;
  if (is_numbered_thing(stem) && word.find('-') == std::string_view::npos) return false;
  const std::size_t dot = word.rfind('.');
  return dot == std::string_view::npos || !is_file_ending(lower(word.substr(dot + 1)));
}

std::vector<std::string> hosts_of_list(std::string_view list) {
  list = without_count(trim(list));
  std::vector<std::string> hosts;
  if (list.size() > 16 * kMaxHostBytes) return {};
  for (std::string_view rest = list; !rest.empty();) {
    const std::size_t end = end_of_entry(rest);
    if (!expand(rest.substr(0, end), hosts)) return {};
    rest.remove_prefix(std::min(rest.size(), end + 1));
    if (hosts.size() > kMaxHostsOfList) return {std::string(list)};
  }
  return hosts;
}

bool is_same_host(std::string_view a, std::string_view b) {
  if (a.size() > b.size()) std::swap(a, b);
  return !a.empty() && b.starts_with(a) && (a.size() == b.size() || b[a.size()] == '.');
}

}  // namespace linkburn
