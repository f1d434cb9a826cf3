// Is every RDMA port up?
#include <fmt/format.h>

#include <strings.h>

#include <algorithm>

#include "report/rules/table.h"

namespace linkburn {
namespace {

/// Words of `state` and `phys_state` [linux drivers/infiniband/core/sysfs.c], in any case.
bool is(const std::string& word, const char* expected) {
  return ::strcasecmp(word.c_str(), expected) == 0;
}

Finding port_finding(const Story& story, const Seen<Port>& port) {
  Finding finding;
  finding.code = "LB-PORT-STATE";
  finding.aspect = Aspect::ports;
  finding.component = port->component;
  finding.phase = story.live_run ? Phase::idle : Phase::passive;
  finding.at_ns = port.at_ns;
  finding.evidence = {port.seq};
  return finding;
}

Finding healthy(Finding finding, std::string detail) {
  finding.code = "LB-HEALTHY";
  finding.cls = FindingClass::healthy;
  finding.detail = std::move(detail);
  return finding;
}

Finding active(Finding finding, const Port& port) {
  finding.negotiated.text = port.rate_text;
  // Gb/s to GB/s.
  if (port.rate_gbps) finding.negotiated.rate_gbs = *port.rate_gbps / 8;
  return healthy(std::move(finding), {});
}

std::string_view why_down(const Port& port) {
  if (is(port.phys_state, "LinkUp")) return "there is a signal, and something holds the port down";
  if (is(port.phys_state, "Polling")) return "no signal from a partner, unused or unplugged";
  return "unused, or down for a reason that is not shown";
}

/// An adapter whose driver shows no port: nothing can be said of its ports.
void note_adapters_without_ports(const Story& story, RuleOutput& out) {
  for (const auto& entry : story.components) {
    const ComponentId& adapter = entry.first;
    const bool has_port = std::any_of(story.ports.begin(), story.ports.end(),
                                      [&](const auto& port) { return port->pci == adapter; });
    if (entry.second->type == "infiniband" && !has_port)
      out.not_judged.push_back({"RDMA ports of " + adapter.text(),
                                "no RDMA driver shows them",
                                "the adapter's driver, and its files in /sys/class/infiniband",
                                {}});
  }
}

Finding judge_port(const Story& story, const Seen<Port>& port) {
  Finding finding = port_finding(story, port);
  if (is(port->state, "ACTIVE")) return active(std::move(finding), *port);
  if (port->state.empty()) {
    finding.code = "LB-NO-EVIDENCE";
    finding.detail = "the state of the port is not known";
    finding.missing = "its state file, as the host sees it";
    return finding;
  }
  // On Ethernet this is only the reading of an interface that is down, for whatever reason
  // [linux drivers/infiniband/hw/mlx5/main.c].
  if (is(port->phys_state, "Disabled") && is(port->link_layer, "InfiniBand"))
    return healthy(std::move(finding), "unused: switched off");
  if (is(port->link_layer, "InfiniBand") && is(port->state, "INIT") &&
      is(port->phys_state, "LinkUp")) {
    finding.code = "LB-PORT-NO-SM";
    finding.cls = FindingClass::misconfigured;
    finding.detail = "the link is up, but no subnet manager has brought the port to ACTIVE";
    return finding;
  }
  finding.detail =
      fmt::format("port is {}{}{}: {}", port->state, port->phys_state.empty() ? "" : ", ",
                  port->phys_state, why_down(*port));
  finding.missing = "which ports of this node must be up";
  return finding;
}

void apply(const Story& story, RuleOutput& out) {
  for (const auto& port : story.ports) {
    out.findings.push_back(judge_port(story, port));
    if (is(port->state, "ACTIVE"))
      out.not_judged.push_back({"rate of " + port->component.text(),
                                "no rating for it without a site file",
                                "what this port is rated for",
                                {}});
  }
  note_adapters_without_ports(story, out);
}

}  // namespace

const Rule port_state_rule{"port_state", "Is every RDMA port up?", apply};

}  // namespace linkburn
