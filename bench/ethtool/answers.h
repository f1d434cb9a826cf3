// What the kernel's answers mean. Internal to bench/ethtool.
#pragma once

#include "bench/ethtool/facts.h"
#include "bench/ethtool/netlink.h"

namespace linkburn {

void add_link_modes(const Answer& answer, EthtoolFacts& facts);
void add_link_state(const Answer& answer, EthtoolFacts& facts);
void add_fec(const Answer& answer, EthtoolFacts& facts);

}  // namespace linkburn
