// Do the modules keep cool, by their own limits? A module that carries less than its port is judged
// with the port's rate; what the adapter's driver says of a module, by the rule over the kernel
// log.
#include <fmt/format.h>

#include "bench/base/text.h"
#include "report/rules/network_port.h"
#include "report/rules/table.h"

namespace linkburn {
namespace {

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
    if (port.is_hardware() && port.interface != nullptr && port.interface->module)
      judge_heat(story, port, *port.interface->module, out);
  }
}

}  // namespace

const Rule port_module_rule{"port_module", "Do the modules of the ports keep cool?", apply};

}  // namespace linkburn
