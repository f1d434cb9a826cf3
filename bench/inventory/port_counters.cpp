// Which counters of an RDMA port are read.
#include <algorithm>
#include <array>

#include "bench/inventory/network.h"

namespace linkburn {
namespace {

// Counters of InfiniBand port management, on RoCE as far as the driver has them
// [linux Documentation/ABI/stable/sysfs-class-infiniband].
constexpr std::array<std::string_view, 13> kPort{"VL15_dropped",
                                                 "excessive_buffer_overrun_errors",
                                                 "link_downed",
                                                 "link_error_recovery",
                                                 "local_link_integrity_errors",
                                                 "port_rcv_constraint_errors",
                                                 "port_rcv_errors",
                                                 "port_rcv_remote_physical_errors",
                                                 "port_rcv_switch_relay_errors",
                                                 "port_xmit_constraint_errors",
                                                 "port_xmit_discards",
                                                 "port_xmit_wait",
                                                 "symbol_error"};

// Those of the device's own: names of mlx5 first, then of rxe, bnxt_re and irdma
// [linux drivers/infiniband/hw/mlx5/counters.c, sw/rxe/rxe_hw_counters.c, hw/bnxt_re/hw_counters.c,
// hw/irdma/verbs.c].
constexpr std::array<std::string_view, 34> kHardware{"duplicate_request",
                                                     "implied_nak_seq_err",
                                                     "local_ack_timeout_err",
                                                     "np_cnp_sent",
                                                     "np_ecn_marked_roce_packets",
                                                     "out_of_buffer",
                                                     "out_of_sequence",
                                                     "packet_seq_err",
                                                     "req_cqe_error",
                                                     "resp_cqe_error",
                                                     "rnr_nak_retry_err",
                                                     "roce_adp_retrans",
                                                     "roce_adp_retrans_to",
                                                     "roce_slow_restart",
                                                     "roce_slow_restart_cnps",
                                                     "roce_slow_restart_trans",
                                                     "rp_cnp_handled",
                                                     "rp_cnp_ignored",
                                                     "rx_icrc_encapsulated",
                                                     "completer_retry_err",
                                                     "link_downed",
                                                     "out_of_seq_request",
                                                     "rcvd_rnr_err",
                                                     "rcvd_seq_err",
                                                     "retry_exceeded_err",
                                                     "retry_rnr_exceeded_err",
                                                     "send_err",
                                                     "max_retry_exceeded",
                                                     "rnr_naks_rcvd",
                                                     "seq_err_naks_rcvd",
                                                     "to_retransmits",
                                                     "cnpHandled",
                                                     "cnpIgnored",
                                                     "cnpSent"};

/// Those of the folder that are in the list; `folder` is seen from the device's.
template <std::size_t N>
void add(const PortPlace& place, const std::string& folder, const char* prefix,
         const std::array<std::string_view, N>& names, std::vector<PortCounter>& counters) {
  const std::string path = place.device_path() + "/" + folder + "/";
  for (const std::string& file : place.device_folder.list(folder).value_or({}))
    if (std::find(names.begin(), names.end(), file) != names.end())
      counters.push_back({path + file, prefix + file});
}

}  // namespace

std::vector<PortCounter> port_counters(const PortPlace& place) {
  std::vector<PortCounter> counters;
  add(place, place.inside() + "/counters", "port/", kPort, counters);
  const std::size_t before = counters.size();
  add(place, place.inside() + "/hw_counters", "hw/", kHardware, counters);
  // Some drivers have one set for the whole device.
  if (counters.size() == before) add(place, "hw_counters", "hw/", kHardware, counters);
  return counters;
}

}  // namespace linkburn
