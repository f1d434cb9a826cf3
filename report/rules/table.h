// Every rule, one line each. A new one is a file in this folder that defines `const Rule
// NAME_rule`, and its name here.
#pragma once

#include <span>

#include "report/rules/rule.h"

#define LINKBURN_RULES(X) \
  X(presence)             \
  X(link_width)           \
  X(link_speed)           \
  X(lone_end)             \
  X(target_speed)         \
  X(path_limit)           \
  X(shared_uplink)        \
  X(aer)                  \
  X(lane_errors)          \
  X(device_drops)         \
  X(xids)                 \
  X(kernel_log)           \
  X(data)                 \
  X(gpu_links)            \
  X(gpu_link)             \
  X(gpu_matrix)           \
  X(port_state)           \
  X(port_rate)            \
  X(port_flaps)           \
  X(port_errors)          \
  X(port_module)          \
  X(gid_table)            \
  X(nic_slot)             \
  X(expected)             \
  X(odd_one_out)          \
  X(measured_copies)      \
  X(measured_network)     \
  X(nccl_network)         \
  X(coverage)

namespace linkburn {

#define LINKBURN_DECLARE(name) extern const Rule name##_rule;
LINKBURN_RULES(LINKBURN_DECLARE)
#undef LINKBURN_DECLARE

std::span<const Rule* const> rules();

}  // namespace linkburn
