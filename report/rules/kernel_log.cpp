// What do drivers say of their devices in the kernel log, and what does it say of a node of which
// nothing else is known?
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "bench/base/text.h"
#include "report/rules/log_view.h"
#include "report/rules/table.h"

namespace linkburn {
namespace {

/// What a driver says, and how much it weighs: during a run it concerns the run; since boot it may
/// long be mended. Of network ports port_module tells what their drivers say of modules and power.
struct Saying {
  std::string_view topic, code;
  FindingClass in_run, since_boot;
  Aspect aspect;
  std::string_view words;
};
constexpr std::array kSayings{
    Saying{"device_hot", "LB-DEV-HOT", FindingClass::marginal, FindingClass::marginal,
           Aspect::errors, "its driver reports that it is too hot"},
    Saying{"device_fault", "LB-DEV-FAULT", FindingClass::degraded, FindingClass::marginal,
           Aspect::presence, "its driver reports that its firmware has stopped"},
    Saying{"init_failed", "LB-DEV-FAULT", FindingClass::degraded, FindingClass::marginal,
           Aspect::presence, "its driver could not start it"}};

const Saying* saying_of(const KernelLine& line) {
  const auto found = std::find_if(kSayings.begin(), kSayings.end(),
                                  [&](const Saying& saying) { return saying.topic == line.topic; });
  return found == kSayings.end() ? nullptr : &*found;
}

bool has_port(const Story& story, const ComponentId& id) {
  const LinkStory* link = story.link_of(id);
  const auto is_of = [&](const auto& record) {
    return record->pci == id ||
           (link != nullptr && record->pci && story.link_of(*record->pci) == link);
  };
  return std::any_of(story.ports.begin(), story.ports.end(), is_of) ||
         std::any_of(story.interfaces.begin(), story.interfaces.end(), is_of);
}

/// A driver of another version, a GPU that is held by another driver, and one that is broken are
/// not told apart by this.
Finding not_started(const Story& story, const ComponentId& id, const LogLines& lines) {
  Finding finding =
      log_finding(story, id, "LB-NO-EVIDENCE", FindingClass::undecided, Aspect::presence, lines);
  finding.detail = "its driver could not start it; " + quote(*lines.front());
  finding.missing = fmt::format("whether {} answers: lspci and the vendor's tool", id.text());
  return finding;
}

void judge_saying(const Story& story, const ComponentId& id, const Saying& saying,
                  const LogLines& lines, RuleOutput& out) {
  const FindingClass cls = story.live_run ? saying.in_run : saying.since_boot;
  if (is_stranger(story, id, lines, out)) return;
  if (saying.topic == "init_failed" && is_log_alone(story))
    return out.findings.push_back(not_started(story, id, lines));
  Finding finding = log_finding(story, id, std::string(saying.code), cls, saying.aspect, lines);
  finding.rated = finding.negotiated = {};  // the link is not what this is about
  finding.detail = fmt::format("{}{}; {}", saying.words,
                               lines.size() > 1 ? fmt::format(", {} lines", lines.size()) : "",
                               quote(*lines.front()));
  out.findings.push_back(std::move(finding));
}

void judge_sayings(const Story& story, RuleOutput& out) {
  const auto all =
      lines_by_subject(story, [](const KernelLine& line) { return saying_of(line) != nullptr; });
  for (const auto& [id, lines] : all) {
    for (const Saying& saying : kSayings) {
      LogLines own;
      std::copy_if(lines.begin(), lines.end(), std::back_inserter(own),
                   [&](const auto& line) { return line->topic == saying.topic; });
      const bool port_tells = saying.topic == "device_hot" && has_port(story, id);
      if (!own.empty() && !port_tells) judge_saying(story, id, saying, own, out);
    }
  }
}

/// "... limited by 8.0 GT/s PCIe x4 link at 0000:00:1b.4 (capable of 63.012 Gb/s with 16.0 GT/s
/// PCIe x4 link)" [linux drivers/pci/pci.c, __pcie_print_link_status]: the state of the hop, the
/// ability of the device.
struct Bottleneck {
  std::string hop, hop_speed, hop_width, device_speed, device_width;
};
std::optional<Bottleneck> bottleneck_in(std::string_view text) {
  constexpr std::string_view kLimited = "limited by ", kWith = " with ";
  const std::size_t limited = text.find(kLimited), with = text.find(kWith, limited);
  if (limited == std::string_view::npos || with == std::string_view::npos) return std::nullopt;
  const auto hop = words_of(text.substr(limited + kLimited.size(), with - limited));
  const auto device = words_of(text.substr(with + kWith.size()));
  const auto at = std::find(hop.begin(), hop.end(), "at");
  const auto lanes = [](const auto& words) {
    const auto word = std::find_if(words.begin(), words.end(),
                                   [](std::string_view w) { return w.starts_with('x'); });
    return word == words.end() ? std::string() : std::string(*word);
  };
  if (at == hop.end() || at + 1 == hop.end() || device.empty()) return std::nullopt;
  return Bottleneck{std::string(*(at + 1)), std::string(hop[0]), lanes(hop), std::string(device[0]),
                    lanes(device)};
}

/// The kernel tells the state of the hop when it looked. Whether that is all that the hop can do,
/// or what it fell to, is not in the line.
Finding judge_bottleneck(const Story& story, const ComponentId& id, const LogLines& lines,
                         const Bottleneck& found) {
  const bool all_ones = found.device_width == "x63";
  Finding finding = log_finding(story, id, "LB-NO-EVIDENCE", FindingClass::undecided,
                                all_ones                                ? Aspect::presence
                                : found.hop_width != found.device_width ? Aspect::width
                                                                        : Aspect::speed,
                                lines);
  finding.limiter = ComponentId::from_evidence(found.hop);
  finding.detail = all_ones
                       ? "its registers read as all ones when the kernel looked: it was asleep "
                         "or gone, and x63 is no link"
                       : fmt::format(
                             "the kernel found {} GT/s {} at {}, which may be all that "
                             "the port can do or what it fell to",
                             found.hop_speed, found.hop_width, found.hop);
  finding.missing = fmt::format("the link registers of {} and {}", id.text(), found.hop);
  return finding;
}

/// Only where no link was read: the registers say more than the line.
void judge_bottlenecks(const Story& story, RuleOutput& out) {
  if (!story.links.empty()) return;
  const auto all = lines_by_subject(
      story, [](const KernelLine& line) { return line.topic == "bandwidth_limited"; });
  for (const auto& [id, lines] : all)
    if (const auto found = bottleneck_in(lines.back()->text))
      out.findings.push_back(judge_bottleneck(story, id, lines, *found));
}

void apply(const Story& story, RuleOutput& out) {
  judge_sayings(story, out);
  judge_bottlenecks(story, out);
  for (const auto& line : story.kernel_lines)
    if (line->topic == "earlier_boot")
      out.not_judged.push_back({"an earlier boot in the kernel log, " + line->text,
                                "only the last boot counts",
                                {},
                                {}});
  const auto lost = std::find_if(story.kernel_lines.begin(), story.kernel_lines.end(),
                                 [](const auto& line) { return line->topic == "lost_lines"; });
  if (lost != story.kernel_lines.end())
    out.not_judged.push_back({"parts of the kernel log",
                              "lines were overwritten before they could be read",
                              "a larger kernel log buffer (log_buf_len)",
                              {}});
}

}  // namespace

const Rule kernel_log_rule{"kernel_log", "What do drivers say of their devices in the kernel log?",
                           apply};

}  // namespace linkburn
