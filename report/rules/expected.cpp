// Is everything there that the site expects?
//
// Whether ports are up and run at their rate is for the port rules; here they are only counted and
// looked for.
#include <fmt/core.h>

#include <algorithm>

#include "report/rules/link_view.h"
#include "report/rules/table.h"

namespace linkburn {
namespace {

Finding site_finding(const Story& story, std::string code, FindingClass cls, ComponentId component,
                     int line) {
  Finding finding;
  finding.code = std::move(code);
  finding.cls = cls;
  finding.component = std::move(component);
  finding.phase = story.live_run ? Phase::idle : Phase::passive;
  finding.origin = story.site.origin(line);
  return finding;
}

Finding unknown(const Story& story, ComponentId component, int line, std::string detail,
                std::string missing) {
  Finding finding =
      site_finding(story, "LB-EXPECT-UNKNOWN", FindingClass::undecided, std::move(component), line);
  finding.detail = std::move(detail);
  finding.missing = std::move(missing);
  return finding;
}

bool is_virtual(const Story& story, const std::optional<ComponentId>& device) {
  const Component* component = device ? story.component(*device) : nullptr;
  return component != nullptr && component->physical_function;
}

/// Why what is not in the evidence may be there all the same; empty when the inventory is whole.
std::string why_incomplete(const Story& story) {
  if (story.records_missing) return "records are missing from the evidence";
  if (story.end == nullptr && story.steps.empty()) return "the run ended during its inventory";
  for (const auto& part : story.parts)
    if (part->name == "pci_bus" && part->status != "found") return "no PCI bus is shown here";
  return {};
}

/// Devices that are listed and could not be read: each may be one of those that are missed.
int unreadable_devices(const Story& story) {
  return static_cast<int>(
      std::count_if(story.errors.begin(), story.errors.end(), [&](const auto& error) {
        return error->step.empty() && error->component && error->component->pci_address() &&
               story.component(*error->component) == nullptr;
      }));
}

int count_of(const Story& story, const std::string& type) {
  if (type == "port")
    return static_cast<int>(std::count_if(
        story.ports.begin(), story.ports.end(),
        [&](const auto& port) { return port->pci && !is_virtual(story, port->pci); }));
  return static_cast<int>(
      std::count_if(story.components.begin(), story.components.end(), [&](const auto& entry) {
        return entry.second->type == type && !entry.second->physical_function;
      }));
}

/// How many of a type the site expects: its number, else as many as it describes slots for.
int expected_of(const Story& story, const std::string& type) {
  if (const auto count = story.site.counts.find(type); count != story.site.counts.end())
    return count->second.count;
  return static_cast<int>(std::count_if(story.site.slots.begin(), story.site.slots.end(),
                                        [&](const SiteSlot& slot) { return slot.type == type; }));
}

/// The device in a slot: one of the expected type, which may hang below a switch on its card, else
/// the lower end of its link, else a function there. Null: none is.
const Component* device_in(const Story& story, const SiteSlot& slot) {
  for (const auto& entry : story.components)
    if (names_address(slot.slot, entry.first)) return entry.second.body;
  for (const auto& entry : story.components)
    if (entry.second->type == slot.type && !entry.second->physical_function &&
        names_place(slot.slot, place_of(story, entry.first)))
      return entry.second.body;
  for (const LinkStory& link : story.links)
    if (names_place(slot.slot, link.link->slot)) return story.component(link.link->component);
  for (const auto& entry : story.components)
    if (entry.second->port_type.empty() && names_place(slot.slot, entry.second->slot))
      return entry.second.body;
  return nullptr;
}

/// Ports without a device below them, by the names of their slots.
std::vector<Slot> empty_places(const Story& story) {
  std::vector<Slot> places;
  for (const auto& entry : story.components) {
    const Component& port = *entry.second;
    const auto empty = port.facts.find("empty");
    if (empty != port.facts.end() && empty->second == "yes" && port.slot)
      places.push_back(*port.slot);
  }
  return places;
}

bool is_shown_empty(const Story& story, const SiteSlot& slot) {
  const std::vector<Slot> places = empty_places(story);
  return std::any_of(places.begin(), places.end(),
                     [&](const Slot& place) { return names_place(slot.slot, place); });
}

bool is_address(const SiteSlot& slot) {
  return parse_pci_address(slot.slot) || parse_pci_address(slot.slot + ".0");
}

ComponentId component_of(const SiteSlot& slot) {
  return is_address(slot) ? ComponentId::from_evidence(slot.slot) : ComponentId::node();
}

std::optional<Slot> place_of(const SiteSlot& slot) {
  return is_address(slot) ? std::nullopt : std::optional(Slot{slot.slot, "site"});
}

/// What the slots of one type say, and how many of the missing devices they name.
class SlotJudge {
 public:
  SlotJudge(const Story& story, RuleOutput& out) : story_(story), out_(out) {}

