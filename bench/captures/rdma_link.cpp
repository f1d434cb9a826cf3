// Which interface is whose port: `rdma link` [iproute2 rdma/link.c] and ibdev2netdev
// [github.com/Mellanox/mlnx-tools, sbin/ibdev2netdev].
#include <algorithm>

#include "bench/base/text.h"
#include "bench/captures/port_text.h"
#include "bench/captures/table.h"

namespace linkburn {
namespace {

using Words = std::vector<std::string_view>;

std::string_view word_after(const Words& words, std::string_view key) {
  const auto found = std::find(words.begin(), words.end(), key);
  return found == words.end() || found + 1 == words.end() ? std::string_view() : found[1];
}

/// "mlx5_0/1", of which old versions write "8/1: mlx5_0/1:".
ComponentId port_named(std::string_view word) {
  if (word.ends_with(':')) word.remove_suffix(1);
  const std::size_t slash = word.rfind('/');
  if (slash == word.npos || slash == 0) return {};
  const auto number = parse_int(word.substr(slash + 1));
  return number && *number >= 0 && *number < 256
             ? ComponentId::port(word.substr(0, slash), static_cast<int>(*number))
             : ComponentId();
}

/// "link mlx5_0/1 state ACTIVE physical_state LINK_UP netdev eth0".
std::optional<Port> rdma_link(std::string_view line) {
  const Words words = words_of(line);
  if (words.size() < 4) return std::nullopt;
  Port port;
  port.component = port_named(words[1]);
  const bool heads = words[0] == "link" || port_named(words[0]) != ComponentId();
  port.state = port_state_word(word_after(words, "state"));
  port.phys_state = physical_state_word(word_after(words, "physical_state"));
  if (!heads || port.component.empty() || port.state.empty() || port.phys_state.empty())
    return std::nullopt;
  port.netdev = printable(word_after(words, "netdev"), 64);
  port.lid = local_id_of(word_after(words, "lid"));
  port.sm_lid = local_id_of(word_after(words, "sm_lid"));
  if (port.lid) port.link_layer = "InfiniBand";  // no other link layer has local ids
  return port;
}

/// "mlx5_0 port 1 ==> eth0 (Up)"; with -v the address stands before it, and the port's state behind
/// its number: "0000:31:00.0 mlx5_0 (MT4123 - MCX653105A) fw 20.31.1014 port 1 (ACTIVE) ==> ...".
std::optional<Port> device_to_interface(std::string_view line) {
  const Words words = words_of(line);
  const auto number = parse_int(word_after(words, "port"));
  const std::string_view netdev = word_after(words, "==>");
  if (!number || *number < 0 || *number > 255 || netdev.empty()) return std::nullopt;
  Port port;
  const auto address = parse_pci_address(words[0]);
  const std::string_view device = address && words.size() > 1 ? words[1] : words[0];
  port.component = ComponentId::port(device, static_cast<int>(*number));
  if (address) port.pci = ComponentId::pci(*address);
  port.netdev = printable(netdev, 64);
  const std::size_t arrow = line.find("==>");
  const std::size_t open = line.substr(0, arrow).rfind('(');
  if (address && open != line.npos)
    port.state = port_state_word(line.substr(open + 1, line.find(')', open) - open - 1));
  return port;
}

std::optional<Port> port_of(std::string_view line) {
  if (line.find(" physical_state ") != line.npos) return rdma_link(line);
  return line.find(" ==> ") != line.npos ? device_to_interface(line) : std::nullopt;
}

class RdmaLinkReader : public PartReader {
 public:
  Take take(std::string_view line) override {
    auto port = port_of(line);
    if (!port) return Take::elsewhere;
    if (ports_.size() < NodeDraft::kMaxItems) ports_.push_back(std::move(*port));
    return Take::understood;
  }

  void finish(NodeDraft& node) override {
    for (Port& port : ports_) node.add(node.ports, std::move(port));
  }

 private:
  std::vector<Port> ports_;
};

bool begins(std::string_view line, std::string_view) { return port_of(line).has_value(); }

std::unique_ptr<PartReader> make() { return std::make_unique<RdmaLinkReader>(); }

}  // namespace

const CaptureKind rdma_link_capture{"rdma_link", "rdma link, ibdev2netdev", begins, make};

}  // namespace linkburn
