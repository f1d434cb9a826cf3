// What do drivers say of their devices in the kernel log, and what does it say of a node of which
// nothing else is known?
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "report/rules/bottlenecks.h"
#include "report/rules/link_view.h"
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

Finding limited_by_port(const Story& story, const ComponentId& id, const Bottlenecks& said) {
  const Bottleneck& found = said.latest;
  Finding finding =
      log_finding(story, id, "LB-PCIE-LIMITED", FindingClass::limited,
                  found.width != found.device_width ? Aspect::width : Aspect::speed, said.lines);
  finding.limiter = found.port;
  finding.negotiated = quantity(found.speed, found.width);
  finding.detail = fmt::format("the device could do {}, {} gives {}: all that it can do",
                               quantity(found.device_speed, found.device_width).text,
                               found.port.text(), finding.negotiated.text);
  return finding;
}

/// The kernel tells the state of the hop when it looked. Whether that is all that the hop can do,
/// or what it fell to, is not in the line.
Finding judge_bottleneck(const Story& story, const ComponentId& id, const Bottlenecks& said) {
  const Bottleneck& found = said.latest;
  Finding finding = log_finding(story, id, "LB-NO-EVIDENCE", FindingClass::undecided,
                                found.all_ones                      ? Aspect::presence
                                : found.width != found.device_width ? Aspect::width
                                                                    : Aspect::speed,
                                said.lines);
  finding.limiter = found.port;
  finding.detail = found.all_ones
                       ? "its registers read as all ones when the kernel looked: it was asleep "
                         "or gone, and x63 is no link"
                       : in_words(found);
  finding.missing = fmt::format("the link registers of {} and {}", id.text(), found.port.text());
  return finding;
}

/// Both ends of the limiting link were read: their registers say more than the line.
bool is_read(const Story& story, const ComponentId& port) {
  const LinkStory* link = story.link_of(port);
  return link != nullptr && link->link->peer == port && link->rating.speed && link->rating.width &&
         not_a_plain_link(story, *link->link).empty();
}

/// What other rules say of the device's own link, or its kind explains.
bool is_told(const LinkStory& own) {
  return own.link->kind != kLinkPcie || is_silent(*own.link) || is_asleep(own);
}

/// Between two Thunderbolt controllers, or a controller and what is behind it.
bool is_in_tunnel(const Story& story, const ComponentId& id, const Bottleneck& found) {
  const auto is_thunderbolt = [&](const ComponentId& end) {
    const Component* component = story.component(end);
    return component != nullptr && component->facts.contains("thunderbolt");
  };
  return reads_as_tunnel(found) && (is_thunderbolt(id) || is_thunderbolt(found.port));
}

/// An inventory of the node itself has all links, and the line is about an earlier moment. Captures
/// have what somebody chose to copy.
void judge_bottlenecks(const Story& story, RuleOutput& out) {
  if (!story.links.empty() && !story.is_captured()) return;
  for (const auto& [id, said] : bottlenecks_of(story)) {
    const LinkStory* own = story.link_of(id);
    if (own != nullptr && is_told(*own)) continue;
    if (is_in_tunnel(story, id, said.latest))
      out.not_judged.push_back({"link of " + id.text(),
                                "inside a Thunderbolt or USB4 tunnel; " + in_words(said.latest),
                                {},
                                {}});
    else if (own == nullptr && is_all_of_port(story, said.latest))
      out.findings.push_back(limited_by_port(story, id, said));
    else if (!is_read(story, said.latest.port))
      out.findings.push_back(judge_bottleneck(story, id, said));
  }
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
