// ibv_devinfo, with and without -v, and ibv_devices [rdma-core libibverbs/examples/devinfo.c and
// device_list.c].
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "bench/base/text.h"
#include "bench/captures/port_text.h"
#include "bench/captures/table.h"

namespace linkburn {
namespace {

constexpr int kMaxGids = 4096;  // tables have 256 entries today

/// Codes of active_speed, and what one lane carries by name
/// [rdma-core libibverbs/examples/devinfo.c, speed_str; linux include/rdma/ib_verbs.h, enum
/// ib_port_speed].
struct LaneSpeed {
  int code;
  double gbps;
  std::string_view name;
};
constexpr std::array kLaneSpeeds{
    LaneSpeed{1, 2.5, "SDR"},  LaneSpeed{2, 5, "DDR"},     LaneSpeed{4, 10, "QDR"},
    LaneSpeed{8, 10, "FDR10"}, LaneSpeed{16, 14, "FDR"},   LaneSpeed{32, 25, "EDR"},
    LaneSpeed{64, 50, "HDR"},  LaneSpeed{128, 100, "NDR"}, LaneSpeed{256, 200, "XDR"}};

/// "25.0 Gbps (32)": by its code, else by a number that only one speed has.
std::optional<LaneSpeed> lane_speed(std::string_view text) {
  const auto code = code_in_parentheses(text);
  const auto gbps = leading_number(text);
  for (const LaneSpeed& speed : kLaneSpeeds)
    if (code ? speed.code == *code : gbps == speed.gbps) {
      const bool two_names = !code && speed.gbps == 10;
      return two_names ? LaneSpeed{0, speed.gbps, {}} : speed;
    }
  return std::nullopt;
}

/// 4 of "4X (2)". The code goes first: old tools write "invalid widthX (16)" of two lanes.
std::optional<int> lanes_of(std::string_view text) {
  constexpr std::array<std::pair<int, int>, 5> kWidths{{{1, 1}, {2, 4}, {4, 8}, {8, 12}, {16, 2}}};
  if (const auto code = code_in_parentheses(text)) {
    for (const auto& [known, lanes] : kWidths)
      if (known == *code) return lanes;
    return std::nullopt;
  }
  const std::size_t mark = text.find('X');
  const auto lanes = parse_int(text.substr(0, mark));
  return mark != text.npos && lanes && *lanes > 0 && *lanes <= 12
             ? std::optional(static_cast<int>(*lanes))
             : std::nullopt;
}

/// 3 of "GID[  3]".
std::optional<int> gid_index(std::string_view key) {
  if (!key.starts_with("GID[") || !key.ends_with(']')) return std::nullopt;
  const auto index = parse_int(key.substr(4, key.size() - 5));
  return index && *index >= 0 && *index < kMaxGids ? std::optional(static_cast<int>(*index))
                                                   : std::nullopt;
}

/// "fe80::200:ff:fe00:1, RoCE v2".
Gid gid_of(int index, std::string_view value) {
  const std::size_t comma = value.find(',');
  Gid gid{index, printable(trim(value.substr(0, comma)), 64), {}, {}};
  if (comma == value.npos) return gid;
  const std::string_view rest = value.substr(comma + 1);
  gid.type = printable(trim(rest.substr(0, rest.find(','))), 32);
  return gid;
}

/// Vendors' numbers are PCI ids, and with some their IEEE ones: Mellanox and Cornelis
/// [linux drivers/infiniband/hw/mlx5/main.c; sw/rxe/rxe.c; sw/siw/siw.h; hw/hfi1/chip.c].
void take_vendor(std::string_view value, Port& device) {
  constexpr std::int64_t kMellanox = 0x02c9, kOmniPath = 0x1175;
  constexpr std::int64_t kSoftRoce = 0xffffff, kSoftIwarp = 0x626d74;
  const std::int64_t id = parse_int(value, 16).value_or(0);
  if (id == kSoftRoce) device.driver = "rxe";
  if (id == kSoftIwarp) device.driver = "siw";
  device.vendor_id = pci_id_text(id == kMellanox ? 0x15b3 : id == kOmniPath ? 0x8086 : id);
}

bool is_other_key(std::string_view key) {
  constexpr std::array<std::string_view, 23> kKeys{
      "transport",       "hw_ver",           "phys_port_cnt",    "max_mtu",
      "active_mtu",      "port_lmc",         "max_msg_sz",       "port_cap_flags",
      "port_cap_flags2", "max_vl_num",       "bad_pkey_cntr",    "qkey_viol_cntr",
      "sm_sl",           "pkey_tbl_len",     "gid_tbl_len",      "subnet_timeout",
      "init_type_reply", "page_size_cap",    "device_cap_flags", "device_cap_flags_ex",
      "atomic_cap",      "num_comp_vectors", "hca_core_clock"};
  return key.starts_with("max_") || std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end();
}

class IbvDevinfoReader : public PartReader {
 public:
  Take take(std::string_view line) override {
    const auto pair = key_value(line);
    // Lists of capabilities, and words on them.
    const bool in_list = in_verbose_ && !ports_.has_port() && line.starts_with("\t");
    if (!pair) return in_list || is_list_line(line) ? Take::understood : Take::elsewhere;
    if (take_device(pair->key, pair->value)) return Take::understood;
    if (const auto index = gid_index(pair->key)) return take_gid(*index, pair->value);
    const Take taken = take_port(pair->key, pair->value);
    return taken == Take::elsewhere && in_list ? Take::understood : taken;
  }

