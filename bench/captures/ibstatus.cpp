// ibstatus: the files of each RDMA port, with the kernel's words
// [rdma-core infiniband-diags/scripts/ibstatus].
#include "bench/base/text.h"
#include "bench/captures/port_text.h"
#include "bench/captures/table.h"
#include "bench/inventory/network.h"

namespace linkburn {
namespace {

/// "Infiniband device 'mlx5_0' port 1 status:".
bool is_header(std::string_view line) {
  line = trim(line);
  return line.starts_with("Infiniband device '") && line.find(" port ") != line.npos;
}

bool is_rate(std::string_view value) {
  return leading_number(value) && value.find("Gb/sec (") != value.npos;
}

class IbstatusReader : public PartReader {
 public:
  Take take(std::string_view line) override {
    if (is_header(line)) {
      ports_.begin_device(quoted(line));
      const std::string_view rest = line.substr(line.find(" port ") + 6);
      const auto number = leading_number(rest);
      ports_.begin_port(number && *number >= 0 && *number < 256 ? static_cast<int>(*number) : -1);
      return Take::understood;
    }
    const auto pair = key_value(line);
    return pair ? take_pair(pair->key, pair->value) : Take::elsewhere;
  }

  void finish(NodeDraft& node) override { ports_.finish(node); }

 private:
  Take take_pair(std::string_view key, std::string_view value) {
    if (key == "state") {
      const std::string state = port_state_word(value);
      if (state.empty()) return Take::elsewhere;
      ports_.port_without(ports_.has_port() && !ports_.port().state.empty()).state = state;
    } else if (key == "phys state") {
      ports_.port().phys_state = physical_state_word(value);
      if (ports_.port().phys_state.empty()) return Take::not_understood;
    } else if (key == "rate") {
      if (!is_rate(value)) return Take::not_understood;
      take_rate(printable(value, 64), ports_.port());
    } else if (key == "base lid") {
      ports_.port().lid = local_id_of(value);
    } else if (key == "sm lid") {
      ports_.port().sm_lid = local_id_of(value);
    } else if (key == "link_layer") {
      ports_.port().link_layer = link_layer_word(value);
    } else if (key != "default gid") {
      return Take::elsewhere;
    }
    return Take::understood;
  }

  PortList ports_;
};

bool begins(std::string_view line, std::string_view) {
  if (is_header(line)) return true;
  const auto pair = key_value(line);
  if (!pair) return false;
  if (pair->key == "phys state") return !physical_state_word(pair->value).empty();
  // The kernel's form with the number: tools of other kinds write states in words alone.
  if (pair->key == "state")
    return !pair->value.empty() && pair->value.front() >= '1' && pair->value.front() <= '5' &&
           !port_state_word(pair->value).empty();
  return pair->key == "default gid" || (pair->key == "rate" && is_rate(pair->value));
}

std::unique_ptr<PartReader> make() { return std::make_unique<IbstatusReader>(); }

}  // namespace

const CaptureKind ibstatus_capture{"ibstatus", "ibstatus", begins, make};

}  // namespace linkburn
