// Other addresses in place of those of a node: Ethernet and IP addresses, GUIDs, GIDs, UUIDs.
//
// The same address gets the same replacement, of the same form and length, and of the same class:
// link-local stays link-local, IPv4 within a GID stays that, empty entries stay empty. A GUID or
// GID made of an Ethernet address stays made of it [RFC 4291, appendix A].
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace linkburn {

class AddressAliases {
 public:
  /// Replaces every address that shows its form: "b8:ce:f6:12:34:56", "b8ce:f603:0012:3456",
  /// "fe80::1", "192.168.1.7", a UUID. `ip` false leaves dotted quads alone, in files of versions.
  std::string replace_addresses(std::string_view text, bool ip = true);

  /// Replaces addresses met before where they are spelled as bare digits: "enxb8cef6123456".
  std::string replace_bare(std::string_view text) const;

  /// A GUID as bytes.
  std::array<std::uint8_t, 8> guid(const std::array<std::uint8_t, 8>& bytes);

  /// A UUID as bytes.
  std::array<std::uint8_t, 16> uuid(const std::array<std::uint8_t, 16>& bytes);

 private:
  using Bytes = std::basic_string<std::uint8_t>;

  std::size_t number(const Bytes& key);
  void learn(const Bytes& from, const Bytes& to);
  Bytes hardware(const Bytes& address);  ///< 6 or 8 bytes
  Bytes ipv4(const Bytes& address);
  Bytes ipv6(const Bytes& address);
  std::optional<std::string> colon_form(std::string_view token);
  std::optional<std::string> uuid_form(std::string_view token);
  std::optional<std::string> dotted_form(std::string_view token);

  std::map<Bytes, std::size_t> numbers_;
  std::map<std::string, std::string> bare_;  ///< digits without separators
};

}  // namespace linkburn
