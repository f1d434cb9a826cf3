#include "report/completeness.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "report/rules/course.h"
#include "report/rules/link_view.h"
#include "report/rules/network_port.h"

namespace linkburn {
namespace {

/// "SIGTERM", or the bare number for a signal that nobody sends to end a run.
std::string signal_name(int number) {
  // Numbers as on every Linux architecture [signal(7)].
  constexpr std::array<std::pair<int, std::string_view>, 6> kNames{{{1, "SIGHUP"},
                                                                    {2, "SIGINT"},
                                                                    {3, "SIGQUIT"},
                                                                    {6, "SIGABRT"},
                                                                    {9, "SIGKILL"},
                                                                    {15, "SIGTERM"}}};
  for (const auto& [known, name] : kNames)
    if (known == number) return std::string(name);
  return fmt::format("signal {}", number);
}

std::string end_of_run(const Story& story, const Evidence& evidence) {
  if (story.end == nullptr) {
    const std::int64_t last_ns = evidence.records.empty() ? 0 : evidence.records.back().at_ns;
    return fmt::format("the run did not end: its last record is {:.1f} s after the start",
                       seconds_between(0, last_ns));
  }
  if (story.end->status == "complete") return {};
  if (story.end->status == "interrupted")
    return story.end->signal
               ? fmt::format("the run was interrupted by {}", signal_name(*story.end->signal))
               : "the run was interrupted";
  return fmt::format("the run ended as {}",
                     story.end->status.empty() ? "unknown" : story.end->status);
}

/// Records are numbered without gaps when they are made; a gap is a record that did not reach the
/// disk.
std::int64_t missing_records(const Evidence& evidence) {
  std::int64_t next = 1;
  std::int64_t missing = 0;
  for (const Record& record : evidence.records) {
    if (record.seq > next) missing += record.seq - next;
    next = record.seq + 1;
  }
  return missing;
}

bool has_links(const Story& story) {
  return std::any_of(story.links.begin(), story.links.end(),
                     [](const LinkStory& link) { return !without_files(*link.link); });
}

/// Of captures, what nobody can judge from outside is no gap: chip-to-chip links, tunnels.
bool has_links_to_judge(const Story& story) {
  if (!story.is_captured()) return has_links(story);
  return std::any_of(story.links.begin(), story.links.end(), [&](const LinkStory& link) {
    const bool lone = link.link->kind == kLinkLoneEnd;
    return !without_files(*link.link) && (lone || not_a_plain_link(story, *link.link).empty());
  });
}

bool about_links_or_ports(Aspect aspect) {
  constexpr std::array kAspects{Aspect::presence, Aspect::width, Aspect::speed, Aspect::ports,
                                Aspect::errors};
  return std::find(kAspects.begin(), kAspects.end(), aspect) != kAspects.end();
}

/// One sentence per aspect and missing thing, however many components it concerns.
std::vector<std::string> undecided_sentences(const std::vector<Finding>& findings) {
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> groups;
  for (const Finding& finding : findings) {
    if (finding.cls != FindingClass::undecided) continue;
    const std::string what =
        finding.code == "LB-STEP-INCOMPLETE" ? "load" : std::string(to_string(finding.aspect));
    groups[{what, finding.missing.empty() ? finding.detail : finding.missing}].push_back(
        finding.component.text());
  }
  std::vector<std::string> sentences;
  for (const auto& [what, components] : groups) {
    const std::string more =
        components.size() > 1 ? fmt::format(" and {} more", components.size() - 1) : "";
    sentences.push_back(fmt::format("{} of {}{} is undecided; missing: {}", what.first,
                                    components.front(), more, what.second));
  }
  return sentences;
}

/// Only what is there can be missed: a machine without ports has none to judge, and one without
/// links is told as such.
std::vector<std::string> unjudged_aspects(const Story& story, const Required& required,
                                          const Survey& survey) {
  std::vector<std::string> sentences;
  for (const Aspect aspect : required.aspects) {
    const bool of_links = about_links_or_ports(aspect) && aspect != Aspect::ports;
    if (survey.named.count(aspect) > 0 || aspect == Aspect::ports) continue;
    if (of_links && !has_links_to_judge(story)) continue;
    sentences.push_back(
        fmt::format("{} is required, and nothing was judged for it", to_string(aspect)));
  }
  return sentences;
}

/// What the site says of a slot or port has to be judged there.
std::set<std::pair<ComponentId, Aspect>> expected_by_site(const Story& story) {
  std::set<std::pair<ComponentId, Aspect>> expected;
  for (const LinkStory& link : story.links) {
    const ComponentId& device = link.link->component;
    const SiteSlot* slot = story.site.slot(device, link.link->slot);
    if (slot == nullptr) continue;
    expected.insert({device, Aspect::presence});
    if (slot->width) expected.insert({device, Aspect::width});
    if (slot->speed) expected.insert({device, Aspect::speed});
  }
  const auto expect_port = [&](const ComponentId& name, const SitePort& port) {
    expected.insert({name, Aspect::ports});
    if (port.rate_gbps) expected.insert({name, Aspect::rate});
  };
  for (const SitePort& port : story.site.ports)
    expect_port(ComponentId::from_evidence(port.port), port);
  for (const auto& port : story.ports)
    if (const SitePort* of_site = story.site.port(*port)) expect_port(port->component, *of_site);
  return expected;
}

/// A finding that says more than that something is there and well.
bool settles(const Finding& finding) {
  return is_failure(finding.cls) || finding.cls == FindingClass::undecided;
}

/// True when a rule spoke of this entry of the site file itself: missing, or of another type.
bool is_told_apart(const std::vector<Finding>& findings, const std::string& origin) {
  return std::any_of(findings.begin(), findings.end(), [&](const Finding& finding) {
    return settles(finding) && finding.origin == origin;
  });
}

/// The components that each entry of the site file is about.
template <class Entry>
using Subjects = std::map<const Entry*, std::set<ComponentId>>;

bool is_slot_judged(const std::set<ComponentId>& devices, Aspect aspect,
                    const std::vector<Finding>& findings) {
  return std::any_of(findings.begin(), findings.end(), [&](const Finding& finding) {
    return devices.contains(finding.component) && (finding.aspect == aspect || settles(finding));
  });
}

bool is_port_judged(const std::set<ComponentId>& ports, const SitePort& expected,
                    const std::vector<Finding>& findings) {
  return std::any_of(findings.begin(), findings.end(), [&](const Finding& finding) {
    const bool of_rate = !finding.rated.empty() || !expected.rate_gbps;
    return ports.contains(finding.component) && finding.aspect == Aspect::ports &&
           (of_rate || settles(finding));
  });
}

/// A link that sleeps or hides, an interface of no hardware, a second entry for the same port: what
/// the site says of them is required all the same.
std::vector<std::string> unmet_expectations(const Story& story,
                                            const std::vector<Finding>& findings) {
  std::vector<std::string> unmet;
  if (story.site.slots.empty() && story.site.ports.empty()) return unmet;
  const auto add = [&](std::string_view what, const std::string& name, int line) {
    unmet.push_back(fmt::format("{} of {} is expected by {}, and nothing was judged for it", what,
                                name, story.site.origin(line)));
  };
  Subjects<SiteSlot> devices;
  for (const LinkStory& link : story.links)
    devices[story.site.slot(link.link->component, link.link->slot)].insert(link.link->component);
  for (const SiteSlot& slot : story.site.slots) {
    if (is_told_apart(findings, story.site.origin(slot.line))) continue;
    if (slot.width && !is_slot_judged(devices[&slot], Aspect::width, findings))
      add("link width", "slot " + slot.slot, slot.line);
    if (slot.speed && !is_slot_judged(devices[&slot], Aspect::speed, findings))
      add("link speed", "slot " + slot.slot, slot.line);
  }
  Subjects<SitePort> ports;
  for (const NetworkPort& port : network_ports(story))
    ports[story.site.port(port.port())].insert(port.component);
  for (const SitePort& port : story.site.ports)
    if (port.up != false && !is_told_apart(findings, story.site.origin(port.line)) &&
        !is_port_judged(ports[&port], port, findings))
      add(port.rate_gbps ? "rate" : "state", port.port, port.line);
  return unmet;
}

bool is_of_measurement(const Finding& finding) {
  return finding.aspect == Aspect::rate || finding.aspect == Aspect::data;
}

/// Rates that other tools measured are worth a word. They settle no link: a rate tells neither its
/// width nor its speed.
std::string nothing_judged(const Story& story, const std::vector<Finding>& findings) {
  std::string why = no_links(story).value_or("no link and no port gave a decided reading");
  const std::vector<NetworkPort> ports = network_ports(story);
  if (story.is_captured() && std::any_of(ports.begin(), ports.end(), [](const NetworkPort& port) {
        return port.is_software();
      }))
    why += ", and a port in software tells nothing of hardware";
  const bool rates = std::any_of(findings.begin(), findings.end(), [](const Finding& finding) {
    return is_of_measurement(finding) && finding.cls != FindingClass::undecided;
  });
  return rates && story.is_captured()
             ? "measured rates alone were judged, and they settle no link: " + why
             : "nothing was judged: " + why;
}

}  // namespace

bool Required::covers(const Finding& finding) const {
  return finding.code == "LB-STEP-INCOMPLETE" || finding.code == "LB-EXPECT-UNKNOWN" ||
         finding.aspect == Aspect::data || aspects.count(finding.aspect) > 0 ||
         of_site.count({finding.component, finding.aspect}) > 0;
}

Required required_by(const Story& story) {
  Required required;
  required.of_site = expected_by_site(story);
  if (story.start == nullptr) return required;
  for (const std::string& word : story.start->require) {
    if (const auto aspect = aspect_from(word))
      required.aspects.insert(*aspect);
    else
      required.unknown_words.push_back(word);
  }
  return required;
}

std::vector<std::string> gaps_in(const Story& story, const Evidence& evidence) {
  std::vector<std::string> gaps;
  if (story.start == nullptr)
    gaps.emplace_back("the evidence does not begin with a run_start record");
  if (story.site_error)
    gaps.push_back("the site file could not be understood: " + story.site_error->line());
  if (std::string text = end_of_run(story, evidence); !text.empty()) gaps.push_back(text);
  if (const std::int64_t missing = missing_records(evidence); missing > 0)
    gaps.push_back(fmt::format("{} record{} missing from the evidence", missing,
                               missing == 1 ? " is" : "s are"));
  if (evidence.torn_tail) gaps.emplace_back("the last line of the evidence was cut");
  if (evidence.bad_lines > 0)
    gaps.push_back(fmt::format("{} line{} of the evidence could not be read", evidence.bad_lines,
                               evidence.bad_lines == 1 ? "" : "s"));
  if (story.end != nullptr && story.end->lost_records > 0)
    gaps.push_back(fmt::format("{} record{} could not be written", story.end->lost_records,
                               story.end->lost_records == 1 ? "" : "s"));
  return gaps;
}

Survey survey(const Story& story, const RuleOutput& out) {
  Survey survey;
  // Every machine has an interface that is up. One that nobody asked about is no reason to pass,
  // and a port in software has no hardware that could be well.
  std::set<ComponentId> aside;
  for (const NetworkPort& port : network_ports(story))
    if (!port.matters() || port.is_software()) aside.insert(port.component);
  for (const Finding& finding : out.findings) {
    survey.named.insert(finding.aspect);
    if (finding.cls != FindingClass::undecided && about_links_or_ports(finding.aspect) &&
        !aside.contains(finding.component))
      survey.judged = true;
  }
  survey.unmet = unmet_expectations(story, out.findings);
  return survey;
}

std::optional<std::string> no_links(const Story& story) {
  if (has_links(story)) return std::nullopt;
  if (story.is_captured()) return "no captured text tells of a PCIe link";
  const auto functions =
      std::count_if(story.components.begin(), story.components.end(),
                    [](const auto& entry) { return entry.first.pci_address().has_value(); });
  if (functions == 0) return "this machine has no PCIe links (no PCI function found)";
  return fmt::format("this machine has no PCIe links ({} PCI function{}, none with link files)",
                     functions, functions == 1 ? "" : "s");
}

std::vector<std::string> gaps_in(const Story& story, const Required& required, const Survey& survey,
                                 const std::vector<Finding>& findings) {
  std::vector<std::string> gaps;
  if (!survey.judged) gaps.push_back(nothing_judged(story, findings));
  for (std::string& text : undecided_sentences(findings)) gaps.push_back(std::move(text));
  gaps.insert(gaps.end(), survey.unmet.begin(), survey.unmet.end());
  for (const std::string& word : required.unknown_words)
    gaps.push_back(fmt::format("\"{}\" is required, and this version does not judge it", word));
  if (survey.judged)
    for (std::string& text : unjudged_aspects(story, required, survey))
      gaps.push_back(std::move(text));
  return gaps;
}

}  // namespace linkburn
