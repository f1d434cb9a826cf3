// Every kind of captured text, one line each. A new one is a file in this folder that defines
// `const CaptureKind NAME_capture`, and its name here. Where two kinds could begin at a line, the
// first of the table does.
#pragma once

#include <span>

#include "bench/captures/reader.h"

#define LINKBURN_CAPTURES(X) \
  X(lspci)                   \
  X(lspci_tree)              \
  X(sysfs_lines)             \
  X(nvidia_smi)              \
  X(nvidia_smi_query)        \
  X(nvlink_status)           \
  X(gpu_topology)            \
  X(ibstat)                  \
  X(ibstatus)                \
  X(ibv_devinfo)             \
  X(show_gids)               \
  X(rdma_link)               \
  X(ethtool)                 \
  X(ethtool_statistics)      \
  X(ethtool_module)          \
  X(nvbandwidth)             \
  X(bandwidth_test)          \
  X(p2p_bandwidth)           \
  X(perftest)                \
  X(nccl_tests)              \
  X(nccl_debug)              \
  X(kernel_log)

namespace linkburn {

#define LINKBURN_DECLARE(name) extern const CaptureKind name##_capture;
LINKBURN_CAPTURES(LINKBURN_DECLARE)
#undef LINKBURN_DECLARE

std::span<const CaptureKind* const> capture_kinds();

}  // namespace linkburn
