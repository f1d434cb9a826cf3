// `ethtool eth0`, `ethtool -i` and `ethtool --show-fec` [ethtool netlink/settings.c,
// linkinfo.c, fec.c; common.c, dump_drvinfo].
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "bench/base/text.h"
#include "bench/captures/ethtool_text.h"
#include "bench/captures/port_text.h"

namespace linkburn {
namespace {

constexpr std::size_t kMaxModes = 256;

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view prefix) { return text.starts_with(prefix); });
}

/// "100000baseCR4/Full".
bool is_mode(std::string_view word) {
  return !word.empty() && word.front() >= '1' && word.front() <= '9' &&
         word.find("base") != word.npos && word.find('/') != word.npos;
}

bool take_mode_words(std::string_view text, std::vector<std::string>& modes) {
  const auto words = words_of(text);
  if (words.empty() || !std::all_of(words.begin(), words.end(), is_mode)) return false;
  for (const std::string_view word : words)
    if (modes.size() < kMaxModes) modes.push_back(printable(word, 64));
  return true;
}

std::vector<std::string>* modes_named(std::string_view key, Interface& interface) {
  if (key == "Supported link modes") return &interface.supported_modes;
  if (key == "Advertised link modes") return &interface.advertised_modes;
  if (key == "Link partner advertised link modes") return &interface.partner_modes;
  return nullptr;
}

/// "25000Mb/s"; "Unknown!" and, of old versions, "Unknown! (65535)" say nothing.
std::optional<double> speed_gbps(std::string_view value) {
  constexpr double kMaxMbps = 10'000'000;
  const auto mbps = leading_number(value);
  if (!mbps || !value.ends_with("Mb/s") || *mbps <= 0 || *mbps > kMaxMbps) return std::nullopt;
  return *mbps / 1000;
}

bool is_speed(std::string_view value) { return speed_gbps(value) || value.starts_with("Unknown!"); }

/// "no (No cable)".
void take_detected(std::string_view value, EthtoolInterface& to) {
  if (value.starts_with("yes")) to.interface.carrier = true;
  if (!value.starts_with("no")) return;
  to.interface.carrier = false;
  const std::size_t open = value.find('(');
  const std::size_t close = value.rfind(')');
  if (open != value.npos && close != value.npos && close > open)
    to.interface.link_detail = printable(value.substr(open + 1, close - open - 1), 128);
}

void take_events(std::string_view value, EthtoolInterface& to) {
  const auto number = parse_int(value);
  if (!number || *number < 0) return;
  Counter counter;
  counter.name = "ethtool/link_down_events_phy";
  counter.value = *number;
  to.counters.push_back(std::move(counter));
}

/// A key with a value that tells something about the link.
Take take_value(std::string_view key, std::string_view value, EthtoolInterface& to) {
  Interface& interface = to.interface;
  if (key == "Speed") {
    if (!is_speed(value)) return Take::elsewhere;
    interface.speed_gbps = speed_gbps(value);
    to.has_speed_line = true;
  } else if (key == "Lanes") {
    const auto lanes = parse_int(value);
    if (lanes && *lanes > 0 && *lanes <= 64) interface.lanes = static_cast<int>(*lanes);
  } else if (key == "Duplex") {
    if (value == "Full") interface.duplex = "full";
    if (value == "Half") interface.duplex = "half";
  } else if (key == "Port") {
    to.has_cage = value == "FIBRE" || value == "Direct Attach Copper";
  } else if (key == "Auto-negotiation") {
    if (value == "on" || value == "off") interface.autonegotiation = value == "on";
  } else if (key == "Link detected") {
    take_detected(value, to);
  } else if (key == "Link Down Events") {
    take_events(value, to);
  } else {
    return Take::elsewhere;
  }
  return Take::understood;
}

bool is_other_setting(std::string_view key) {
  return starts_with_any(
      key, {"Supported ports", "Supported pause frame use", "Supports ", "Supported FEC modes",
            "Advertised pause frame use", "Advertised auto-negotiation", "Advertised FEC modes",
            "Link partner advertised ", "PHYAD", "Transceiver", "MDI-X", "Wake-on",
            "SecureOn password", "Current message level", "SQI", "master-slave", "Downshift"});
}

std::string fec_word(std::string_view value) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kWords{{{"RS", "RS"},
                                                                                 {"BaseR", "BASER"},
                                                                                 {"BASER", "BASER"},
                                                                                 {"LLRS", "LLRS"},
                                                                                 {"Off", "off"},
                                                                                 {"None", "off"}}};
  for (const auto& [printed, word] : kWords)
    if (value == printed) return std::string(word);
  return {};
}

