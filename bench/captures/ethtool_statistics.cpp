// `ethtool -S`: the statistics of a driver. Those that tell something about a link are kept.
#include <fmt/format.h>

#include "bench/base/text.h"
#include "bench/captures/ethtool_text.h"
#include "bench/captures/table.h"
#include "bench/inventory/ethtool_text.h"

namespace linkburn {

/// "     link_down_events_phy: 3" [ethtool ethtool.c, do_gstats].
Take take_ethtool_statistic(std::string_view line, EthtoolInterface& to) {
  constexpr std::size_t kMaxCounters = 4096;
  const std::size_t colon = line.rfind(':');
  if (colon == line.npos || line.empty() || (line.front() != ' ' && line.front() != '\t'))
    return Take::elsewhere;
  const std::string_view name = trim(line.substr(0, colon));
  const auto value = parse_int(line.substr(colon + 1));
  if (name.empty() || !value) return Take::elsewhere;
  if (!wanted_statistic(name) || *value < 0 || to.counters.size() >= kMaxCounters)
    return Take::understood;
  Counter counter;
  counter.name = fmt::format("ethtool/{}", name);
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
