// Lines of the kernel log that name the slowest link of a device's path.
#pragma once

#include <map>
#include <string>

#include "report/evidence/bottleneck.h"
#include "report/rules/log_view.h"

namespace linkburn {

struct Bottlenecks {
  Bottleneck latest;
  LogLines lines;
};

/// By the device that they are about: the device end of a link for all functions of a device.
std::map<ComponentId, Bottlenecks> bottlenecks_of(const Story& story);

/// What every link inside a Thunderbolt or USB4 tunnel shows, whatever its cable carries.
bool reads_as_tunnel(const Bottleneck& found);

/// The limiting port was captured alone, and the link below it has all that the port can give.
bool is_all_of_port(const Story& story, const Bottleneck& found);

/// What such a line says, and what it does not.
std::string in_words(const Bottleneck& found);

}  // namespace linkburn
