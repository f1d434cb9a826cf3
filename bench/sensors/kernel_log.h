// Kernel log lines that concern links.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "bench/base/component.h"

namespace linkburn {

/// One record of /dev/kmsg [linux Documentation/ABI/testing/dev-kmsg].
struct KmsgRecord {
  int level = 6;
  int facility = 0;  ///< 0: the kernel itself; user space cannot write with it
  std::int64_t sequence = 0;
  std::int64_t time_us = 0;
  std::string text;
  std::string device;  ///< of a DEVICE= line: "+pci:0000:5e:00.0"
};

std::optional<KmsgRecord> parse_kmsg(std::string_view record);

/// What a line is about, or nothing when it does not concern links.
struct KernelTopic {
  std::string_view topic;  ///< "pcie_bus_error", "link_down", "device_lost", "retrain", ...
  std::optional<ComponentId> component;
};
std::optional<KernelTopic> topic_of(const KmsgRecord& record);

}  // namespace linkburn
