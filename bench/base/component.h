// Names of things that can be blamed. Every id in evidence, findings and reports is made here.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace linkburn {

/// A PCI function's address. The domain may have more than 16 bits (VMD and hypervisor domains).
struct PciAddress {
  std::uint32_t domain = 0;
  std::uint8_t bus = 0;
  std::uint8_t device = 0;
  std::uint8_t function = 0;
  auto operator<=>(const PciAddress&) const = default;
};

/// "0000:17:00.0", "17:00.0" and NVML's "00000000:17:00.0"; nothing else.
std::optional<PciAddress> parse_pci_address(std::string_view text);

/// Lower case, domain of at least four digits: "0000:17:00.0".
std::string to_string(const PciAddress& address);

/// Stable name of a component within its node:
///   PCI function or link   "0000:17:00.0"  (a link is named by its device end)
///   RDMA port              "mlx5_0/1"
///   network interface      "eth0"
///   GPU without an address "gpu3"  (as its driver counts)
///   PCI function without an address in a capture  "unnamed1"  (in the order in which they stand)
///   memory of a NUMA node  "numa0";  a copy path between two  "numa0->numa1"
///   the node itself        "node"
class ComponentId {
 public:
  ComponentId() = default;
  static ComponentId pci(const PciAddress& address);
  static ComponentId port(std::string_view device, int number);
  static ComponentId interface(std::string_view name);
  static ComponentId gpu(int index);
  static ComponentId unnamed(int number);
  static ComponentId numa(int node);
  static ComponentId numa_path(int from_node, int to_node);
  static ComponentId node();
  /// An id read back from evidence. Any text is taken; control characters are replaced.
  static ComponentId from_evidence(std::string_view text);

  const std::string& text() const { return text_; }
  bool empty() const { return text_.empty(); }
  std::optional<PciAddress> pci_address() const { return parse_pci_address(text_); }
  auto operator<=>(const ComponentId&) const = default;

 private:
  explicit ComponentId(std::string text) : text_(std::move(text)) {}
  std::string text_;
};

}  // namespace linkburn

template <>
struct std::hash<linkburn::ComponentId> {
  std::size_t operator()(const linkburn::ComponentId& id) const noexcept {
    return std::hash<std::string>{}(id.text());
  }
};
