// What the readers of RDMA ports share. Internal to bench/captures.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/captures/draft.h"
#include "bench/captures/key_value.h"

namespace linkburn {

/// "ACTIVE" of "Active", "4: ACTIVE" and "PORT_ACTIVE (4)"; empty for what is no state of a port
/// [linux include/rdma/ib_verbs.h, enum ib_port_state].
std::string port_state_word(std::string_view text);

/// "LinkUp" of "LinkUp", "5: LinkUp" and "LINK_UP (5)"; empty for what is no physical state
/// [linux drivers/infiniband/core/sysfs.c, phys_state_to_str].
std::string physical_state_word(std::string_view text);

/// "InfiniBand" or "Ethernet"; empty for any other text.
std::string link_layer_word(std::string_view text);

/// The number in the last pair of parentheses: 32 of "25.0 Gbps (32)".
std::optional<int> code_in_parentheses(std::string_view text);

/// A local id in either base; nothing for what is none.
std::optional<int> local_id_of(std::string_view text);

/// The number that Mellanox adapters go by, in decimal: the PCI device id.
void take_mellanox_id(std::string_view decimal, Port& port);

/// "0x101b": an id as sysfs writes it; empty for what has more than 16 bits, and for zero.
std::string pci_id_text(std::int64_t id);

/// "0200:0000:0000:0001", as sysfs writes it, of that and of "0x200000000000001"; empty for what is
/// no GUID.
std::string guid_text(std::string_view text);

/// What stands between the first two single quotes; empty when there are none.
std::string_view quoted(std::string_view text);

/// Ports in the order in which a text tells of them. What is said of a device goes to all of its
/// ports that follow. A port whose device is not told has no name yet; where somebody picked lines
/// out, so that no number is told, the ports of a device come in the order of their numbers.
class PortList {
 public:
  void begin_device(std::string_view name);
  void begin_port(int number);

  /// Of the device: kept for its next ports. Of a port: the one at hand.
  Port& device() { return device_; }
  Port& port();
  bool has_port() const { return has_port_; }

  /// A port whose field is known already and comes again is another port: its first lines were cut.
  Port& port_without(bool known_already);

  std::vector<Port>& all() { return ports_; }
  void finish(NodeDraft& node);

 private:
  std::string name_;
  Port device_;
  std::vector<Port> ports_;
  bool has_port_ = false;
  int unnumbered_ = 0;     ///< ports of the device at hand whose number is not told
  bool numbered_ = false;  ///< the number of one of its ports is told
};

}  // namespace linkburn
