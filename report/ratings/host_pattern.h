// Patterns of host names, as in a site file: "gpu[001-064,070]", "node*", "login?".
#pragma once

#include <string_view>

#include "bench/base/result.h"

namespace linkburn {

/// Fails when the pattern has a range that cannot be one: "gpu[64-1]", "gpu[1-", "gpu[a-c]".
Status check_host_pattern(std::string_view pattern);

/// A pattern without a dot is matched against the name without its domain too. Numbers in brackets
/// keep their leading zeros: "gpu[001-064]" means gpu007 and not gpu7.
bool matches_host(std::string_view pattern, std::string_view host);

}  // namespace linkburn
