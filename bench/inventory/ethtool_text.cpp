#include "bench/inventory/ethtool_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>

#include "bench/base/text.h"
#include "bench/inventory/link_modes.h"
#include "bench/inventory/module_memory.h"

namespace linkburn {
namespace {

constexpr std::string_view kFolder = "linkburn/ethtool/";
constexpr std::size_t kMaxModes = 256;

// Names of the mlx5 driver; others use some of them too
// [linux Documentation/networking/device_drivers/ethernet/mellanox/mlx5/counters.rst].
constexpr std::array<std::string_view, 21> kStatistics{"link_down_events_phy",
                                                       "module_bad_shorted",
                                                       "module_bus_stuck",
                                                       "module_high_temp",
                                                       "outbound_pci_buffer_overflow",
                                                       "outbound_pci_stalled_rd",
                                                       "outbound_pci_stalled_rd_events",
                                                       "outbound_pci_stalled_wr",
                                                       "outbound_pci_stalled_wr_events",
                                                       "rx_bits_phy",
                                                       "rx_corrected_bits_phy",
                                                       "rx_crc_errors_phy",
                                                       "rx_discards_phy",
                                                       "rx_pci_signal_integrity",
                                                       "rx_pcs_symbol_err_phy",
                                                       "rx_symbol_err_phy",
                                                       "tx_discards_phy",
                                                       "tx_errors_phy",
                                                       "tx_pause_storm_error_events",
                                                       "tx_pause_storm_warning_events",
                                                       "tx_pci_signal_integrity"};

using Values = std::map<std::string_view, std::string_view>;

Values values_of(std::string_view text) {
  Values values;
  for (const std::string_view line : lines_of(text)) {
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    values.emplace(trim(line.substr(0, equals)), trim(line.substr(equals + 1)));
  }
  return values;
}

std::string text_of(const Values& values, std::string_view key) {
  const auto found = values.find(key);
  return found != values.end() ? printable(found->second, 128) : std::string();
}

std::optional<std::int64_t> number_of(const Values& values, std::string_view key) {
  const auto found = values.find(key);
  return found != values.end() ? parse_int(found->second) : std::nullopt;
}

std::vector<std::string> modes_of(const Values& values, std::string_view key) {
  std::vector<std::string> modes;
  const auto found = values.find(key);
  if (found == values.end()) return modes;
  for (const std::string_view word : words_of(found->second))
    if (modes.size() < kMaxModes) modes.push_back(printable(word, 64));
  return modes;
}

/// Speed, lanes and duplex; drivers may show the last ones while there is no link.
void take_link(const Values& values, Interface& interface) {
  if (!interface.carrier.value_or(true)) return;
  if (const auto lanes = number_of(values, "lanes"); lanes && *lanes > 0 && *lanes <= 64)
    interface.lanes = static_cast<int>(*lanes);
  if (const auto speed = number_of(values, "speed_mbps");
      speed && *speed > 0 && !interface.speed_gbps)
    interface.speed_gbps = static_cast<double>(*speed) / 1000;
  if (interface.duplex.empty()) interface.duplex = text_of(values, "duplex");
}

void take_modes(const Values& values, Interface& interface) {
  interface.modes_source = text_of(values, "source");
  interface.supported_modes = modes_of(values, "supported");
  interface.advertised_modes = modes_of(values, "advertised");
  interface.partner_modes = modes_of(values, "partner");
  interface.supported_gbps = fastest_gbps(interface.supported_modes);
  interface.advertised_gbps = fastest_gbps(interface.advertised_modes);
  interface.partner_gbps = fastest_gbps(interface.partner_modes);
  const std::string autonegotiation = text_of(values, "autonegotiation");
  if (autonegotiation == "on" || autonegotiation == "off")
    interface.autonegotiation = autonegotiation == "on";
  interface.modes_absent = text_of(values, "modes.error");
  if (interface.modes_source.empty() && interface.modes_absent.empty())
    interface.modes_absent = "ethtool gave no link modes";
}

void take_module(const Values& values, Interface& interface) {
  ModuleMemory memory;
  const auto bytes = [&](std::string_view key) {
    const auto found = values.find(key);
    return found != values.end() ? bytes_of_hex(found->second) : std::vector<std::uint8_t>();
  };
  memory.lower = bytes("module.lower");
  memory.page0 = bytes("module.page0");
  memory.page2 = bytes("module.page2");
  memory.page3 = bytes("module.page3");
  memory.diagnostics = bytes("module.diagnostics");
  interface.module = decode_module(memory);
  if (interface.module) return;
  interface.module_absent = text_of(values, "module.error");
  if (interface.module_absent.empty())
    interface.module_absent = memory.lower.empty() ? "ethtool gave no module memory"
                                                   : "a module of a kind that is not known here";
}

/// "fec.lane0.corrected_blocks" becomes fec/lane0_corrected_blocks.
std::optional<std::string> counter_name(std::string_view key) {
  constexpr std::string_view kFec = "fec.";
  constexpr std::string_view kStatistic = "statistics.";
  if (key.starts_with(kStatistic)) {
    const std::string_view name = key.substr(kStatistic.size());
    return wanted_statistic(name) ? std::optional(fmt::format("ethtool/{}", name)) : std::nullopt;
  }
  if (!key.starts_with(kFec)) return std::nullopt;
  std::string name = printable(key.substr(kFec.size()), 64);
  if (name == "error") return std::nullopt;
  std::replace(name.begin(), name.end(), '.', '_');
  return "fec/" + name;
}

}  // namespace

std::string ethtool_file_of(std::string_view interface) {
  return std::string(kFolder) + std::string(interface);
}

std::optional<std::string> interface_of_ethtool_file(std::string_view path) {
  if (!path.starts_with(kFolder)) return std::nullopt;
  return std::string(path.substr(kFolder.size()));
}

bool wanted_statistic(std::string_view name) {
  if (std::find(kStatistics.begin(), kStatistics.end(), name) != kStatistics.end()) return true;
  return name.starts_with("rx_err_lane_") && name.ends_with("_phy");
}

void take_ethtool_text(std::string_view text, Interface& interface,
                       std::vector<Counter>& counters) {
  const Values values = values_of(text);
  take_link(values, interface);
  take_modes(values, interface);
  interface.fec = text_of(values, "fec");
  interface.link_detail = text_of(values, "link_detail");
  take_module(values, interface);
  for (const auto& [key, value] : values) {
    const auto name = counter_name(key);
    const auto number = parse_int(value);
    if (!name || !number || *number < 0) continue;
    Counter counter;
    counter.component = interface.component;
    counter.name = *name;
    counter.value = *number;
    counters.push_back(std::move(counter));
  }
}

}  // namespace linkburn
