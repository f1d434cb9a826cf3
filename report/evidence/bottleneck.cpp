#include "report/evidence/bottleneck.h"

#include <algorithm>

#include "bench/base/text.h"

namespace linkburn {
namespace {

constexpr int kAllOnesLanes = 63;  // six bits of a register [linux drivers/pci/pci-sysfs.c]

/// Of "8.0 GT/s PCIe x4 link", or "8 GT/s x4 link" as older kernels say.
std::optional<LinkWidth> lanes_in(const std::vector<std::string_view>& words) {
  for (const std::string_view word : words) {
    if (!word.starts_with('x')) continue;
    const auto lanes = parse_int(word.substr(1));
    if (lanes && *lanes > 0 && *lanes < 256) return LinkWidth{static_cast<int>(*lanes)};
  }
  return std::nullopt;
}

}  // namespace

std::optional<Bottleneck> bottleneck_in(std::string_view text) {
  constexpr std::string_view kLimited = "limited by ", kWith = " with ";
  const std::size_t limited = text.find(kLimited), with = text.find(kWith, limited);
  if (limited == std::string_view::npos || with == std::string_view::npos) return std::nullopt;
  const std::size_t begin = limited + kLimited.size();
  const std::string_view link = text.substr(begin, with - std::min(begin, with));
  const std::string_view device = text.substr(with + kWith.size());
  const auto words = words_of(link);
  const auto at = std::find(words.begin(), words.end(), "at");
  if (at == words.end() || at + 1 == words.end()) return std::nullopt;
  const auto port = parse_pci_address(*(at + 1));
  if (!port) return std::nullopt;
  Bottleneck found{ComponentId::pci(*port), parse_link_speed(link),     parse_link_speed(device),
                   lanes_in(words),         lanes_in(words_of(device)), false};
  if (!found.speed && !found.width) return std::nullopt;
  found.all_ones = found.device_width && found.device_width->lanes == kAllOnesLanes;
  return found;
}

}  // namespace linkburn
