// Do the ports carry their packets without errors? Counters of congestion (port_xmit_wait,
// discards, pauses, congestion notifications) tell of the fabric and its load, not of this link.
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "report/rules/counter_gain.h"
#include "report/rules/table.h"

namespace linkburn {
namespace {

/// What it means in a run when a counter grows. Since boot none of them proves a fault: training,
/// maintenance and plugged cables count too. There more than a few per day are a warning.
enum class Weight {
  any_is_fault,     ///< the link or its buffers broke down
  lone_is_warning,  ///< once may be chance, again is a fault
  by_bits,          ///< one per so many bits is what a good link has
};

struct ErrorCounter {
  std::string_view name, words;
  Weight weight = Weight::any_is_fault;
  std::int64_t most = 0;  ///< at which it stops; 0: it does not
};

// Widths and meaning [InfiniBand Architecture Specification, volume 1, PortCounters; linux
// Documentation/ABI/stable/sysfs-class-infiniband; Documentation/networking/device_drivers/
// ethernet/mellanox/mlx5/counters.rst; Documentation/networking/ethtool-netlink.rst, FEC_GET].
constexpr std::array kErrorCounters{
    ErrorCounter{"port/symbol_error", "symbol errors", Weight::by_bits, 0xffff},
    ErrorCounter{"port/link_error_recovery", "recoveries of the link", Weight::lone_is_warning,
                 0xff},
    ErrorCounter{"port/port_rcv_errors", "bad packets received", Weight::lone_is_warning, 0xffff},
    ErrorCounter{"port/local_link_integrity_errors", "local link integrity errors",
                 Weight::any_is_fault, 0xf},
    ErrorCounter{"port/excessive_buffer_overrun_errors", "buffer overruns", Weight::any_is_fault,
                 0xf},
    ErrorCounter{"hw/rx_icrc_encapsulated", "packets corrupted on their way (ICRC)",
                 Weight::any_is_fault},
    ErrorCounter{"fec/uncorrectable_blocks", "uncorrectable FEC blocks", Weight::by_bits},
    ErrorCounter{"ethtool/rx_pcs_symbol_err_phy", "uncorrected symbol errors", Weight::by_bits},
    ErrorCounter{"ethtool/rx_crc_errors_phy", "frames with a wrong checksum",
                 Weight::lone_is_warning},
    ErrorCounter{"net/rx_crc_errors", "frames with a wrong checksum", Weight::lone_is_warning},
};

// Bit error rates. What is left after forward error correction is below 1e-15 on a good link, and
// links without it keep 1e-12 [InfiniBand Architecture Specification, volume 2, chapter 6; IEEE
// 802.3, clauses 91 and 108].
constexpr double kWithFecWarn = 1e-15, kWithFecFault = 1e-14;
constexpr double kWithoutFecWarn = 1e-12, kWithoutFecFault = 1e-12;
constexpr double kMinForRate = 2;  // a single event has no rate
constexpr double kDay_s = 86400;

// Captured counters cover the time since boot, and often nothing says how long that is. Few nodes
// are up for more than a year.
constexpr double kYear_s = 365 * kDay_s;

// Since boot: what the tools of InfiniBand fabrics let pass in total, here per day
// [rdma-core infiniband-diags/etc/error_thresholds]; of what is a fault at once only one.
constexpr double kWarningsPerDay = 10, kFaultsPerDay = 1;

// Lanes of one cable differ; one that needs a hundred times the correction of the others stands out
// whatever the cable. Of two lanes nobody can say which one is the usual one, and below ten
// thousand blocks there is nothing to compare.
constexpr double kLaneFactor = 100;
constexpr double kLaneFloor = 10'000;
constexpr std::size_t kFewestOthers = 2;

/// Links from EDR on, and Ethernet from 100 Gb/s on where nobody says, correct errors.
bool corrects_errors(const NetworkPort& port) {
  constexpr std::array<std::string_view, 4> kSpeeds{"EDR", "HDR", "NDR", "XDR"};
  constexpr double kAlwaysFrom_gbps = 100;
  if (port.is_infiniband() && !port.port().speed_name.empty())
    return std::find(kSpeeds.begin(), kSpeeds.end(), port.port().speed_name) != kSpeeds.end();
  if (!port.is_infiniband() && port.interface != nullptr && !port.interface->fec.empty())
    return !same_word(port.interface->fec, "off");
  return port.negotiated_gbps().value_or(0) >= kAlwaysFrom_gbps;
}

/// Zero when the rate is not known.
double errors_per_bit(const NetworkPort& port, double count, double seconds) {
  const double bits = port.negotiated_gbps().value_or(0) * 1e9 * seconds;
  return bits > 0 ? count / bits : 0;
}

FindingClass judge_by_bits(const NetworkPort& port, double count, double seconds, bool live_run) {
  const bool fec = corrects_errors(port);
  const double per_bit = errors_per_bit(port, count, seconds);
  const bool has_rate = count >= kMinForRate;
  if (per_bit == 0) return FindingClass::marginal;
  if (!live_run)
    return has_rate && per_bit > (fec ? kWithFecWarn : kWithoutFecWarn) ? FindingClass::marginal
                                                                        : FindingClass::healthy;
  if (has_rate && per_bit > (fec ? kWithFecFault : kWithoutFecFault)) return FindingClass::degraded;
  // A run is too short to see even one on a good link that corrects its errors.
  return fec ? FindingClass::marginal : FindingClass::healthy;
}

FindingClass judge_count(const NetworkPort& port, const ErrorCounter& counter, double count,
                         double seconds, bool live_run) {
  if (count == 0) return FindingClass::healthy;
  if (counter.weight == Weight::by_bits) return judge_by_bits(port, count, seconds, live_run);
  if (!live_run) {
    const double per_day = counter.weight == Weight::any_is_fault ? kFaultsPerDay : kWarningsPerDay;
    return count > per_day * std::max(1.0, seconds / kDay_s) ? FindingClass::marginal
                                                             : FindingClass::healthy;
  }
  return counter.weight == Weight::any_is_fault || count >= kMinForRate ? FindingClass::degraded
                                                                        : FindingClass::marginal;
}

/// What all counters of one port say.
struct PortErrors {
  FindingClass cls = FindingClass::healthy;
  bool known = false;
  std::string words;
  std::vector<std::string_view> stuck;
  std::optional<Phase> phase;
  std::optional<std::int64_t> at_ns;
  std::vector<std::int64_t> evidence;

