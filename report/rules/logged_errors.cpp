// Errors as the kernel log tells them: a line with the severity, a line with the status bits. Logs
// are limited in rate since 6.16 and were overwritten before, so every count is at least that.
#include <algorithm>
#include <cmath>

#include "bench/base/text.h"
#include "report/rules/course.h"
#include "report/rules/link_errors.h"

namespace linkburn {
namespace {

/// The two lines of one error come within microseconds; a slow console can hold them up.
constexpr std::int64_t kSameErrorUs = 100'000;

struct Bit {
  int number;
  std::string_view name;
};
// [PCI Express Base Specification 6.0, sections 7.8.4.5 and 7.8.4.2; linux pci_regs.h]
constexpr std::array kCorrectableBits{Bit{0, "RxErr"}, Bit{6, "BadTLP"}, Bit{7, "BadDLLP"},
                                      Bit{8, "Rollover"}, Bit{12, "Timeout"}};
constexpr std::array kUncorrectableBits{
    Bit{4, "DLP"},           Bit{5, "SDES"},        Bit{12, "PoisonTLP"},
    Bit{13, "FCP"},          Bit{14, "CmpltTO"},    Bit{15, "CmpltAbrt"},
    Bit{16, "UnxCmplt"},     Bit{17, "RxOF"},       Bit{18, "MalfTLP"},
    Bit{19, "ECRC"},         Bit{20, "UnsupReq"},   Bit{21, "ACSViol"},
    Bit{22, "UncorrIntErr"}, Bit{23, "BlockedTLP"}, Bit{24, "AtomicOpBlocked"},
    Bit{25, "TLPBlockedErr"}};

/// One error as it stands in the log.
struct Event {
  std::string_view severity;  ///< "aer_corrected", "aer_nonfatal", "aer_fatal"
  std::string_view text;      ///< of its first line
  std::int64_t kernel_us = 0, at_ns = 0;
  Phase phase = Phase::passive;
  std::optional<std::int64_t> bits = {};
  std::vector<std::int64_t> evidence = {};
};

/// "error status/mask=00001000/00002000"; from firmware "aer_status: 0x00001000, aer_mask: ...",
/// "aer_cor_status: 0x00000001, aer_cor_mask: ..."
std::optional<std::int64_t> status_bits(std::string_view text) {
  for (const std::string_view mark : {"status/mask=", "_status: 0x"}) {
    const std::size_t at = text.find(mark);
    if (at == std::string_view::npos) continue;
    const std::string_view rest = text.substr(at + mark.size());
    return parse_int(rest.substr(0, rest.find_first_of("/,")), 16);
  }
  return std::nullopt;
}

/// The severity that a topic speaks of: "aer_fatal" for "aer_fatal_status" too.
std::string_view severity_of(std::string_view topic) {
  for (const std::string_view severity : {"aer_corrected", "aer_nonfatal", "aer_fatal"})
    if (topic.starts_with(severity)) return severity;
  return {};
}

std::vector<Seen<KernelLine>> error_lines(const Story& story) {
  std::vector<Seen<KernelLine>> lines;
  for (const auto& line : story.kernel_lines)
    if (line->component && !severity_of(line->topic).empty()) lines.push_back(line);
  std::stable_sort(lines.begin(), lines.end(),
                   [](const auto& a, const auto& b) { return a->kernel_us < b->kernel_us; });
  return lines;
}

std::map<ComponentId, std::vector<Event>> events_of(const Story& story) {
  std::map<ComponentId, std::vector<Event>> events;
  for (const auto& line : error_lines(story)) {
    std::vector<Event>& own = events[*line->component];
    const std::string_view severity = severity_of(line->topic);
    const auto bits = status_bits(line->text);
    if (bits && !own.empty() && !own.back().bits && own.back().severity == severity &&
        line->kernel_us - own.back().kernel_us <= kSameErrorUs) {
      own.back().bits = bits;
      own.back().evidence.push_back(line.seq);
      continue;
    }
    own.push_back(
        {severity, line->text, line->kernel_us, line.at_ns, line->phase, bits, {line.seq}});
  }
  return events;
}

/// What an error stands for: a corrected kind, or which uncorrected error. Without bits the layer
/// tells a little: only packets live in the data link layer.
std::vector<std::pair<std::string_view, std::string>> meanings_of(const Event& event) {
  std::vector<std::pair<std::string_view, std::string>> all;
  if (event.severity == "aer_corrected") {
    for (const Bit& bit : kCorrectableBits)
      if (event.bits && (*event.bits >> bit.number & 1) != 0) all.emplace_back(bit.name, "");
    if (!event.bits && event.text.find("Data Link Layer") != std::string_view::npos)
      all.emplace_back("BadTLP", "or another packet error");
    if (!event.bits && event.text.find("Physical Layer") != std::string_view::npos)
      all.emplace_back("RxErr", "");
    return all;
  }
  const std::string_view kind = event.severity == "aer_fatal" ? "fatal" : "non-fatal";
  if (!event.bits) return {{kind, ""}};
  for (const Bit& bit : kUncorrectableBits)
    if ((*event.bits >> bit.number & 1) != 0 && !is_refused_request(bit.name))
      all.emplace_back(kind, bit.name);
  return all;
}

/// How many packets were damaged, at least.
double packets_in(const Event& event) {
  double packets = 0;
  for (const auto& [kind, part] : meanings_of(event)) {
    if (kind == "Rollover") packets += kReplaysPerRollover;
    if (is_packet_error(kind)) packets += 1;
  }
  return packets;
}

/// One event alone is no burst, whatever it stands for.
double worst_burst(const std::vector<Event>& events) {
  double worst = 0, inside = 0;
  std::size_t first = 0;
  for (const Event& event : events) {
    if (event.kernel_us <= 0) continue;
    inside += packets_in(event);
    for (; static_cast<double>(event.kernel_us - events[first].kernel_us) > kBurstSeconds * 1e6;
         ++first)
      if (events[first].kernel_us > 0) inside -= packets_in(events[first]);
    if (inside > packets_in(event)) worst = std::max(worst, inside);
  }
  return worst;
}

void add(std::vector<Gain>& gains, std::string_view kind, const std::string& part,
         const Event& event) {
  auto gain = std::find_if(gains.begin(), gains.end(), [&](const Gain& known) {
    return known.kind == kind && known.part == part;
  });
  if (gain == gains.end())
    gain = gains.insert(gains.end(), {kind, part, 0, true, event.phase, event.at_ns, {}});
  gain->count += 1;
  gain->evidence.insert(gain->evidence.end(), event.evidence.begin(), event.evidence.end());
}

/// Lines that were counted and not kept: they are of the kinds that were kept, in their proportion.
void scale_to_all(const Story& story, const std::vector<Event>& events, EndErrors& errors) {
  const double seen =
      static_cast<double>(std::count_if(events.begin(), events.end(), [](const Event& event) {
        return event.severity == "aer_corrected";
      }));
  double all = seen;
  for (const auto& counter : story.counters)
    if (counter->component == errors.component && counter->name == "kernel_log/aer_corrected")
      all = std::max(all, static_cast<double>(counter->value.value_or(0)));
  if (all <= seen || seen <= 0) return;
  for (Gain& gain : errors.gains)
    if (gain.kind != "fatal" && gain.kind != "non-fatal")
      gain.count = std::round(gain.count * all / seen);
}

/// How long a run went on, by the last that it recorded.
double run_seconds(const Story& story) {
  std::int64_t last_ns = 0;
  const auto look = [&](const auto& records) {
    for (const auto& record : records) last_ns = std::max(last_ns, record.at_ns);
  };
  look(story.kernel_lines);
  look(story.steps);
  look(story.counters);
  return seconds_between(0, last_ns);
}

/// How long a boot lasts already, by the clock or by the log itself. Of a log with wall times that
/// is from its first line that counts to its last; a few lines that somebody chose cover more.
double boot_seconds(const Story& story, std::optional<double> uptime_s) {
  constexpr double kShortestSeconds = 600;
  std::int64_t last_us = 0;
  std::optional<std::int64_t> first_wall_us, last_wall_us;
  for (const auto& line : story.kernel_lines) {
    if (line->kernel_us <= 0) continue;
    if (line->when.empty()) {
      last_us = std::max(last_us, line->kernel_us);
      continue;
    }
    first_wall_us = std::min(first_wall_us.value_or(line->kernel_us), line->kernel_us);
    last_wall_us = std::max(last_wall_us.value_or(line->kernel_us), line->kernel_us);
  }
  double seconds = std::max(uptime_s.value_or(0), static_cast<double>(last_us) / 1e6);
  if (first_wall_us)
    seconds = std::max(
        {seconds, kShortestSeconds, static_cast<double>(*last_wall_us - *first_wall_us) / 1e6});
  return seconds;
}

}  // namespace

std::map<ComponentId, EndErrors> logged_errors(const Story& story, std::optional<double> uptime_s) {
  const double seconds = story.live_run ? run_seconds(story) : boot_seconds(story, uptime_s);
  std::map<ComponentId, EndErrors> all;
  for (const auto& [component, events] : events_of(story)) {
    EndErrors errors{component};
    errors.exposed = errors.has_delta = errors.logged = true;
    errors.minutes = seconds / 60;
    errors.burst = worst_burst(events);
    for (const Event& event : events)
      for (const auto& [kind, part] : meanings_of(event)) add(errors.gains, kind, part, event);
    scale_to_all(story, events, errors);
    if (!errors.gains.empty()) all.emplace(component, std::move(errors));
  }
  return all;
}

}  // namespace linkburn