  void finish(NodeDraft& node) override { ports_.finish(node); }

 private:
  /// A heading and rows of ibv_devices, which tell no more than names.
  static bool is_list_line(std::string_view line) {
    const auto words = words_of(line);
    if (words.size() == 3) return words[0] == "device" && words[1] == "node" && words[2] == "GUID";
    constexpr std::size_t kGuidDigits = 16;
    return words.size() == 2 && words[1].size() == kGuidDigits &&
           (words[1].find_first_not_of('-') == words[1].npos ||
            words[1].find_first_not_of("0123456789abcdef") == words[1].npos);
  }

  bool take_device(std::string_view key, std::string_view value) {
    Port& device = ports_.device();
    if (key == "hca_id") {
      ports_.begin_device(value);
      in_verbose_ = false;
    } else if (key == "fw_ver") {
      device.firmware = printable(value, 64);
    } else if (key == "node_guid") {
      device.node_guid = guid_text(value);
    } else if (key == "sys_image_guid") {
      device.system_image_guid = guid_text(value);
    } else if (key == "vendor_id") {
      take_vendor(value, device);
    } else if (key == "vendor_part_id") {
      device.device_id = pci_id_text(parse_int(value).value_or(0));
    } else if (key == "board_id") {
      device.board_id = printable(value, 64);
    } else {
      return false;
    }
    return true;
  }

  Take take_port(std::string_view key, std::string_view value) {
    if (key == "port") {
      const auto number = leading_number(value);
      if (!number) return Take::elsewhere;
      ports_.begin_port(*number >= 0 && *number < 256 ? static_cast<int>(*number) : -1);
      whole_ = true;
    } else if (key == "state") {
      const std::string state = port_state_word(value);
      if (state.empty()) return Take::elsewhere;
      fresh(ports_.has_port() && !ports_.port().state.empty()).state = state;
    } else if (key == "phys_state") {
      const std::string state = physical_state_word(value);
      if (state.empty()) return Take::not_understood;
      fresh(ports_.has_port() && !ports_.port().phys_state.empty()).phys_state = state;
    } else if (key == "sm_lid") {
      ports_.port().sm_lid = local_id_of(value);
    } else if (key == "port_lid") {
      ports_.port().lid = local_id_of(value);
    } else if (key == "link_layer") {
      ports_.port().link_layer = link_layer_word(value);
    } else if (key == "active_width") {
      ports_.port().lanes = lanes_of(value);
    } else if (key.starts_with("active_speed")) {
      return take_speed(value);
    } else {
      return take_rest(key);
    }
    return Take::understood;
  }

  /// Of -v: capabilities, and their list in words.
  Take take_rest(std::string_view key) {
    if (is_other_key(key)) return in_verbose_ = true, Take::understood;
    const bool in_list = in_verbose_ && key.find('_') != key.npos;
    return in_list ? Take::understood : Take::elsewhere;
  }

  /// Lanes stand before it. A code of zero says that the other line holds.
  Take take_speed(std::string_view value) {
    const auto speed = lane_speed(value);
    if (!speed) return code_in_parentheses(value) == 0 ? Take::understood : Take::not_understood;
    Port& port = ports_.port();
    port.speed_name = speed->name;
    if (!port.lanes) return Take::understood;
    port.rate_gbps = *port.lanes * speed->gbps;
    port.rate_text = fmt::format("{:g} Gb/sec ({}X{}{})", *port.rate_gbps, *port.lanes,
                                 speed->name.empty() ? "" : " ", speed->name);
    return Take::understood;
  }

  Take take_gid(int index, std::string_view value) {
    const bool known = ports_.has_port() && !ports_.port().gids.empty() &&
                       ports_.port().gids.back().index >= index;
    Port& port = fresh(known);
    if (++gids_ <= NodeDraft::kMaxItems) port.gids.push_back(gid_of(index, value));
    port.gids_read = whole_;
    return Take::understood;
  }

  /// What was known and comes again is of another port, whose first lines were cut.
  Port& fresh(bool known_already) {
    if (known_already) whole_ = false;
    return ports_.port_without(known_already);
  }

  PortList ports_;
  std::size_t gids_ = 0;
  bool whole_ = false;       ///< the port at hand is known from its first line on
  bool in_verbose_ = false;  ///< lines of -v came
};

bool begins(std::string_view line, std::string_view next) {
  const auto pair = key_value(line);
  if (!pair) {
    const auto words = words_of(line);
    return words.size() == 3 && words[0] == "device" && words[1] == "node" && words[2] == "GUID";
  }
  const auto after = key_value(next);
  if (pair->key == "port") return after && after->key == "state" && leading_number(pair->value);
  if (pair->key == "state") return pair->value.starts_with("PORT_");
  if (pair->key == "phys_state") return !physical_state_word(pair->value).empty();
  if (pair->key == "active_width") return lanes_of(pair->value).has_value();
  if (pair->key == "active_speed") return lane_speed(pair->value).has_value();
  constexpr std::array<std::string_view, 4> kOnlyHere{"hca_id", "vendor_part_id", "phys_port_cnt",
                                                      "sys_image_guid"};
  return gid_index(pair->key) ||
         std::find(kOnlyHere.begin(), kOnlyHere.end(), pair->key) != kOnlyHere.end();
}

std::unique_ptr<PartReader> make() { return std::make_unique<IbvDevinfoReader>(); }

}  // namespace

const CaptureKind ibv_devinfo_capture{"ibv_devinfo", "ibv_devinfo -v", begins, make};

}  // namespace linkburn