  void add(FindingClass of, const std::string& what, const CounterGain& gain) {
    cls = std::max(cls, of);
    words += (words.empty() ? "" : ", ") + what;
    evidence.insert(evidence.end(), gain.evidence.begin(), gain.evidence.end());
    if (!at_ns || gain.at_ns < *at_ns) phase = gain.phase, at_ns = gain.at_ns;
  }
};

void take_counters(PortErrors& errors, const PortCounters& counters, const NetworkPort& port,
                   bool live_run) {
  const double seconds = counters.seconds(port);
  for (const ErrorCounter& counter : kErrorCounters) {
    const auto gain = counters.gain(port, counter.name, counter.most);
    if (!gain) continue;
    if (gain->stuck) {
      errors.stuck.push_back(counter.name);
      continue;
    }
    errors.known = true;
    const FindingClass cls = judge_count(port, counter, gain->count, seconds, live_run);
    if (cls == FindingClass::healthy) continue;
    std::string words =
        fmt::format("{}{:.0f} {}", gain->at_least ? "at least " : "", gain->count, counter.words);
    const double per_bit = errors_per_bit(port, gain->count, seconds);
    if (counter.weight == Weight::by_bits && per_bit > 0)
      words += fmt::format(" ({:.0e} per bit)", per_bit);
    errors.add(cls, words, *gain);
  }
}

struct LaneGain {
  std::string lane;
  CounterGain gain;
};

/// "fec/lane2_corrected_blocks" of each lane.
std::vector<LaneGain> lane_gains(const PortCounters& counters, const NetworkPort& port) {
  constexpr std::string_view kPrefix = "fec/lane";
  constexpr std::string_view kSuffix = "_corrected_blocks";
  std::vector<LaneGain> lanes;
  for (const std::string& name : counters.names(port, kPrefix)) {
    if (!name.ends_with(kSuffix)) continue;
    std::string lane = name.substr(kPrefix.size(), name.size() - kPrefix.size() - kSuffix.size());
    if (const auto gain = counters.gain(port, name)) lanes.push_back({std::move(lane), *gain});
  }
  return lanes;
}

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

/// One lane that needs far more correction than the others will be the first to fail.
void take_lanes(PortErrors& errors, const PortCounters& counters, const NetworkPort& port) {
  const std::vector<LaneGain> lanes = lane_gains(counters, port);
  for (const LaneGain& lane : lanes) {
    std::vector<double> others;
    for (const LaneGain& other : lanes)
      if (other.lane != lane.lane) others.push_back(other.gain.count);
    if (others.size() < kFewestOthers) continue;
    errors.known = true;
    const double usual = median_of(others);
    if (lane.gain.count < kLaneFloor || lane.gain.count <= kLaneFactor * usual) continue;
    errors.add(FindingClass::marginal,
               fmt::format("lane {} needed correction of {:.0f} blocks, the others of {:.0f}",
                           lane.lane, lane.gain.count, usual),
               lane.gain);
  }
}

std::string span_in_words(double seconds) {
  constexpr double kHour_s = 3600;
  return seconds < 2 * kHour_s ? fmt::format("{:.0f} s", seconds)
                               : fmt::format("{:.0f} h", seconds / kHour_s);
}

Finding error_finding(const Story& story, const NetworkPort& port, const PortErrors& errors,
                      double seconds) {
  const FindingClass cls = port.matters() ? errors.cls : FindingClass::marginal;
  Finding finding = port_finding(story, port, "LB-PORT-ERRORS", cls, Aspect::errors);
  finding.detail = fmt::format("{} in {}{}", errors.words, span_in_words(seconds),
                               story.live_run ? "" : " since boot");
  finding.limit.text = corrects_errors(port) ? "0 after error correction" : "1e-12 per bit";
  finding.origin = "linkburn's limit for errors of a port";
  finding.phase = errors.phase;
  finding.at_ns = errors.at_ns;
  finding.evidence = errors.evidence;
  return finding;
}

/// Counters of an unknown time: what is too much even for a year is a warning, and what is not
/// settles nothing. The words on the latter; empty when all are zero or none is there.
std::string take_without_time(PortErrors& errors, const PortCounters& counters,
                              const NetworkPort& port) {
  std::string seen;
  for (const ErrorCounter& counter : kErrorCounters) {
    const Seen<Counter>* last = counters.last(port, counter.name);
    if (last == nullptr || *(*last)->value == 0) continue;
    const auto count = static_cast<double>(*(*last)->value);
    const std::string words = fmt::format("{:.0f} {}", count, counter.words);
    seen += (seen.empty() ? "" : ", ") + words;
    CounterGain gain;
    gain.at_ns = last->at_ns;
    gain.evidence = {last->seq};
    // Without a rate nothing says how many bits went by.
    const bool countless = counter.weight == Weight::by_bits && !port.negotiated_gbps();
    const FindingClass cls = judge_count(port, counter, count, kYear_s, false);
    if (!countless && cls != FindingClass::healthy) errors.add(cls, words, gain);
  }
  return seen;
}

void judge_without_time(const Story& story, const PortCounters& counters, const NetworkPort& port,
                        RuleOutput& out) {
  PortErrors errors;
  const std::string seen = take_without_time(errors, counters, port);
  const std::string what = "errors of " + port.component.text();
  if (errors.cls != FindingClass::healthy) {
    Finding finding = error_finding(story, port, errors, kYear_s);
    finding.detail = fmt::format("{}: too many even for a year", errors.words);
    out.findings.push_back(std::move(finding));
  } else if (!seen.empty()) {
    out.not_judged.push_back({what,
                              seen + ", and nothing says in which time",
                              "the time since boot, or the same counters a while later",
                              {}});
  } else {
    note_no_counters((counters.any(port) ? "errors" : "errors and lost links") +
                         (" of " + port.component.text()),
                     out);
  }
}

void judge_port(const Story& story, const PortCounters& counters, const NetworkPort& port,
                RuleOutput& out) {
  if (!story.live_run && !counters.cover_time(port))
    return judge_without_time(story, counters, port, out);
  PortErrors errors;
  take_counters(errors, counters, port, story.live_run);
  take_lanes(errors, counters, port);
  const std::string of_port = " of " + port.component.text();
  for (const std::string_view name : errors.stuck)
    note_stuck_counters(std::string(name) + of_port, out);
  if (errors.cls != FindingClass::healthy)
    out.findings.push_back(error_finding(story, port, errors, counters.seconds(port)));
  else if (errors.known)
    out.findings.push_back(healthy_port(story, port, Aspect::errors, ""));
  else if (errors.stuck.empty())
    note_no_counters((counters.any(port) ? "errors" : "errors and lost links") + of_port, out);
}

void apply(const Story& story, RuleOutput& out) {
  const PortCounters counters(story);
  for (const NetworkPort& port : network_ports(story))
    if (port.may_be_active() && port.is_hardware()) judge_port(story, counters, port, out);
}

}  // namespace

const Rule port_errors_rule{"port_errors", "Do the ports carry their packets without errors?",
                            apply};

}  // namespace linkburn