  /// Judges all slots of a type ("": of any) and returns how many missing devices it named.
  int judge(const std::string& type) {
    std::vector<const SiteSlot*> empty;
    for (const SiteSlot& slot : story_.site.slots) {
      if (slot.type != type) continue;
      if (const Component* device = device_in(story_, slot))
        judge_device(slot, *device);
      else
        empty.push_back(&slot);
    }
    // A device that only has another address or label than before is not lost: the number tells.
    const int shortfall = expected_of(story_, type) - count_of(story_, type);
    int named = 0;
    for (const SiteSlot* slot : empty) {
      const bool sure = type.empty() ? is_address(*slot) || is_shown_empty(story_, *slot)
                                     : shortfall >= static_cast<int>(empty.size()) ||
                                           (shortfall > 0 && is_shown_empty(story_, *slot));
      named += judge_empty(*slot, sure) ? 1 : 0;
    }
    return named;
  }

 private:
  void judge_device(const SiteSlot& slot, const Component& device) {
    const bool right = slot.type.empty() || slot.type == device.type;
    Finding finding = site_finding(story_, right ? "LB-HEALTHY" : "LB-EXPECT-OTHER",
                                   right ? FindingClass::healthy : FindingClass::misconfigured,
                                   device.component, slot.line);
    finding.detail = right ? "as the site expects"
                           : fmt::format("holds a device of type {}, the site expects {}",
                                         device.type, slot.type);
    out_.findings.push_back(std::move(finding));
  }

  /// True when the device is lost for certain.
  bool judge_empty(const SiteSlot& slot, bool sure) {
    std::string doubt = why_incomplete(story_);
    if (doubt.empty() && unreadable_devices(story_) > 0)
      doubt = "devices are listed that could not be read";
    if (doubt.empty() && !sure)
      doubt = slot.type.empty() ? "no source calls a slot so"
                                : "as many of its type as expected are at other places";
    const std::string what = slot.type.empty() ? "device" : slot.type;
    Finding finding =
        doubt.empty() ? site_finding(story_, "LB-EXPECT-MISSING", FindingClass::lost,
                                     component_of(slot), slot.line)
                      : unknown(story_, component_of(slot), slot.line, {},
                                "slot names as they were when the site file was written: root, and "
                                "all of /sys");
    finding.detail =
        fmt::format("no {} at {}{}{}", what, slot.slot, doubt.empty() ? "" : ": ", doubt);
    finding.place = place_of(slot);
    out_.findings.push_back(std::move(finding));
    return doubt.empty();
  }

