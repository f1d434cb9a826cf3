// RDMA ports from /sys/class/infiniband.
#include <fmt/format.h>

#include "bench/base/text.h"
#include "bench/inventory/sources.h"

namespace linkburn {
namespace {

constexpr int kMaxPorts = 256;

/// "4: ACTIVE" and "5: LinkUp": the word after the number [linux drivers/infiniband/core/sysfs.c].
std::string state_word(const Result<std::string>& text) {
  if (!text) return {};
  const std::size_t colon = text->find(':');
  return printable(trim(std::string_view(*text).substr(colon == std::string::npos ? 0 : colon + 1)),
                   64);
}

/// The PCI function that an RDMA device belongs to: the last address in its canonical path.
std::optional<ComponentId> pci_of(const Sysroot& root, const std::string& device_folder) {
  const auto path = root.resolve(device_folder);
  if (!path) return std::nullopt;
  std::optional<PciAddress> last;
  std::size_t at = 0;
  while (at < path->size()) {
    const std::size_t end = std::min(path->find('/', at), path->size());
    if (const auto address = parse_pci_address(path->substr(at, end - at))) last = address;
    at = end + 1;
  }
  return last ? std::optional(ComponentId::pci(*last)) : std::nullopt;
}

Port read_port(const DriverFiles& read, const std::string& folder) {
  Port port;
  port.state = state_word(read(folder + "/state"));
  port.phys_state = state_word(read(folder + "/phys_state"));
  if (const auto layer = read(folder + "/link_layer"))
    port.link_layer = printable(trim(*layer), 32);
  if (const auto rate = read(folder + "/rate")) {
    port.rate_text = printable(trim(*rate), 64);
    port.rate_gbps = leading_number(*rate);
  }
  return port;
}

}  // namespace

std::vector<Port> read_ports(const Sysroot& root, const DriverFiles& driver_files) {
  std::vector<Port> ports;
  const std::string all = "sys/class/infiniband";
  for (const std::string& device : root.list(all).value_or({})) {
    const std::string folder = fmt::format("{}/{}", all, device);
    for (const std::string& number : root.list(folder + "/ports").value_or({})) {
      const auto index = parse_int(number);
      if (!index || *index < 0 || *index > kMaxPorts) continue;
      Port port = read_port(driver_files, fmt::format("{}/ports/{}", folder, number));
      port.component = ComponentId::port(device, static_cast<int>(*index));
      port.pci = pci_of(root, folder);
      ports.push_back(std::move(port));
    }
  }
  return ports;
}

}  // namespace linkburn
