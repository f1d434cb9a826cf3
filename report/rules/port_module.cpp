// Do module, cable and slot serve the ports well? Heat by the module's own limit, and what the
// adapter's driver says in the kernel log. A module that carries less than the port is judged with
// the port's rate.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "bench/base/text.h"
#include "report/rules/network_port.h"
#include "report/rules/table.h"

namespace linkburn {
namespace {

/// A topic of kernel lines, the words that tell a fault from a notice, and its code.
struct Topic {
  std::string_view topic, code;
  std::array<std::string_view, 3> words;
};

// [linux drivers/net/ethernet/mellanox/mlx5/core/events.c; broadcom/bnxt/bnxt.c; intel/ice/
// ice_main.c]
constexpr std::array kTopics{
    Topic{"module", "LB-PORT-MODULE", {"rror", "shorted", "unplugged"}},
    Topic{"thermal", "LB-PORT-HOT", {"emperature", "hermal", {}}},
    Topic{"slot_power", "LB-PORT-POWER", {"nsufficient", "unadvertised", {}}},
};

const Topic* topic_of(const Story& story, const KernelLine& line) {
  const auto topic = std::find_if(kTopics.begin(), kTopics.end(),
                                  [&](const Topic& known) { return known.topic == line.topic; });
  if (topic == kTopics.end()) return nullptr;
  for (const std::string_view word : topic->words) {
    // Before a run somebody may have been at the cables; in a run nobody is.
    if (word.empty() || (word == "unplugged" && !story.live_run)) continue;
    if (line.text.find(word) != std::string::npos) return &*topic;
  }
  return nullptr;
}

/// One finding for all lines of one topic about the adapter of this port.
void judge_lines(const Story& story, const NetworkPort& port, const Topic& topic, RuleOutput& out) {
  std::optional<Finding> finding;
  int lines = 0;
  for (const auto& line : story.kernel_lines) {
    if (!line->component || *line->component != *port.pci || topic_of(story, *line) != &topic)
      continue;
    ++lines;
    if (!finding) {
      finding = port_finding(story, port, std::string(topic.code), FindingClass::marginal,
                             Aspect::errors);
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

/// "Mellanox MFS1S00-H003E, serial MT2026VS01234".
std::string name_of(const Module& module) {
  std::string name = fmt::format("{} {}", module.vendor, module.part_number);
  name = trim(name);
  if (!module.serial.empty())
    name += fmt::format("{}serial {}", name.empty() ? "" : ", ", module.serial);
  return name.empty() ? module.identifier : name;
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
  finding.detail = fmt::format("module {} is at {:.0f} C, its own alarm is at {:.0f} C",
                               name_of(module), *module.temperature_c, alarm_c);
  finding.limit.text = fmt::format("{:.0f} C", alarm_c);
  finding.origin = "alarm threshold in the module's memory";
  out.findings.push_back(std::move(finding));
}

void apply(const Story& story, RuleOutput& out) {
  for (const NetworkPort& port : network_ports(story)) {
    if (!port.is_hardware()) continue;
    if (port.interface != nullptr && port.interface->module)
      judge_heat(story, port, *port.interface->module, out);
    for (const Topic& topic : kTopics) judge_lines(story, port, topic, out);
  }
}

}  // namespace

const Rule port_module_rule{"port_module", "Do module, cable and slot serve the ports well?",
                            apply};

}  // namespace linkburn
