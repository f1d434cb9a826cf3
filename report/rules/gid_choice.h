// Which entry of a GID table RDMA traffic should use. The index of an address is not stable: it is
// looked up each time and never kept.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/evidence/network.h"

namespace linkburn {

enum class GidScope { none, link_local, global_ipv6, ipv4 };

/// What address a GID holds; none for zeros and what is no address.
GidScope scope_of(std::string_view gid);

/// The 16 bytes of a GID, whichever way it is written: "fe80::1", "::ffff:192.0.2.6", eight groups.
std::optional<std::array<unsigned char, 16>> gid_bytes(std::string_view gid);

/// "192.0.2.6", "2001:db8::1": the address of an entry as people write it.
std::string address_text(std::string_view gid);

bool is_roce_v2(const Gid& gid);

/// True for a port that addresses its partners by GIDs: RoCE, real or soft.
bool uses_gids(const Port& port);

/// The best entry, as libraries choose: routable before link-local, RoCE v2 before v1, IPv4 before
/// IPv6, interfaces that are up before those known to be down [github.com/NVIDIA/nccl,
/// src/transport/net_ib: ncclIbGetGidIndex]. Of an InfiniBand port entry 0, its own GUID. Null: the
/// table is empty, or unknown.
const Gid* recommended_gid(const Port& port, const std::vector<const Interface*>& interfaces);

}  // namespace linkburn
