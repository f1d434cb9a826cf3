// `ethtool -m`: the memory of a cable or transceiver, in words [ethtool sfpid.c, qsfp.c, cmis.c,
// sff-common.c] or as a dump of its bytes.
#include <algorithm>
#include <array>

#include "bench/base/text.h"
#include "bench/captures/ethtool_text.h"
#include "bench/captures/port_text.h"
#include "bench/captures/table.h"

namespace linkburn {
namespace {

constexpr std::size_t kMaxAlarms = 64;
constexpr std::size_t kMaxMemory = 4096;  // ethtool shows 640 bytes of the largest kind

/// First words of the keys of all three kinds of modules.
bool is_module_key(std::string_view key) {
  constexpr std::array<std::string_view, 40> kFirst{
      "Identifier", "Extended", "Connector",     "Transceiver", "Encoding", "BR,",
      "Rate",       "Length",   "Laser",         "Vendor",      "Revision", "Option",
      "Optical",    "Receiver", "Transmitter",   "Transmit",    "Rcvr",     "Rx",
      "Tx",         "Module",   "Alarm/warning", "Date",        "CLEI",     "Attenuation",
      "Cable",      "Passive",  "Active",        "Low",         "High",     "Data",
      "CDB",        "Power",    "Max",           "CMIS",        "Nominal",  "Wavelength",
      "Fault",      "Signal",   "Bias",          "LowPwr"};
  const std::string_view word = key.substr(0, key.find(' '));
  return std::find(kFirst.begin(), kFirst.end(), word) != kFirst.end();
}

/// "QSFP28" of "0x11 (QSFP28)".
std::string name_in_parentheses(std::string_view value) {
  const std::size_t open = value.find('(');
  const std::size_t close = value.rfind(')');
  if (open == value.npos || close == value.npos || close < open) return {};
  return printable(value.substr(open + 1, close - open - 1), 64);
}

bool is_identifier(std::string_view key, std::string_view value) {
  return key == "Identifier" && value.starts_with("0x") && value.find('(') != value.npos;
}

bool has_four_lanes(std::string_view identifier) { return identifier.starts_with("QSFP"); }

/// "25500Mbps" or "10300MBd": of an SFP all of it, of a QSFP one of four lanes. With PAM4 makers
/// differ in whether it counts symbols or bits.
void take_nominal(std::string_view value, bool pam4, Module& module) {
  const auto mbps = leading_number(value);
  if (!mbps || *mbps <= 0 || module.rate_gbps || pam4) return;
  module.rate_gbps = *mbps / 1000 * (has_four_lanes(module.identifier) ? 4 : 1);
}

/// "100G Ethernet: 100G Base-CR4 or 25GBASE-CR CA-L": of a QSFP the rate of all its lanes.
void take_compliance(std::string_view value, Module& module) {
  const auto gbps = leading_number(value);
  const bool ethernet = value.find("G Ethernet:") != value.npos;
  if (gbps && ethernet && has_four_lanes(module.identifier)) module.rate_gbps = *gbps;
}

std::optional<double> celsius(std::string_view value) {
  return value.find("degrees C") != value.npos ? leading_number(value) : std::nullopt;
}

/// A cable without a sensor reads 0.
void take_temperature(std::string_view key, std::string_view value, Module& module) {
  const auto degrees = celsius(value);
  if (!degrees || *degrees == 0) return;
  if (key == "Module temperature") module.temperature_c = degrees;
  if (key == "Module temperature high alarm threshold") module.temperature_high_alarm_c = degrees;
}

/// "Laser rx power low alarm    (Channel 1)   : On".
void take_alarm(std::string_view key, std::string_view value, Module& module) {
  if (value != "On" || key.find(" alarm") == key.npos || module.alarms.size() >= kMaxAlarms) return;
  std::string words;
  for (const std::string_view word : words_of(key))
    words += (words.empty() ? "" : " ") + printable(word, 32);
  module.alarms.push_back(std::move(words));
}

std::vector<std::uint8_t> part_of(const std::vector<std::uint8_t>& bytes, std::size_t first,
                                  std::size_t length) {
  if (bytes.size() < first + length) return {};
  const auto at = bytes.begin() + static_cast<std::ptrdiff_t>(first);
  return {at, at + static_cast<std::ptrdiff_t>(length)};
}

/// "0x0010:  11 07 00": the place and the bytes there; nothing for any other line.
std::optional<std::pair<std::size_t, std::vector<std::uint8_t>>> dump_line(std::string_view line) {
  const auto words = words_of(line);
  if (words.size() < 2 || words.size() > 17 || !words[0].starts_with("0x") ||
      !words[0].ends_with(':'))
    return std::nullopt;
  const auto place = parse_int(words[0].substr(0, words[0].size() - 1), 16);
  if (!place || *place < 0 || *place >= static_cast<std::int64_t>(kMaxMemory)) return std::nullopt;
  std::vector<std::uint8_t> bytes;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const auto byte = bytes_of_hex(words[i]);
    if (byte.size() != 1) return std::nullopt;
    bytes.push_back(byte.front());
  }
  return std::pair(static_cast<std::size_t>(*place), std::move(bytes));
}

}  // namespace

