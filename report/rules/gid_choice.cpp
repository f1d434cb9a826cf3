#include "report/rules/gid_choice.h"

#include <arpa/inet.h>

#include <algorithm>
#include <tuple>

#include "report/rules/network_port.h"

namespace linkburn {
namespace {

using Bytes = std::array<unsigned char, 16>;

bool starts_with(const Bytes& bytes, std::initializer_list<unsigned char> prefix) {
  return std::equal(prefix.begin(), prefix.end(), bytes.begin());
}

/// ::ffff:0:0/96 [RFC 4291, section 2.5.5.2].
bool is_mapped_ipv4(const Bytes& bytes) {
  return starts_with(bytes, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff});
}

/// 169.254.0.0/16 [RFC 3927] and 127.0.0.0/8 reach no other node by a route.
bool stays_on_link(const Bytes& bytes) {
  return bytes[12] == 127 || (bytes[12] == 169 && bytes[13] == 254);
}

bool is_down(const Gid& gid, const std::vector<const Interface*>& interfaces) {
  const auto found =
      std::find_if(interfaces.begin(), interfaces.end(), [&](const Interface* interface) {
        return !gid.netdev.empty() && interface->component.text() == gid.netdev;
      });
  return found != interfaces.end() && ((*found)->admin_up == false || (*found)->carrier == false);
}

}  // namespace

std::optional<Bytes> gid_bytes(std::string_view gid) {
  Bytes bytes{};
  // A GID is written as an IPv6 address [InfiniBand Architecture Specification, section 4.1.1].
  if (::inet_pton(AF_INET6, std::string(gid).c_str(), bytes.data()) != 1) return std::nullopt;
  return bytes;
}

GidScope scope_of(std::string_view gid) {
  const auto bytes = gid_bytes(gid);
  if (!bytes || *bytes == Bytes{}) return GidScope::none;
  if (is_mapped_ipv4(*bytes)) {
    if (std::all_of(bytes->begin() + 12, bytes->end(), [](unsigned char b) { return b == 0; }))
      return GidScope::none;
    return stays_on_link(*bytes) ? GidScope::link_local : GidScope::ipv4;
  }
  // fe80::/10 [RFC 4291, section 2.5.6].
  const bool link_local = (*bytes)[0] == 0xfe && ((*bytes)[1] & 0xc0) == 0x80;
  return link_local ? GidScope::link_local : GidScope::global_ipv6;
}

std::string address_text(std::string_view gid) {
  const auto bytes = gid_bytes(gid);
  if (!bytes) return std::string(gid);
  std::array<char, INET6_ADDRSTRLEN> text{};
  const bool ipv4 = is_mapped_ipv4(*bytes);
  const void* from = bytes->data() + (ipv4 ? 12 : 0);
  return ::inet_ntop(ipv4 ? AF_INET : AF_INET6, from, text.data(), text.size()) != nullptr
             ? text.data()
             : std::string(gid);
}

/// "RoCE v2" [linux drivers/infiniband/core/cache.c, gid_type_str].
bool is_roce_v2(const Gid& gid) { return gid.type.find("v2") != std::string::npos; }

bool uses_gids(const Port& port) {
  if (!port.link_layer.empty()) return same_word(port.link_layer, "Ethernet");
  // InfiniBand has neither of them.
  return std::any_of(port.gids.begin(), port.gids.end(), [](const Gid& gid) {
    return is_roce_v2(gid) || scope_of(gid.gid) == GidScope::ipv4;
  });
}

namespace {

/// The port's own interface; where no text names it, that of its first entry, which is made from
/// its own address before all others [linux drivers/infiniband/core/roce_gid_mgmt.c].
std::string own_netdev(const Port& port) {
  if (!port.netdev.empty()) return port.netdev;
  const auto first = std::min_element(port.gids.begin(), port.gids.end(),
                                      [](const Gid& a, const Gid& b) { return a.index < b.index; });
  return first != port.gids.end() ? first->netdev : std::string();
}

/// Old tools print no type. An adapter with both versions has each address twice, first as v1
/// [linux drivers/infiniband/core/roce_gid_mgmt.c, update_gid; enum ib_gid_type].
bool is_v2(const Gid& gid, const Gid* before) {
  if (!gid.type.empty()) return is_roce_v2(gid);
  return before != nullptr && before->type.empty() && before->index == gid.index - 1 &&
         before->gid == gid.gid;
}

}  // namespace

const Gid* recommended_gid(const Port& port, const std::vector<const Interface*>& interfaces) {
  const Gid* best = nullptr;
  const std::string netdev = own_netdev(port);
  const auto rank = [&](const Gid& gid) {
    const GidScope scope = scope_of(gid.gid);
    const bool tagged = !netdev.empty() && !gid.netdev.empty() && gid.netdev != netdev;
    const Gid* before = &gid == port.gids.data() ? nullptr : &gid - 1;
    return std::tuple(scope != GidScope::link_local, !is_down(gid, interfaces), is_v2(gid, before),
                      scope == GidScope::ipv4, !tagged, -gid.index);
  };
  for (const Gid& gid : port.gids) {
    if (scope_of(gid.gid) == GidScope::none) continue;
    if (!uses_gids(port)) {
      if (gid.index == 0) return &gid;
      continue;
    }
    if (best == nullptr || rank(gid) > rank(*best)) best = &gid;
  }
  return best;
}

}  // namespace linkburn
