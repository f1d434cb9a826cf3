#include "bench/redact_addresses.h"

#include <arpa/inet.h>
#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <vector>

#include "bench/base/ascii.h"
#include "bench/base/text.h"

namespace linkburn {
namespace {

using Bytes = std::basic_string<std::uint8_t>;

bool is_blank(const Bytes& bytes) {
  const auto all = [&](std::uint8_t value) {
    return std::all_of(bytes.begin(), bytes.end(), [&](std::uint8_t b) { return b == value; });
  };
  return all(0x00) || all(0xff);
}

std::string hex_of(const Bytes& bytes) {
  std::string text;
  for (const std::uint8_t byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

/// Digits in groups of `size`, in upper case where the model has capital digits.
std::string grouped(const std::string& digits, std::size_t size, char mark,
                    std::string_view model) {
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i != 0 && i % size == 0) text += mark;
    text += digits[i];
  }
  const bool capital = std::any_of(model.begin(), model.end(), [](char c) {
    return std::isupper(static_cast<unsigned char>(c)) != 0;
  });
  if (capital)
    for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

Bytes bytes_of(std::string_view digits) {
  Bytes bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
    bytes += static_cast<std::uint8_t>(parse_int(digits.substr(i, 2), 16).value_or(0));
  return bytes;
}

std::vector<std::string_view> split(std::string_view text, char mark) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t at = text.find(mark);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::string without(std::string_view text, char mark) {
  std::string rest(text);
  rest.erase(std::remove(rest.begin(), rest.end(), mark), rest.end());
  return rest;
}

/// The longest start of `text` of which every character passes.
template <class Test>
std::string_view run_of(std::string_view text, Test passes) {
  const auto end = std::find_if_not(text.begin(), text.end(), passes);
  return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

}  // namespace

std::size_t AddressAliases::number(const Bytes& key) {
  return numbers_.try_emplace(key, numbers_.size() + 1).first->second;
}

void AddressAliases::learn(const Bytes& from, const Bytes& to) {
  bare_.try_emplace(hex_of(from), hex_of(to));
}

/// An Ethernet address, or a GUID: the same with two bytes in its middle, and often with the
/// "universal" bit turned over.
Bytes AddressAliases::hardware(const Bytes& address) {
  if (is_blank(address)) return address;
  const std::size_t rest = address.size() - 3;
  Bytes key = address.substr(0, 3) + address.substr(rest);
  key[0] &= static_cast<std::uint8_t>(~2U);
  Bytes middle = address.substr(3, rest - 3);
  const bool of_ethernet =
      middle.empty() || middle == Bytes{0xff, 0xfe} || middle == Bytes{0x03, 0x00};
  if (!of_ethernet) {
    key += middle;
    middle = {0, 0};
  }
  const std::size_t n = number(key);
  const auto first = static_cast<std::uint8_t>(2U ^ (address[0] & 2U));
  Bytes alias{first, 0, 0};
  alias += middle;
  alias += Bytes{static_cast<std::uint8_t>(n >> 16U), static_cast<std::uint8_t>(n >> 8U),
                 static_cast<std::uint8_t>(n)};
  learn(address, alias);
  return alias;
}

/// Into the ranges for documentation [RFC 5737]; addresses that name no host stay.
Bytes AddressAliases::ipv4(const Bytes& address) {
  if (is_blank(address) || address[0] == 127 || address[0] >= 224) return address;
  static constexpr std::array<std::array<std::uint8_t, 3>, 3> kRanges{
      {{192, 0, 2}, {198, 51, 100}, {203, 0, 113}}};
  const std::size_t n = number(address) - 1;
  const bool link_local = address[0] == 169 && address[1] == 254;
  const auto last = static_cast<std::uint8_t>(1 + n % 254);
  if (link_local) return {169, 254, static_cast<std::uint8_t>(n / 254), last};
  const auto& range = kRanges[n / 254 % kRanges.size()];
  return {range[0], range[1], range[2], last};
}

/// Of 16 bytes: GIDs and IPv6 addresses. Global ones go into the range for documentation
/// [RFC 3849].
Bytes AddressAliases::ipv6(const Bytes& address) {
  static const Bytes kMapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  const Bytes prefix = address.substr(0, 8);
  const Bytes id = address.substr(8);
  if (address.starts_with(kMapped)) return kMapped + ipv4(address.substr(12));
  if (is_blank(prefix) && (is_blank(id) || id == Bytes{0, 0, 0, 0, 0, 0, 0, 1})) return address;
  if (address[0] == 0xff) return address;
  const bool local = address[0] == 0xfe;  // link-local, and site-local prefixes of InfiniBand
  const bool unique_local = (address[0] & 0xfeU) == 0xfc;
  Bytes alias = prefix;
  if (unique_local) alias = {0xfd, 0, 0, 0, 0, 0, 0, 0};
  if (!local && !unique_local) alias = {0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0};
  alias += hardware(id);
  return alias;
}

std::array<std::uint8_t, 8> AddressAliases::guid(const std::array<std::uint8_t, 8>& bytes) {
  const Bytes alias = hardware(Bytes(bytes.data(), bytes.size()));
  std::array<std::uint8_t, 8> out{};
  std::copy(alias.begin(), alias.end(), out.begin());
  return out;
}

std::array<std::uint8_t, 16> AddressAliases::uuid(const std::array<std::uint8_t, 16>& bytes) {
  const Bytes key(bytes.data(), bytes.size());
  if (is_blank(key)) return bytes;
  const std::size_t n = number(key);
  std::array<std::uint8_t, 16> out{};
  out[6] = 0x40;  // version 4, variant 1 [RFC 4122, section 4.1]
  out[8] = 0x80;
  for (std::size_t i = 0; i < 4; ++i) out[15 - i] = static_cast<std::uint8_t>(n >> (8U * i));
  learn(key, Bytes(out.data(), out.size()));
  return out;
}

std::optional<std::string> AddressAliases::colon_form(std::string_view token) {
  const auto groups = split(token, ':');
  const auto all_of_size = [&](std::size_t size) {
    return std::all_of(groups.begin(), groups.end(),
                       [&](std::string_view group) { return group.size() == size; });
  };
  const Bytes bytes = bytes_of(without(token, ':'));
  if (all_of_size(2) && (bytes.size() == 6 || bytes.size() == 8))
    return grouped(hex_of(hardware(bytes)), 2, ':', token);
  // The hardware address of an IPoIB interface: queue pair, then GID [RFC 4391, section 9.1.1].
  if (all_of_size(2) && bytes.size() == 20)
    return grouped(hex_of(bytes.substr(0, 4) + ipv6(bytes.substr(4))), 2, ':', token);
  if (all_of_size(4) && bytes.size() == 8) return grouped(hex_of(hardware(bytes)), 4, ':', token);
  if (all_of_size(4) && bytes.size() == 16) return grouped(hex_of(ipv6(bytes)), 4, ':', token);
  Bytes address(16, 0);
  const bool compressed = token.find("::") != std::string_view::npos || groups.size() == 8;
  if (!compressed || ::inet_pton(AF_INET6, std::string(token).c_str(), address.data()) != 1)
    return std::nullopt;
  std::array<char, INET6_ADDRSTRLEN> text{};
  const Bytes alias = ipv6(address);
  return ::inet_ntop(AF_INET6, alias.data(), text.data(), text.size()) != nullptr
             ? std::optional<std::string>(text.data())
             : std::nullopt;
}

std::optional<std::string> AddressAliases::uuid_form(std::string_view token) {
  static constexpr std::array<std::size_t, 5> kSizes{8, 4, 4, 4, 12};
  const auto groups = split(token, '-');
  if (groups.size() != kSizes.size()) return std::nullopt;
  for (std::size_t i = 0; i < kSizes.size(); ++i)
    if (groups[i].size() != kSizes[i]) return std::nullopt;
  const Bytes bytes = bytes_of(without(token, '-'));
  std::array<std::uint8_t, 16> from{};
  std::copy(bytes.begin(), bytes.end(), from.begin());
  const auto alias = uuid(from);
  const std::string digits = grouped(hex_of(Bytes(alias.data(), alias.size())), 32, ' ', token);
  return fmt::format("{}-{}-{}-{}-{}", digits.substr(0, 8), digits.substr(8, 4),
                     digits.substr(12, 4), digits.substr(16, 4), digits.substr(20));
}

std::optional<std::string> AddressAliases::dotted_form(std::string_view token) {
  const auto parts = split(token, '.');
  if (parts.size() != 4) return std::nullopt;
  Bytes bytes;
  for (const std::string_view part : parts) {
    const auto value = part.size() <= 3 ? parse_int(part) : std::nullopt;
    if (!value || *value < 0 || *value > 255) return std::nullopt;
    bytes += static_cast<std::uint8_t>(*value);
  }
  const Bytes alias = ipv4(bytes);
  return fmt::format("{}.{}.{}.{}", alias[0], alias[1], alias[2], alias[3]);
}

std::string AddressAliases::replace_addresses(std::string_view text, bool ip) {
  const auto hex_or = [](char mark) {
    return [mark](char c) { return is_hex_digit(c) || c == mark; };
  };
  const auto digit_or_dot = [](char c) { return is_digit(c) || c == '.'; };
  std::string out;
  std::size_t at = 0;
  while (at < text.size()) {
    const bool starts = at == 0 || !is_letter_or_digit(text[at - 1]);
    const std::string_view rest = text.substr(at);
    std::optional<std::string> alias;
    std::size_t length = 0;
    const auto attempt = [&](std::string_view token, char mark, auto form) {
      while (token.ends_with(mark) && !token.ends_with("::")) token.remove_suffix(1);
      const bool ends = token.size() == rest.size() || !is_letter_or_digit(rest[token.size()]);
      if (alias || !ends || token.size() < 3) return;
      alias = (this->*form)(token);
      length = token.size();
    };
    if (starts && (is_hex_digit(text[at]) || text[at] == ':')) {
      attempt(run_of(rest, hex_or('-')), '-', &AddressAliases::uuid_form);
      attempt(run_of(rest, hex_or(':')), ':', &AddressAliases::colon_form);
      if (ip) attempt(run_of(rest, digit_or_dot), '.', &AddressAliases::dotted_form);
    }
    // Words are taken whole, so that no address is seen in the middle of one.
    if (!alias) length = std::max<std::size_t>(1, run_of(rest, is_letter_or_digit).size());
    out += alias ? *alias : std::string(rest.substr(0, length));
    at += length;
  }
  return out;
}

std::string AddressAliases::replace_bare(std::string_view text) const {
  std::string out(text);
  for (const auto& [from, to] : bare_)
    for (std::size_t at = out.find(from); at != std::string::npos;
         at = out.find(from, at + to.size()))
      out.replace(at, from.size(), to);
  return out;
}

}  // namespace linkburn
