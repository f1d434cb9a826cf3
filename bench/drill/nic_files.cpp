// [linux Documentation/ABI/stable/sysfs-class-infiniband,
// Documentation/ABI/testing/sysfs-class-net; drivers/infiniband/core/sysfs.c]
#include "bench/drill/nic_files.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "bench/drill/function_files.h"

namespace linkburn::drill {
namespace {

const Function& function_of(const State& state, int nic) {
  return state
      .functions[static_cast<std::size_t>(state.nics[static_cast<std::size_t>(nic)].function)];
}

/// Locally administered, so that it is nobody's: the place of the function makes it unique.
std::string mac_of(const Function& function) {
  return fmt::format("02:1b:{:02x}:{:02x}:{:02x}:{:02x}", function.domain & 0xffU, function.bus,
                     function.slot, function.function);
}

/// "021b:0003:0017:0000": the address with two bytes in its middle, as adapters make their GUIDs.
std::string guid_of(const std::string& mac) {
  const auto octet = [&](std::size_t n) { return mac.substr(n * 3, 2); };
  return fmt::format("{}{}:{}03:00{}:{}{}", octet(0), octet(1), octet(2), octet(3), octet(4),
                     octet(5));
}

/// [RFC 4291, appendix A]
std::string link_local_of(const std::string& mac) {
  const auto octet = [&](std::size_t n) { return mac.substr(n * 3, 2); };
  return fmt::format("fe80:0000:0000:0000:00{}:{}ff:fe{}:{}{}", octet(1), octet(2), octet(3),
                     octet(4), octet(5));
}

/// An IPv4 address of this adapter in the form that GID tables have.
std::string mapped_address_of(const Function& function) {
  return fmt::format("0000:0000:0000:0000:0000:ffff:0a1b:{:02x}{:02x}", function.bus,
                     function.slot + 1);
}

/// Adapters of which the product is known, so that a port has a rate that it should run at
/// (report/ratings/products.toml). Of others only their equals and their link modes tell.
std::string board_of(const Nic& nic, const Function& function) {
  struct Board {
    int gbps, gen, width;  ///< gen 0: of any link
    const char* id;
  };
  constexpr std::array kBoards{Board{400, 5, 16, "MT_0000000838"},
                               Board{200, 5, 16, "MT_0000000834"},
                               Board{200, 4, 16, "MT_0000000223"},
                               Board{100, 0, 0, "MT_0000000237"}, Board{25, 4, 8, "MT_0000000575"}};
  for (const Board& board : kBoards)
    if (std::lround(nic.rated_gbps) == board.gbps &&
        (board.gen == 0 || (function.cap_gen == board.gen && function.cap_width == board.width)))
      return board.id;
  return "DRILL";
}

/// What a rate is called [linux drivers/infiniband/core/sysfs.c, rate_show].
std::string rate_text(std::int64_t mbps) {
  struct Rate {
    std::int64_t mbps;
    const char* lanes;
  };
  constexpr std::array kRates{
      Rate{2500, "1X SDR"},   Rate{10000, "4X SDR"},  Rate{14000, "1X FDR"},
      Rate{20000, "4X DDR"},  Rate{25000, "1X EDR"},  Rate{40000, "4X QDR"},
      Rate{50000, "1X HDR"},  Rate{56000, "4X FDR"},  Rate{100000, "4X EDR"},
      Rate{200000, "4X HDR"}, Rate{400000, "4X NDR"}, Rate{800000, "4X XDR"}};
  const char* lanes = "4X";
  for (const Rate& rate : kRates)
    if (rate.mbps == mbps) lanes = rate.lanes;
  return fmt::format("{:g} Gb/sec ({})", static_cast<double>(mbps) / 1000, lanes);
}

/// The copper modes up to a rate, the fastest first.
std::string modes_up_to(double gbps) {
  struct Mode {
    int gbps;
    const char* name;
  };
  constexpr std::array kModes{Mode{800, "800000baseCR8/Full"}, Mode{400, "400000baseCR4/Full"},
                              Mode{200, "200000baseCR4/Full"}, Mode{100, "100000baseCR4/Full"},
                              Mode{50, "50000baseCR2/Full"},   Mode{40, "40000baseCR4/Full"},
                              Mode{25, "25000baseCR/Full"},    Mode{10, "10000baseCR/Full"}};
  std::string modes;
  for (const Mode& mode : kModes)
    if (mode.gbps <= gbps) modes += fmt::format("{}{}", modes.empty() ? "" : " ", mode.name);
  return modes;
}

MonitorPlace monitor_place(const State& state, int nic, int monitor) {
  constexpr double kCritical = 105;
  const Function& function = function_of(state, nic);
  const bool mellanox = function.vendor == 0x15b3;
  return {monitor,
          folder_of(state, state.nics[static_cast<std::size_t>(nic)].function),
          mellanox ? "mlx5" : function.driver.data(),
          "asic",
          {},
          kCritical};
}

}  // namespace

NicFiles::NicFiles(TreeFiles& files, const State& state, int nic, int monitor)
    : nic_(nic),
      function_(state.nics[static_cast<std::size_t>(nic)].function),
      infiniband_(state.nics[static_cast<std::size_t>(nic)].infiniband),
      mac_(mac_of(function_of(state, nic))),
      monitor_(files, monitor_place(state, nic, monitor)) {
  const Nic& own = state.nics[static_cast<std::size_t>(nic)];
  const Function& function = function_of(state, nic);
  const std::string folder = folder_of(state, function_);
  const std::string device = fmt::format("{}/infiniband/{}", folder, own.name.data());
  files.link(fmt::format("sys/class/infiniband/{}", own.name.data()), "../../" + device.substr(4));
  files.link(device + "/device", "../..");
  files.file(device + "/node_guid", guid_of(mac_));
  files.file(device + "/sys_image_guid", guid_of(mac_));
  files.file(device + "/board_id", board_of(own, function));
  files.file(device + "/fw_ver", "28.39.1002");
  files.file(device + "/node_type", "1: CA");
  write_port(files, own, device);
  if (!infiniband_) {
    const std::string gid = mapped_address_of(function);
    for (const char* number : {"2", "3"})
      files.file(fmt::format("{}/ports/1/gids/{}", device, number), gid);
    write_interface(files, own, folder);
  }
  show(files, state);
}

void NicFiles::write_port(TreeFiles& files, const Nic& nic, const std::string& device) {
  const std::string port = device + "/ports/1";
  files.file(port + "/link_layer", infiniband_ ? "InfiniBand" : "Ethernet");
  const auto attribute = [&](const char* kind, std::size_t number, std::string_view text) {
    files.file(fmt::format("{}/gid_attrs/{}/{}", port, kind, number), text);
  };
  if (infiniband_) {
    files.file(port + "/gids/0", "fe80:0000:0000:0000:" + guid_of(mac_));
    attribute("types", 0, "IB/RoCE v1");
  } else {
    for (const char* number : {"0", "1"})
      files.file(fmt::format("{}/gids/{}", port, number), link_local_of(mac_));
    constexpr std::array kTypes{"IB/RoCE v1", "RoCE v2", "IB/RoCE v1", "RoCE v2"};
    for (std::size_t i = 0; i < kTypes.size(); ++i) {
      attribute("types", i, kTypes[i]);
      attribute("ndevs", i, nic.interface_name.data());
    }
  }
  for (const char* name : {"symbol_error", "link_error_recovery", "port_rcv_errors",
                           "port_xmit_discards", "local_link_integrity_errors"})
    files.file(fmt::format("{}/counters/{}", port, name), "0");
  for (const char* name : {"out_of_sequence", "packet_seq_err", "local_ack_timeout_err"})
    files.file(fmt::format("{}/hw_counters/{}", port, name), "0");
  state_ = files.live(port + "/state"), phys_state_ = files.live(port + "/phys_state");
  rate_ = files.live(port + "/rate");
  lid_ = files.live(port + "/lid"), sm_lid_ = files.live(port + "/sm_lid");
  link_downed_ = files.live(port + "/counters/link_downed");
}

void NicFiles::write_interface(TreeFiles& files, const Nic& nic, const std::string& device) {
  const std::string name = nic.interface_name.data();
  const std::string folder = fmt::format("{}/net/{}", device, name);
  files.link("sys/class/net/" + name, "../../" + folder.substr(4));
  files.link(folder + "/device", "../..");
  const auto put = [&](const char* file, std::string_view text) {
    files.file(fmt::format("{}/{}", folder, file), text);
  };
  put("address", mac_);
  put("duplex", "full"), put("mtu", "9000"), put("flags", "0x1003");
  put("type", "1"), put("dev_port", "0");
  put("statistics/rx_errors", "0"), put("statistics/rx_crc_errors", "0");
  put("statistics/tx_errors", "0");
  const std::string modes = modes_up_to(nic.rated_gbps);
  files.file("linkburn/ethtool/" + name,
             fmt::format("source = netlink\nsupported = {0}\nadvertised = {0}\npartner = {0}\n"
                         "autonegotiation = on\nduplex = Full",
                         modes));
  const auto live = [&](const char* file) {
    return files.live(fmt::format("{}/{}", folder, file));
  };
  operstate_ = live("operstate"), carrier_ = live("carrier"), speed_ = live("speed");
  changes_ = live("carrier_changes");
  up_count_ = live("carrier_up_count"), down_count_ = live("carrier_down_count");
}

void NicFiles::show(TreeFiles& files, const State& state) {
  const Nic& own = state.nics[static_cast<std::size_t>(nic_)];
  Shown now;
  now.answers = !is_out_of_reach(state, function_);
  now.up = own.up && now.answers;
  now.rate_mbps = std::lround(own.rate_gbps * 1000);
  now.thousandths_c = std::lround(own.temperature_c * 1000);
  if (last_ && *last_ == now) return;
  if (last_ && last_->up && !now.up) ++downs_;
  if (last_ && !last_->up && now.up) ++ups_;
  last_ = now;
  show_port(files, now);
  if (!infiniband_) show_interface(files, now);
  monitor_.show(files, now.answers ? std::optional(own.temperature_c) : std::nullopt);
}

void NicFiles::show_port(TreeFiles& files, const Shown& now) const {
  // Of a port without a link: the least that its kind can do.
  const std::int64_t least_mbps = infiniband_ ? 10000 : 40000;
  files.set(state_, now.up ? "4: ACTIVE" : "1: DOWN");
  files.set(phys_state_, now.up ? "5: LinkUp" : infiniband_ ? "2: Polling" : "3: Disabled");
  files.set(rate_, rate_text(now.up ? now.rate_mbps : least_mbps));
  if (infiniband_) {
    files.set(lid_, now.up ? fmt::format("{:#x}", 0x40 + nic_) : "0xffff");
    files.set(sm_lid_, now.up ? "0x1" : "0x0");
  } else {
    files.set(lid_, "0x0"), files.set(sm_lid_, "0x0");
  }
  files.set(link_downed_, fmt::format("{}", downs_));
}

void NicFiles::show_interface(TreeFiles& files, const Shown& now) const {
  files.set(operstate_, now.up ? "up" : "down");
  files.set(carrier_, now.up ? "1" : "0");
  files.set(speed_, now.up ? fmt::format("{}", now.rate_mbps) : "-1");
  files.set(changes_, fmt::format("{}", ups_ + downs_));
  files.set(up_count_, fmt::format("{}", ups_));
  files.set(down_count_, fmt::format("{}", downs_));
}

}  // namespace linkburn::drill
