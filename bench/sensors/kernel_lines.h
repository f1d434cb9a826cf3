// Lines of the kernel log that concern links: how they are read, what they are about, and how many
// of a storm are kept.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/base/component.h"
#include "bench/sensors/log_context.h"
#include "report/evidence/record.h"

namespace linkburn {

/// One record of /dev/kmsg [linux Documentation/ABI/testing/dev-kmsg].
struct KmsgRecord {
  int level = 6;
  int facility = 0;  ///< 0: the kernel itself; user space cannot write with it
  std::int64_t sequence = 0;
  std::int64_t time_us = 0;  ///< since boot; 0 where the line has no time
  std::string text;
  std::string device;  ///< of a DEVICE= line: "+pci:0000:5e:00.0"
  std::string when;    ///< wall time as printed, where time_us is not since boot
};

std::optional<KmsgRecord> parse_kmsg(std::string_view record);

/// A line as dmesg or a system log prints it: "[74785.660366] text", with or without a level "<4>"
/// or "Sep 19 16:18:02 host1 kernel:" before, or "kernel:" after the time. Any other line is a text
/// without a time.
KmsgRecord parse_dmesg(std::string_view line);

/// What a line is about, or nothing when it does not concern links.
///   aer_corrected, aer_nonfatal, aer_fatal   an error that a device reported, by its severity
///   aer_status                               the bits of that error, or of one that firmware told
///   aer_unknown_source                       an error whose reporter was not found
///   containment                              a port stopped its link on an error (DPC, EDR)
///   slot_down, slot_up                       a hot-plug port lost or found its link or card
///   device_lost                              a device does not answer
///   device_answers                           of a device that did not: it does again
///   link_not_active                          a link did not come up after a reset
///   retrain_tried, retrain_failed, restriction_removed   the kernel's quirk for dead links
///   bandwidth_limited, bandwidth_low         a bottleneck seen by the kernel, or by a driver
///   xid, sxid                                by NVIDIA GPUs and switches; with a number
///   module_error, module_unplugged, module_plugged, port_down, port_up   of network ports
///   port_power, slot_power                   ports switched off, or only warned of, for power
///   device_hot, device_fault, init_failed    said by a driver of its device
///   earlier_boot                             lines of a boot before the last: not judged
std::optional<KernelTopic> topic_of(const KmsgRecord& record);

/// Chooses what is kept of a log: of lines of one kind about one component the first few, the few
/// that came closest together, the last, and how many there were. A storm stays small and is still
/// seen as one, and nothing rare hides behind it.
class KernelLines {
 public:
  /// The line, if it concerns links and is to be kept.
  std::optional<KernelLine> take(const KmsgRecord& record, Phase phase);

  /// Of each kind of which lines were left out since the last call: the densest few of them, the
  /// latest, and a counter "kernel_log/TOPIC" of all lines of that topic so far.
  std::vector<Body> left_out(Phase phase);

 private:
  struct Kind {
    std::int64_t lines = 0;
    std::int64_t* total = nullptr;    ///< of its topic and component, in totals_
    std::deque<KernelLine> recent;    ///< the latest that were left out
    std::vector<KernelLine> densest;  ///< the shortest such stretch of the log
    void leave_out(KernelLine line);
  };
  std::optional<KernelTopic> topic_for(const KmsgRecord& record);
  std::string_view severity_for(const KernelTopic& topic, std::string_view text);

  std::map<std::string, Kind> kinds_;
  std::map<std::string, std::string_view> severities_;  ///< of a component's latest error
  LogContext context_;
  std::map<std::pair<std::string, std::string>, std::int64_t> totals_;  ///< by topic, component
};

}  // namespace linkburn
