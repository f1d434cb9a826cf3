#include "bench/inventory/network.h"

#include <fmt/core.h>

#include <algorithm>

#include "bench/base/text.h"

namespace linkburn {
namespace {

std::optional<ComponentId> last_address_in(const std::string& path) {
  // An interface on USB belongs to its own device, not to the host controller above it.
  if (path.find("/usb") != std::string::npos) return std::nullopt;
  std::optional<PciAddress> last;
  std::size_t at = 0;
  while (at < path.size()) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    if (const auto address = parse_pci_address(path.substr(at, end - at))) last = address;
    at = end + 1;
  }
  return last ? std::optional(ComponentId::pci(*last)) : std::nullopt;
}

}  // namespace

std::string short_text(const DriverFiles& files, const std::string& path, std::size_t max_bytes) {
  const auto text = files(path);
  return text ? printable(trim(*text), max_bytes) : std::string();
}

std::optional<std::int64_t> file_number(const DriverFiles& files, const std::string& path) {
  const auto text = files(path);
  if (!text) return std::nullopt;
  return trim(*text).starts_with("0x") ? parse_int(*text, 16) : parse_int(*text);
}

void add_counter(const DriverFiles& files, const std::string& path, const ComponentId& component,
                 std::string name, std::vector<Counter>& counters) {
  const auto value = file_number(files, path);
  if (!value || *value < 0) return;
  Counter counter;
  counter.component = component;
  counter.name = std::move(name);
  counter.value = *value;
  counters.push_back(std::move(counter));
}

std::optional<ComponentId> pci_of(const Sysroot& folder) {
  // Captures hold class folders as links into the tree of devices, or as folders with a link.
  for (const char* place : {".", "device"})
    if (const auto path = folder.resolve(place))
      if (auto address = last_address_in(*path)) return address;
  return std::nullopt;
}

std::string driver_of(const Sysroot& folder) {
  const auto path = folder.resolve("device/driver");
  return path ? printable(path->substr(path->rfind('/') + 1), 64) : std::string();
}

bool is_suspended(const Sysroot& folder) {
  const auto status = folder.read_line("device/power/runtime_status");
  return status && *status == "suspended";
}

}  // namespace linkburn
