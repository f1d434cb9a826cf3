// `ethtool -S`: the statistics of a driver. Those that tell something about a link are kept.
#include <fmt/core.h>

#include <array>

#include "bench/base/text.h"
#include "bench/captures/ethtool_text.h"
#include "bench/captures/table.h"
#include "bench/inventory/ethtool_text.h"

namespace linkburn {
namespace {

/// What other drivers call the same counters: frames that came in with a wrong checksum, lost links
/// [linux drivers/net/ethernet: intel/ice/ice_ethtool.c, intel/i40e/i40e_ethtool.c,
/// intel/ixgbe/ixgbe_ethtool.c, broadcom/bnxt/bnxt_ethtool.c].
std::string counter_name(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kNames{
      {{"rx_crc_errors.nic", "ethtool/rx_crc_errors_phy"},
       {"port.rx_crc_errors", "ethtool/rx_crc_errors_phy"},
       {"rx_crc_errors", "ethtool/rx_crc_errors_phy"},
       {"rx_fcs_err_frames", "ethtool/rx_crc_errors_phy"},
       {"rx_fec_uncorrectable_blocks", "fec/uncorrectable_blocks"},
       {"link_down_events", "ethtool/link_down_events_phy"}}};
  for (const auto& [theirs, ours] : kNames)
    if (name == theirs) return std::string(ours);
  return wanted_statistic(name) ? fmt::format("ethtool/{}", name) : std::string();
}

}  // namespace

/// "     link_down_events_phy: 3" [ethtool ethtool.c, do_gstats].
Take take_ethtool_statistic(std::string_view line, EthtoolInterface& to) {
  constexpr std::size_t kMaxCounters = 4096;
  const std::size_t colon = line.rfind(':');
  if (colon == line.npos || line.empty() || (line.front() != ' ' && line.front() != '\t'))
    return Take::elsewhere;
  const std::string_view name = trim(line.substr(0, colon));
  const auto value = parse_int(line.substr(colon + 1));
  if (name.empty() || !value) return Take::elsewhere;
  std::string known = counter_name(name);
  if (known.empty() || *value < 0 || to.counters.size() >= kMaxCounters) return Take::understood;
  Counter counter;
  counter.name = std::move(known);
  counter.value = *value;
  to.counters.push_back(std::move(counter));
  return Take::understood;
}

namespace {

bool begins(std::string_view line, std::string_view next) {
  return ethtool_begins(line, next, {EthtoolPart::statistics});
}

}  // namespace

const CaptureKind ethtool_statistics_capture{"ethtool_statistics", "ethtool -S", begins,
                                             make_ethtool_reader};

}  // namespace linkburn