  const Story& story_;
  RuleOutput& out_;
};

/// Why a port that is not shown may be there all the same; empty when it cannot be. Another network
/// namespace shows other interfaces, and in a container none of hardware.
std::string why_not_shown(const Story& story, bool rdma) {
  if (std::string why = why_incomplete(story); !why.empty()) return why;
  if (rdma) {
    const bool uncaptured =
        std::any_of(story.parts.begin(), story.parts.end(), [](const auto& part) {
          return part->name == "rdma_devices" && part->status == "unusable";
        });
    return uncaptured ? "the capture has no RDMA devices" : "";
  }
  const bool any = std::any_of(
      story.interfaces.begin(), story.interfaces.end(),
      [](const auto& interface) { return interface->type == "physical" && interface->pci; });
  return any ? "" : "no interface of hardware is shown here";
}

bool is_rdma(const SitePort& port) { return port.port.find('/') != std::string::npos; }

/// Device names are given by the driver or by udev ("mlx5_0" or "rocep65s0"): when not one port
/// goes by the site's name, and no fewer are there, they only have other names.
bool are_renamed(const Story& story) {
  const auto described = std::count_if(story.site.ports.begin(), story.site.ports.end(), is_rdma);
  const bool any_known = std::any_of(story.ports.begin(), story.ports.end(), [&](const auto& port) {
    const SitePort* expected = story.site.port(*port);
    return expected != nullptr && is_rdma(*expected);
  });
  const auto count = story.site.counts.find("port");
  const auto expected = count == story.site.counts.end() ? described : count->second.count;
  return !any_known && count_of(story, "port") >= std::max<std::ptrdiff_t>(expected, described);
}

/// Ports that the site describes and nobody shows. Returns how many RDMA ports are lost.
int judge_ports(const Story& story, RuleOutput& out) {
  int named = 0;
  for (const SitePort& expected : story.site.ports) {
    const bool rdma = is_rdma(expected);
    const bool there =
        std::any_of(story.ports.begin(), story.ports.end(),
                    [&](const auto& port) { return story.site.port(*port) == &expected; }) ||
        std::any_of(story.interfaces.begin(), story.interfaces.end(), [&](const auto& interface) {
          return interface->component.text() == expected.port;
        });
    if (there || expected.up == false) continue;
    const ComponentId component = ComponentId::from_evidence(expected.port);
    std::string doubt = why_not_shown(story, rdma);
    if (doubt.empty() && rdma && are_renamed(story))
      doubt = "as many ports as expected are there under other names";
    Finding finding =
        doubt.empty()
            ? site_finding(story, "LB-EXPECT-MISSING", FindingClass::lost, component, expected.line)
            : unknown(story, component, expected.line, {}, "the host's own view");
    finding.aspect = Aspect::ports;
    finding.detail = "no such port" + (doubt.empty() ? "" : ": " + doubt);
    out.findings.push_back(std::move(finding));
    named += rdma && doubt.empty() ? 1 : 0;
  }
  return named;
}

/// Where a missing device may belong: what is missing has no place of its own.
void name_empty_places(const Story& story, int missing, Finding& finding) {
  const std::vector<Slot> places = empty_places(story);
  std::string labels;
  for (const Slot& place : places) labels += (labels.empty() ? "" : ", ") + place.label;
  if (!labels.empty()) finding.detail += "; empty slots: " + labels;
  if (places.size() == 1 && missing == 1) finding.place = places.front();
}

/// `named`: missing ones that have a finding of their own.
void judge_count(const Story& story, const std::string& type, const SiteCount& expected, int named,
                 RuleOutput& out) {
  const int found = count_of(story, type);
  const std::string numbers =
      fmt::format("{} of {} {} {} there", found, expected.count, type, found == 1 ? "is" : "are");
  if (found > expected.count) {
    out.not_judged.push_back({fmt::format("number of {}", type),
                              fmt::format("{} are there, {} says {}", found,
                                          story.site.origin(expected.line), expected.count),
                              "a site file that names them, if they belong there",
                              {}});
    return;
  }
  const int missing = expected.count - found;
  if (missing > 0 && missing <= named) return;
  Finding finding = site_finding(story, missing == 0 ? "LB-HEALTHY" : "LB-EXPECT-MISSING",
                                 missing == 0 ? FindingClass::healthy : FindingClass::lost,
                                 ComponentId::node(), expected.line);
  std::string doubt = type == "port" ? why_not_shown(story, true) : why_incomplete(story);
  if (doubt.empty() && missing > 0 && unreadable_devices(story) >= missing)
    doubt = "devices are listed that could not be read";
  if (missing > 0 && !doubt.empty())
    finding = unknown(story, ComponentId::node(), expected.line, {},
                      "an inventory of the host, with all of /sys");
  if (type == "port") finding.aspect = Aspect::ports;
  finding.limit.text = fmt::format("{} {}", expected.count, type);
  finding.detail = numbers + (missing > 0 && !doubt.empty() ? ": " + doubt : "");
  if (missing > 0 && doubt.empty() && type != "port" && type != "numa")
    name_empty_places(story, missing, finding);
  out.findings.push_back(std::move(finding));
}

void apply(const Story& story, RuleOutput& out) {
  const Site& site = story.site;
  if (site.host_blocks && !site.host_found)
    out.not_judged.push_back({"what the site expects of this node",
                              fmt::format("no [[host]] block of {} is for it", site.file),
                              "a block whose 'match' names it",
                              {}});
  SlotJudge slots(story, out);
  std::map<std::string, int> named;
  named[""] = slots.judge("");
  for (const SiteSlot& slot : site.slots)
    if (!slot.type.empty() && named.count(slot.type) == 0)
      named[slot.type] = slots.judge(slot.type);
  named["port"] = judge_ports(story, out);
  for (const auto& [type, count] : site.counts) judge_count(story, type, count, named[type], out);
}

}  // namespace

const Rule expected_rule{"expected", "Is everything there that the site expects?", apply};

}  // namespace linkburn