void add_counter(std::string name, std::int64_t value, EthtoolInterface& to) {
  Counter counter;
  counter.name = std::move(name);
  counter.value = value;
  to.counters.push_back(std::move(counter));
}

}  // namespace

/// "Cannot get wake-on-lan settings: Operation not permitted", and what follows a failed answer.
bool is_ethtool_complaint(std::string_view line) {
  return starts_with_any(
      line, {"Cannot get ", "netlink error: ", "No data available", "no stats available"});
}

Take take_ethtool_setting(std::string_view line, EthtoolInterface& to) {
  const std::string_view text = trim(line);
  if (to.modes != nullptr && take_mode_words(text, *to.modes)) return Take::understood;
  const bool below_level = to.last_key == "Current message level";
  to.modes = nullptr;
  if (is_ethtool_complaint(text)) return Take::understood;
  const auto pair = key_value(text);
  if (!pair) {  // the bits of the message level in words, and FEC modes, go on below their key
    const bool goes_on = below_level || to.last_key.ends_with("FEC modes");
    return goes_on && trim(line).size() < line.size() ? Take::understood : Take::elsewhere;
  }
  to.settings = true;
  if (auto* modes = modes_named(pair->key, to.interface)) {
    to.last_key = pair->key;
    to.modes = modes;
    const bool none = pair->value.empty() || pair->value == "Not reported" || pair->value == "None";
    return none || take_mode_words(pair->value, *modes) ? Take::understood : Take::not_understood;
  }
  if (take_value(pair->key, pair->value, to) == Take::understood || is_other_setting(pair->key)) {
    to.last_key = pair->key;
    return Take::understood;
  }
  return Take::elsewhere;
}

Take take_ethtool_driver(std::string_view line, EthtoolInterface& to) {
  const auto pair = key_value(line);
  if (!pair) return Take::elsewhere;
  if (pair->key == "driver") {
    to.interface.driver = printable(pair->value, 64);
  } else if (pair->key == "bus-info") {
    if (const auto address = parse_pci_address(pair->value))
      to.interface.pci = ComponentId::pci(*address);
  } else if (!starts_with_any(pair->key, {"version", "firmware-version", "expansion-rom-version",
                                          "supports-"})) {
    return Take::elsewhere;
  }
  return Take::understood;
}

/// "Active FEC encoding: RS"; with statistics "corrected_blocks: 256" and below it "Lane 0: 255".
Take take_ethtool_fec(std::string_view line, EthtoolInterface& to) {
  const auto pair = key_value(line);
  if (!pair) return Take::elsewhere;
  const auto number = parse_int(pair->value);
  if (pair->key.starts_with("Active FEC encoding")) {
    to.interface.fec = fec_word(pair->value);
  } else if (number && *number >= 0 &&
             starts_with_any(pair->key, {"corrected_", "uncorrectable_"})) {
    to.last_key = printable(pair->key, 64);
    add_counter("fec/" + to.last_key, *number, to);
  } else if (number && *number >= 0 && pair->key.starts_with("Lane ") && !to.last_key.empty()) {
    const auto lane = parse_int(pair->key.substr(5));
    if (!lane || *lane < 0 || *lane > 64) return Take::not_understood;
    add_counter(fmt::format("fec/lane{}_{}", *lane, to.last_key), *number, to);
  } else if (!starts_with_any(pair->key,
                              {"Supported/Configured FEC encoding", "Configured FEC encoding",
                               "Supported FEC encoding", "Statistics"})) {
    return Take::elsewhere;
  }
  return Take::understood;
}

EthtoolPart ethtool_part_of(std::string_view line) {
  const auto pair = key_value(line);
  if (!pair) return EthtoolPart::none;
  const auto& [key, value] = *pair;
  EthtoolInterface aside;
  const bool link =
      (key == "Speed" && (speed_gbps(value) || value.starts_with("Unknown!"))) ||
      (key == "Link detected" && (value.starts_with("yes") || value.starts_with("no"))) ||
      (key == "Auto-negotiation" && (value == "on" || value == "off")) ||
      modes_named(key, aside.interface) != nullptr;
  if (link) return EthtoolPart::settings;
  if (key.starts_with("Active FEC encoding")) return EthtoolPart::fec;
  if (take_ethtool_module(line, aside) == Take::understood &&
      (key.find("alarm") != key.npos || aside.interface.module->temperature_c))
    return EthtoolPart::module;
  return take_ethtool_statistic(line, aside) == Take::understood && !aside.counters.empty()
             ? EthtoolPart::statistics
             : EthtoolPart::none;
}

}  // namespace linkburn