Take take_ethtool_module(std::string_view line, EthtoolInterface& to) {
  const auto pair = key_value(line);
  if (!pair || !is_module_key(pair->key)) return Take::elsewhere;
  if (!to.interface.module) to.interface.module.emplace();
  Module& module = *to.interface.module;
  const auto& [key, value] = *pair;
  if (is_identifier(key, value)) module.identifier = name_in_parentheses(value);
  if (key == "Vendor name") module.vendor = printable(value, 64);
  if (key == "Vendor PN") module.part_number = printable(value, 64);
  if (key == "Vendor SN") module.serial = printable(value, 64);
  if (key == "Transceiver type") take_compliance(value, module);
  if (key == "Encoding") to.pam4 = value.find("PAM4") != value.npos;
  if (key == "BR, Nominal") take_nominal(value, to.pam4, module);
  take_temperature(key, value, module);
  take_alarm(key, value, module);
  return Take::understood;
}

Take take_ethtool_memory(std::string_view line, EthtoolInterface& to) {
  const auto read = dump_line(line);
  if (!read) {
    line = trim(line);
    const bool ruler = !line.empty() && line.find_first_not_of("- \t") == line.npos;
    return ruler ? Take::understood : Take::elsewhere;
  }
  // A dump that does not begin at its beginning, or has a hole, is of no known place.
  if (read->first != to.memory.size()) return Take::not_understood;
  to.memory.insert(to.memory.end(), read->second.begin(), read->second.end());
  return Take::understood;
}

std::optional<Module> module_of_dump(const std::vector<std::uint8_t>& bytes) {
  if (bytes.size() < 128) return std::nullopt;
  ModuleMemory memory;
  memory.lower = part_of(bytes, 0, 128);
  // Of an SFP the second address follows the first one; of a QSFP pages 0 to 3 follow one another
  // [linux include/uapi/linux/ethtool.h, ETH_MODULE_SFF_8472_LEN; ethtool qsfp.h].
  if (layout_of(bytes[0]) == ModuleLayout::sff8472) {
    memory.diagnostics = part_of(bytes, 256, 256);
  } else {
    memory.page0 = part_of(bytes, 128, 128);
    memory.page2 = part_of(bytes, 384, 128);
    memory.page3 = part_of(bytes, 512, 128);
  }
  auto module = decode_module(memory);
  // Registers and boot memory are dumped in the same form; a module tells who made it.
  const bool named =
      module && !module->vendor.empty() && module->vendor.find('?') == std::string::npos;
  return named ? module : std::nullopt;
}

namespace {

bool begins(std::string_view line, std::string_view next) {
  return ethtool_begins(line, next, {EthtoolPart::module, EthtoolPart::memory});
}

}  // namespace

const CaptureKind ethtool_module_capture{"ethtool_module", "ethtool -m", begins,
                                         make_ethtool_reader};

}  // namespace linkburn
