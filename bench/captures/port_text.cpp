#include "bench/captures/port_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "bench/base/ascii.h"
#include "bench/base/text.h"

namespace linkburn {
namespace {

constexpr std::size_t kMaxPorts = 4096;  // of one text
constexpr int kMaxPortNumber = 255;

/// Letters and digits alone, in lower case: tools write "LinkUp", "LINK_UP" and "Phy Test".
std::string letters_of(std::string_view text) {
  std::string letters;
  for (const char c : text.substr(0, 64)) {
    const char small = lower(c);
    if (is_letter_or_digit(small)) letters.push_back(small);
  }
  return letters;
}

/// Without the number that some tools put before a word, and others behind it in parentheses.
std::string_view bare_word(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon != text.npos && parse_int(text.substr(0, colon))) text.remove_prefix(colon + 1);
  return trim(text.substr(0, text.find('(')));
}

struct Word {
  std::string_view letters, word;
};

template <std::size_t N>
std::string word_among(const std::array<Word, N>& words, std::string_view text) {
  const std::string letters = letters_of(bare_word(text));
  for (const Word& known : words)
    if (known.letters == letters) return std::string(known.word);
  return {};
}

/// What is said of a device belongs to each of its ports.
void copy_device(const Port& device, Port& port) {
  port.vendor_id = device.vendor_id;
  port.device_id = device.device_id;
  port.board_id = device.board_id;
  port.firmware = device.firmware;
  port.node_guid = device.node_guid;
  port.system_image_guid = device.system_image_guid;
  port.driver = device.driver;
}

}  // namespace

std::string port_state_word(std::string_view text) {
  constexpr std::array<Word, 11> kWords{{{"down", "DOWN"},
                                         {"portdown", "DOWN"},
                                         {"init", "INIT"},
                                         {"portinit", "INIT"},
                                         {"initializing", "INIT"},
                                         {"armed", "ARMED"},
                                         {"portarmed", "ARMED"},
                                         {"active", "ACTIVE"},
                                         {"portactive", "ACTIVE"},
                                         {"activedefer", "ACTIVE_DEFER"},
                                         {"portactivedefer", "ACTIVE_DEFER"}}};
  return word_among(kWords, text);
}

std::string physical_state_word(std::string_view text) {
  // ibv_devinfo of all versions writes "TRAINNING".
  constexpr std::array<Word, 8> kWords{{{"sleep", "Sleep"},
                                        {"polling", "Polling"},
                                        {"disabled", "Disabled"},
                                        {"portconfigurationtraining", "PortConfigurationTraining"},
                                        {"portconfigurationtrainning", "PortConfigurationTraining"},
                                        {"linkup", "LinkUp"},
                                        {"linkerrorrecovery", "LinkErrorRecovery"},
                                        {"phytest", "Phy Test"}}};
  return word_among(kWords, text);
}

std::string link_layer_word(std::string_view text) {
  constexpr std::array<Word, 2> kWords{{{"infiniband", "InfiniBand"}, {"ethernet", "Ethernet"}}};
  return word_among(kWords, text);
}

std::optional<int> code_in_parentheses(std::string_view text) {
  const std::size_t open = text.rfind('(');
  if (open == text.npos) return std::nullopt;
  text.remove_prefix(open + 1);
  const auto code = parse_int(text.substr(0, text.find(')')));
  return code && *code >= 0 && *code <= 0xffff ? std::optional(static_cast<int>(*code))
                                               : std::nullopt;
}

std::optional<int> local_id_of(std::string_view text) {
  const auto number = text.starts_with("0x") ? parse_int(text, 16) : parse_int(text);
  return number && *number >= 0 && *number <= 0xffff ? std::optional(static_cast<int>(*number))
                                                     : std::nullopt;
}

std::string pci_id_text(std::int64_t id) {
  return id > 0 && id <= 0xffff ? fmt::format("0x{:04x}", id) : std::string();
}

void take_mellanox_id(std::string_view decimal, Port& port) {
  constexpr const char* kMellanox = "0x15b3";
  port.device_id = pci_id_text(parse_int(decimal).value_or(0));
  if (!port.device_id.empty()) port.vendor_id = kMellanox;
}

std::string guid_text(std::string_view text) {
  constexpr std::size_t kDigits = 16;
  if (text.starts_with("0x")) text.remove_prefix(2);
  std::string digits;
  for (const char c : text.substr(0, 2 * kDigits))
    if (c != ':') digits.push_back(lower(c));
  const bool hex = digits.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (!hex || digits.empty() || digits.size() > kDigits) return {};
  digits.insert(0, kDigits - digits.size(), '0');
  for (const std::size_t at : {12U, 8U, 4U}) digits.insert(at, 1, ':');
  return digits;
}

std::string_view quoted(std::string_view text) {
  const std::size_t first = text.find('\'');
  if (first == text.npos) return {};
  const std::size_t last = text.find('\'', first + 1);
  return last == text.npos ? std::string_view() : text.substr(first + 1, last - first - 1);
}

void PortList::begin_device(std::string_view name) {
  name_ = printable(trim(name), 64);
  device_ = {};
  has_port_ = false;
  unnumbered_ = 0;
  numbered_ = false;
}

void PortList::begin_port(int number) {
  has_port_ = true;
  if (number >= 0) numbered_ = true;
  // After a port with its number, one without is of a place that was cut.
  if (number < 0 && !numbered_) number = ++unnumbered_;
  if (ports_.size() < kMaxPorts) ports_.emplace_back();
  Port& port = ports_.back();
  port = {};
  copy_device(device_, port);
  if (!name_.empty() && number >= 0 && number <= kMaxPortNumber)
    port.component = ComponentId::port(name_, number);
}

Port& PortList::port() {
  if (!has_port_) begin_port(-1);
  return ports_.back();
}

Port& PortList::port_without(bool known_already) {
  if (known_already) begin_port(-1);
  return port();
}

void PortList::finish(NodeDraft& node) {
  for (Port& port : ports_) node.add(node.ports, std::move(port));
  ports_.clear();
  has_port_ = false;
}

}  // namespace linkburn
