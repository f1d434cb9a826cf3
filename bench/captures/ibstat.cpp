// ibstat: adapters and their ports [rdma-core infiniband-diags/ibstat.c, ca_dump and port_dump].
#include <algorithm>
#include <array>

#include "bench/base/text.h"
#include "bench/captures/port_text.h"
#include "bench/captures/table.h"

namespace linkburn {
namespace {

/// Keys that tell nothing here.
bool is_other_key(std::string_view key) {
  constexpr std::array<std::string_view, 5> kKeys{"Number of ports", "Hardware version", "LMC",
                                                  "Capability mask", "Port GUID"};
  return std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end();
}

/// "CA 'mlx5_0'", and of one port alone "CA: 'mlx5_0'".
bool is_adapter(std::string_view line) {
  line = trim(line);
  return (line.starts_with("CA '") || line.starts_with("CA: '")) && !quoted(line).empty();
}

/// 1 of "Port 1:".
std::optional<int> port_number(std::string_view line) {
  line = trim(line);
  if (!line.starts_with("Port ") || !line.ends_with(':')) return std::nullopt;
  const auto number = parse_int(line.substr(5, line.size() - 6));
  return number && *number >= 0 && *number <= 255 ? std::optional(static_cast<int>(*number))
                                                  : std::nullopt;
}

/// ibstat rounds the rate and leaves out how it comes about. These can only be fewer than four
/// lanes of the first speed that gives as much per lane.
void take_lanes(Port& port) {
  struct Partial {
    double rate_gbps;
    int lanes;
    std::string_view speed;
  };
  constexpr std::array<Partial, 3> kPartial{{{14, 1, "FDR"}, {25, 1, "EDR"}, {28, 2, "FDR"}}};
  if (port.link_layer != "InfiniBand") return;
  for (const Partial& partial : kPartial)
    if (port.rate_gbps == partial.rate_gbps) {
      port.lanes = partial.lanes;
      port.speed_name = partial.speed;
    }
}

class IbstatReader : public PartReader {
 public:
  Take take(std::string_view line) override {
    if (is_adapter(line)) {
      ports_.begin_device(quoted(line));
      return Take::understood;
    }
    if (const auto number = port_number(line)) {
      ports_.begin_port(*number);
      return Take::understood;
    }
    const auto pair = key_value(line);
    return pair ? take_pair(pair->key, pair->value) : Take::elsewhere;
  }

  void finish(NodeDraft& node) override {
    for (Port& port : ports_.all()) take_lanes(port);
    ports_.finish(node);
  }

 private:
  Take take_pair(std::string_view key, std::string_view value) {
    if (key == "CA type") {
      take_type(value);
    } else if (key == "Firmware version") {
      ports_.device().firmware = printable(value, 64);
    } else if (key == "Node GUID") {
      ports_.device().node_guid = guid_text(value);
    } else if (key == "System image GUID") {
      ports_.device().system_image_guid = guid_text(value);
    } else if (!is_other_key(key)) {
      return take_port(key, value);
    }
    return Take::understood;
  }

  Take take_port(std::string_view key, std::string_view value) {
    if (key == "State") {
      const std::string state = port_state_word(value);
      if (!state.empty())
        ports_.port_without(ports_.has_port() && !ports_.port().state.empty()).state = state;
      return state.empty() ? Take::elsewhere : Take::understood;
    }
    if (key == "Physical state") {
      ports_.port().phys_state = physical_state_word(value);
      return ports_.port().phys_state.empty() ? Take::elsewhere : Take::understood;
    }
    if (key == "Rate") return take_rate_number(value);
    if (key == "Base lid") {
      ports_.port().lid = local_id_of(value);
    } else if (key == "SM lid") {
      ports_.port().sm_lid = local_id_of(value);
    } else if (key == "Link layer") {
      ports_.port().link_layer = link_layer_word(value);
    } else {
      return Take::elsewhere;
    }
    return Take::understood;
  }

  /// "200", "40 (FDR10)".
  Take take_rate_number(std::string_view value) {
    const auto rate = leading_number(value);
    if (!rate || *rate <= 0) return Take::not_understood;
    ports_.port().rate_gbps = *rate;
    if (value.find("(FDR10)") != value.npos) ports_.port().speed_name = "FDR10";
    return Take::understood;
  }

  /// "MT4123": the PCI device id of the adapter, in decimal
  /// [linux drivers/infiniband/hw/mlx5/main.c, hca_type_show].
  void take_type(std::string_view value) {
    if (!value.starts_with("MT")) return;
    take_mellanox_id(value.substr(2), ports_.device());
  }

  PortList ports_;
};

bool begins(std::string_view line, std::string_view next) {
  if (is_adapter(line)) return true;
  const auto pair = key_value(line);
  const auto after = key_value(next);
  if (!pair) return false;
  if (port_number(line)) return after && after->key == "State";
  if (pair->key == "State")
    return !port_state_word(pair->value).empty() && after && after->key == "Physical state";
  if (pair->key == "Physical state") return !physical_state_word(pair->value).empty();
  if (pair->key == "CA type") return true;
  return pair->key == "Rate" && leading_number(pair->value) && after && after->key == "Base lid";
}

std::unique_ptr<PartReader> make() { return std::make_unique<IbstatReader>(); }

}  // namespace

const CaptureKind ibstat_capture{"ibstat", "ibstat", begins, make};

}  // namespace linkburn
