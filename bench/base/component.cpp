#include "bench/base/component.h"

#include <fmt/core.h>

#include <algorithm>

#include "bench/base/ascii.h"
#include "bench/base/text.h"

namespace linkburn {
namespace {

/// An unsigned hexadecimal field of at most `max_digits` digits.
std::optional<std::uint32_t> hex_field(std::string_view text, std::size_t max_digits) {
  if (text.empty() || text.size() > max_digits) return std::nullopt;
  if (!std::all_of(text.begin(), text.end(), is_hex_digit)) return std::nullopt;
  const auto value = parse_int(text, 16);
  return value ? std::optional<std::uint32_t>(static_cast<std::uint32_t>(*value)) : std::nullopt;
}

}  // namespace

std::optional<PciAddress> parse_pci_address(std::string_view text) {
  const std::size_t dot = text.rfind('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const auto function = hex_field(text.substr(dot + 1), 1);
  text = text.substr(0, dot);
  const std::size_t device_colon = text.rfind(':');
  if (device_colon == std::string_view::npos) return std::nullopt;
  const auto device = hex_field(text.substr(device_colon + 1), 2);
  text = text.substr(0, device_colon);
  const std::size_t bus_colon = text.rfind(':');
  const bool has_domain = bus_colon != std::string_view::npos;
  const auto bus = hex_field(has_domain ? text.substr(bus_colon + 1) : text, 2);
  const auto domain = has_domain ? hex_field(text.substr(0, bus_colon), 8) : 0U;
  if (!domain || !bus || !device || !function || *device > 0x1f || *function > 7)
    return std::nullopt;
  return PciAddress{*domain, static_cast<std::uint8_t>(*bus), static_cast<std::uint8_t>(*device),
                    static_cast<std::uint8_t>(*function)};
}

std::string to_string(const PciAddress& address) {
  return fmt::format("{:04x}:{:02x}:{:02x}.{:x}", address.domain, address.bus, address.device,
                     address.function);
}

ComponentId ComponentId::pci(const PciAddress& address) { return ComponentId(to_string(address)); }

ComponentId ComponentId::port(std::string_view device, int number) {
  return ComponentId(fmt::format("{}/{}", printable(device), number));
}

ComponentId ComponentId::interface(std::string_view name) { return from_evidence(name); }

ComponentId ComponentId::numa(int node) { return ComponentId(fmt::format("numa{}", node)); }

ComponentId ComponentId::numa_path(int from_node, int to_node) {
  return ComponentId(fmt::format("numa{}->numa{}", from_node, to_node));
}

ComponentId ComponentId::gpu(int index) { return ComponentId(fmt::format("gpu{}", index)); }

ComponentId ComponentId::unnamed(int number) {
  return ComponentId(fmt::format("unnamed{}", number));
}

ComponentId ComponentId::node() { return ComponentId("node"); }

ComponentId ComponentId::from_evidence(std::string_view text) {
  return ComponentId(printable(text, 256));
}

}  // namespace linkburn
