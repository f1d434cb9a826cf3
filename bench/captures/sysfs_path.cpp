#include "bench/captures/sysfs_path.h"

#include <algorithm>
#include <array>

#include "bench/base/ascii.h"
#include "bench/base/component.h"
#include "bench/base/text.h"

namespace linkburn {
namespace {

constexpr std::size_t kMaxPath = 1024;
constexpr std::size_t kMaxNames = 40;

bool is_name_char(char c) {
  return is_letter_or_digit(c) || c == '_' || c == '-' || c == '.' || c == ',' || c == '@' ||
         c == '+';
}

std::size_t hex_digits(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_hex_digit(text[end])) ++end;
  return end - at;
}

/// Length of "0000:17" with `at` at its start, or 0.
std::size_t domain_and_bus(std::string_view text, std::size_t at) {
  const std::size_t domain = hex_digits(text, at);
  const bool fits = domain >= 4 && domain <= 8 && text.substr(at + domain).starts_with(':');
  return fits && hex_digits(text, at + domain + 1) == 2 ? domain + 3 : 0;
}

/// Length of "0000:17:00.0" with `at` at its start, or 0.
std::size_t address_length(std::string_view text, std::size_t at) {
  const std::size_t bus = domain_and_bus(text, at);
  if (bus == 0 || !text.substr(at + bus).starts_with(':')) return 0;
  const std::size_t device = at + bus + 1;
  const bool fits = hex_digits(text, device) == 2 && text.substr(device + 2).starts_with('.') &&
                    hex_digits(text, device + 3) >= 1;
  return fits ? bus + 5 : 0;
}

/// Length of one name of a path. The only names with colons are those of PCI buses and functions,
/// and of the services of a port: "0000:00:01.0:pcie001".
std::size_t name_length(std::string_view text, std::size_t at) {
  if (text.substr(at).starts_with("pci"))
    if (const std::size_t bus = domain_and_bus(text, at + 3); bus > 0) return bus + 3;
  if (const std::size_t length = address_length(text, at); length > 0) {
    const std::string_view rest = text.substr(at + length);
    if (!rest.starts_with(":pcie")) return length;
    return length + 5 + hex_digits(rest, 5);
  }
  if (const std::size_t bus = domain_and_bus(text, at); bus > 0) return bus;
  std::size_t end = at;
  while (end < text.size() && is_name_char(text[end])) ++end;
  return end - at;
}

/// Names with slashes between them from the start on; nothing when one leads upwards.
std::optional<SysfsPath> path_at_start(std::string_view text) {
  std::size_t at = 0, names = 0;
  std::string path;
  while (at < std::min(text.size(), kMaxPath) && names < kMaxNames) {
    const std::size_t length = name_length(text, at);
    if (length == 0) break;
    const std::string_view name = text.substr(at, length);
    if (name == "..") return std::nullopt;
    if (name != ".") path += (path.empty() ? "" : "/") + std::string(name);
    at += length;
    ++names;
    if (at >= text.size() || text[at] != '/') break;
    while (at < text.size() && text[at] == '/') ++at;
  }
  return SysfsPath{std::move(path), text.substr(at)};
}

bool is_below_port(std::string_view path) {
  const std::size_t device = path.find('/');
  if (device == path.npos || !path.substr(device).starts_with("/ports/")) return false;
  const std::size_t number = device + 7;
  const std::size_t end = path.find('/', number);
  return end != path.npos && parse_int(path.substr(number, end - number)).has_value();
}

std::string_view last_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

bool is_function_folder(std::string_view path) {
  return parse_pci_address(last_name(path)).has_value();
}

bool is_number_file(std::string_view path) {
  constexpr std::array<std::string_view, 14> kNames{"current_link_speed",
                                                    "current_link_width",
                                                    "max_link_speed",
                                                    "max_link_width",
                                                    "class",
                                                    "vendor",
                                                    "device",
                                                    "numa_node",
                                                    "rate",
                                                    "state",
                                                    "phys_state",
                                                    "link_layer",
                                                    "speed",
                                                    "operstate"};
  return std::find(kNames.begin(), kNames.end(), last_name(path)) != kNames.end();
}

std::optional<SysfsPath> sysfs_path(std::string_view text) {
  while (text.starts_with("./")) text.remove_prefix(2);
  const bool is_absolute = text.starts_with("/sys/");
  if (is_absolute) text.remove_prefix(1);
  auto found = path_at_start(text);
  if (!found) return std::nullopt;
  constexpr std::array<std::string_view, 5> kFolders{"sys/bus/", "sys/class/", "sys/devices/",
                                                     "sys/block/", "sys/kernel/"};
  if (std::any_of(kFolders.begin(), kFolders.end(),
                  [&](std::string_view folder) { return found->path.starts_with(folder); }))
    return found;
  const std::size_t slash = found->path.find('/');
  if (is_absolute || slash == std::string::npos || slash + 1 == found->path.size())
    return std::nullopt;
  const std::string_view first = std::string_view(found->path).substr(0, slash);
  if (parse_pci_address(first) && first.size() >= 12)
    found->path.insert(0, "sys/bus/pci/devices/");
  else if (is_below_port(found->path))
    found->path.insert(0, "sys/class/infiniband/");
  else
    return std::nullopt;
  return found;
}

}  // namespace linkburn
