// Do module, cable and slot serve the ports well? Heat by the module's own limit, and what the
// adapter's driver says in the kernel log. A module that carries less than the port is judged with
// the port's rate.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>

#include "bench/base/text.h"
#include "report/rules/network_port.h"
#include "report/rules/table.h"

namespace linkburn {
namespace {

/// A topic of kernel lines, its code, and how much it weighs: during a run nobody is at the cables;
/// since boot somebody may have been, and `healthy` is no news at all.
struct Topic {
  std::string_view topic, code;
  FindingClass in_run, since_boot;
};

constexpr std::array kTopics{
    Topic{"module_error", "LB-PORT-MODULE", FindingClass::degraded, FindingClass::marginal},
    Topic{"module_unplugged", "LB-PORT-MODULE", FindingClass::degraded, FindingClass::healthy},
    Topic{"device_hot", "LB-PORT-HOT", FindingClass::marginal, FindingClass::marginal},
    // Ports that are switched off for want of power.
    Topic{"port_power", "LB-PORT-POWER", FindingClass::misconfigured, FindingClass::misconfigured},
    // Some boards state no slot power, and their adapters say this at each start and run well.
    Topic{"slot_power", "LB-PORT-POWER", FindingClass::marginal, FindingClass::marginal},
};

/// One finding for all lines of one topic about the adapter of this port.
void judge_lines(const Story& story, const NetworkPort& port, const Topic& topic, RuleOutput& out) {
  const FindingClass cls = story.live_run ? topic.in_run : topic.since_boot;
  if (cls == FindingClass::healthy) return;
  std::optional<Finding> finding;
  int lines = 0;
  for (const auto& line : story.kernel_lines) {
    if (line->component != *port.pci || line->topic != topic.topic) continue;
    ++lines;
    if (!finding) {
      finding = port_finding(story, port, std::string(topic.code), cls, Aspect::errors);
      finding->detail = fmt::format("the kernel says: {}", line->text);
      finding->phase = line->phase;
      finding->at_ns = line.at_ns;
      finding->evidence.clear();
    }
    finding->evidence.push_back(line.seq);
  }
  if (!finding) return;
  if (lines > 1) finding->detail += fmt::format(" ({} such lines)", lines);
  out.findings.push_back(std::move(*finding));
}

/// "module Mellanox MFS1S00-H003E, serial MT2026VS01234"; "module" where nothing names it.
std::string name_of(const Module& module) {
  std::string name = fmt::format("{} {}", module.vendor, module.part_number);
  name = trim(name);
  if (!module.serial.empty())
    name += fmt::format("{}serial {}", name.empty() ? "" : ", ", module.serial);
  if (name.empty()) name = module.identifier;
  return name.empty() ? "module" : "module " + name;
}

/// Copper cables have no sensor: their alarm reads as zero.
void judge_heat(const Story& story, const NetworkPort& port, const Module& module,
                RuleOutput& out) {
  const double alarm_c = module.temperature_high_alarm_c.value_or(0);
  if (!module.temperature_c || alarm_c <= 0) return;
  if (*module.temperature_c < alarm_c) {
    out.findings.push_back(healthy_port(story, port, Aspect::errors, ""));
    return;
  }
  Finding finding =
      port_finding(story, port, "LB-PORT-HOT", FindingClass::marginal, Aspect::errors);
  finding.detail = fmt::format("{} is at {:.0f} C, its own alarm is at {:.0f} C", name_of(module),
                               *module.temperature_c, alarm_c);
  finding.limit.text = fmt::format("{:.0f} C", alarm_c);
  finding.origin = "alarm threshold in the module's memory";
  out.findings.push_back(std::move(finding));
}

/// What a module says is too hot, or too weak. Lanes without light raise alarms by right, so only
/// those of a link that is up count.
void judge_alarms(const Story& story, const NetworkPort& port, const Module& module,
                  RuleOutput& out) {
  const auto is_heat = [](const std::string& alarm) {
    return alarm.starts_with("Module temperature high") ||
           alarm.starts_with("Laser temperature high");
  };
  for (const bool heat : {true, false}) {
    std::vector<std::string_view> raised;
    for (const std::string& alarm : module.alarms)
      if (is_heat(alarm) == heat) raised.push_back(alarm);
    if (raised.empty() || (!heat && !port.is_active())) continue;
    Finding finding = port_finding(story, port, heat ? "LB-PORT-HOT" : "LB-PORT-MODULE",
                                   FindingClass::marginal, Aspect::errors);
    finding.detail = fmt::format("{} raises: {}", name_of(module), fmt::join(raised, ", "));
    out.findings.push_back(std::move(finding));
  }
}

/// Its own word on the heat goes before the comparison of what it measures with its limit.
bool tells_of_heat(const Module& module) {
  return std::any_of(module.alarms.begin(), module.alarms.end(), [](const std::string& alarm) {
    return alarm.find("temperature high") != std::string::npos;
  });
}

void judge_module(const Story& story, const NetworkPort& port, RuleOutput& out) {
  if (port.interface == nullptr || !port.interface->module) return;
  const Module& module = *port.interface->module;
  judge_alarms(story, port, module, out);
  if (!tells_of_heat(module)) judge_heat(story, port, module, out);
}

void apply(const Story& story, RuleOutput& out) {
  std::set<ComponentId> told;  // a line names the function, which can have two ports: one fault
  for (const NetworkPort& port : network_ports(story)) {
    if (!port.is_hardware()) continue;
    judge_module(story, port, out);
    if (!port.pci || !told.insert(*port.pci).second) continue;
    for (const Topic& topic : kTopics) judge_lines(story, port, topic, out);
  }
}

}  // namespace

const Rule port_module_rule{"port_module", "Do module, cable and slot serve the ports well?",
                            apply};

}  // namespace linkburn
