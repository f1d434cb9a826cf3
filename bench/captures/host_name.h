// Names of hosts in texts: what can be one, and lists of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace linkburn {

inline constexpr std::size_t kMaxHostBytes = 255;  ///< HOST_NAME_MAX and more [gethostname(2)]

bool is_host_character(char c);

/// Letters, digits, hyphens and dots [RFC 1123, section 2.1], with at least one letter. Names that
/// every host gives itself ("localhost") are none.
bool is_host_name(std::string_view word);

/// The same where nothing else says that a host is meant: nodes are numbered, and GPUs, ports,
/// drives, files and steps of a test are no nodes.
bool is_surely_host(std::string_view word);

/// "node[01-02],login1" as a tool that gathers equal output writes it, with or without the count
/// behind it. Empty: not a list of hosts. More than kMaxHostsOfList are one name, as written.
inline constexpr std::size_t kMaxHostsOfList = 64;
std::vector<std::string> hosts_of_list(std::string_view list);

/// One is the other's name without its domain, or they are equal.
bool is_same_host(std::string_view a, std::string_view b);

}  // namespace linkburn
