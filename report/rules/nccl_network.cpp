// Does NCCL use the network that this node has, and do RDMA connections come about? What NCCL says
// comes from its own log (NCCL_DEBUG=INFO); a connection that fails is seldom a fault of hardware.
#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "report/rules/network_port.h"
#include "report/rules/table.h"

namespace linkburn {
namespace {

/// What NCCL said of one kind, each thing once.
using Said = std::vector<const Seen<Reading>*>;

Said said(const Story& story, std::string_view quantity, std::string_view text = {}) {
  Said found;
  for (const auto& reading : story.readings)
    if (reading->quantity == quantity && (text.empty() || reading->text == text))
      found.push_back(&reading);
  return found;
}

Finding nccl_finding(const Said& readings, std::string code, FindingClass cls) {
  Finding finding;
  finding.code = std::move(code);
  finding.cls = cls;
  // Not of ports: a warning of NCCL judges none of them, so it must not pass for it.
  finding.aspect = Aspect::rate;
  finding.component = ComponentId::node();
  finding.phase = Phase::passive;
  constexpr std::size_t kMostEvidence = 64;
  for (const Seen<Reading>* reading : readings)
    if (finding.evidence.size() < kMostEvidence) finding.evidence.push_back(reading->seq);
  return finding;
}

std::vector<const NetworkPort*> active_rdma(const std::vector<NetworkPort>& ports) {
  std::vector<const NetworkPort*> active;
  for (const NetworkPort& port : ports)
    if (port.rdma != nullptr && port.is_active() && port.is_hardware()) active.push_back(&port);
  return active;
}

/// Sockets although there is RDMA. It is certain where a setting says so, or where traffic between
/// nodes went over sockets past an active InfiniBand port, which serves nothing else; RoCE ports
/// are plain Ethernet ports as well, and a test within one node or a container needs none of them.
void judge_transport(const Story& story, const std::vector<NetworkPort>& ports, RuleOutput& out) {
  Said sockets = said(story, "nccl_network", "Socket");
  const Said between = said(story, "nccl_used", "NET/Socket");
  sockets.insert(sockets.end(), between.begin(), between.end());
  if (sockets.empty()) {
    if (!said(story, "nccl_used", "NET/IB").empty() || !said(story, "nccl_network", "IB").empty())
      out.not_judged.push_back({"transport of NCCL", "it uses RDMA (NET/IB)", {}, {}});
    return;
  }
  const auto active = active_rdma(ports);
  if (active.empty()) {
    out.not_judged.push_back({"transport of NCCL",
                              "it uses sockets, and whether this node has active RDMA ports is not "
                              "known",
                              "ibstat or ibv_devinfo of this node",
                              {}});
    return;
  }
  const Said disabled = said(story, "nccl_setting", "NCCL_IB_DISABLE=1");
  const Said missing = said(story, "nccl_no_device");
  const bool infiniband = std::any_of(
      active.begin(), active.end(), [](const NetworkPort* port) { return port->is_infiniband(); });
  const bool sure = !between.empty() && infiniband;
  Finding finding = nccl_finding(sockets, "LB-NCCL-SOCKET",
                                 sure ? FindingClass::misconfigured : FindingClass::marginal);
  finding.detail = fmt::format(
      "NCCL uses sockets although {} is active{}", active.front()->component.text(),
      active.size() > 1 ? fmt::format(" and {} more", active.size() - 1) : std::string());
  if (!disabled.empty())
    finding.detail += "; NCCL_IB_DISABLE=1 is set";
  else if (!missing.empty())
    finding.detail +=
        "; it found no RDMA device: is /dev/infiniband in its container, and does "
        "NCCL_IB_HCA name a device that is there?";
  finding.origin = "RDMA ports carry several times what sockets do";
  out.findings.push_back(std::move(finding));
}

bool names_link_local(std::string_view text) {
  return text.find("fe80:") != std::string_view::npos;
}

bool is_status(std::string_view text, std::string_view number) {
  for (const std::string_view word : {"error ", "status=", "status "})
    for (std::size_t at = text.find(word); at != std::string_view::npos;
         at = text.find(word, at + 1)) {
      const std::string_view rest = text.substr(at + word.size());
      const bool whole =
          rest.size() == number.size() ||
          (rest.size() > number.size() && (rest[number.size()] < '0' || rest[number.size()] > '9'));
      if (rest.starts_with(number) && whole) return true;
    }
  return false;
}

/// What such a message usually means [ibv_modify_qp(3), ibv_poll_cq(3): IBV_WC_RETRY_EXC_ERR].
std::string meaning_of(std::string_view text) {
  if (names_link_local(text))
    return "a link-local address was used, which is not routed: another entry of the GID table is "
           "the right one";
  if (text.find("ibv_modify_qp") != std::string_view::npos) {
    if (text.find("timed out") != std::string_view::npos)
      return "the neighbour of a GID was not found: a GID of the wrong address or version, or a "
             "node that is not reached over it";
    return "the GID index in use has no valid entry, or the ends use different types";
  }
  if (is_status(text, "12"))
    return "nothing came back from the peer: GID, VLAN, MTU, a filter in between, or the peer's "
           "port";
  if (is_status(text, "5")) return "a consequence of an earlier error of the same connection";
  return "look for the first such error, at both ends";
}

void judge_connections(const Story& story, RuleOutput& out) {
  std::map<ComponentId, Said> by_port;
  for (const Seen<Reading>* reading : said(story, "rdma_connection"))
    by_port[(*reading)->component].push_back(reading);
  for (const auto& [component, readings] : by_port) {
    Finding finding = nccl_finding(readings, "LB-RDMA-CONNECT", FindingClass::marginal);
    finding.component = component;
    const std::string& text = (*readings.front())->text;
    finding.detail = fmt::format("{}; {}", text, meaning_of(text));
    out.findings.push_back(std::move(finding));
  }
}

/// Every process tells of the same event, so they are not counted.
void judge_port_events(const Story& story, RuleOutput& out) {
  for (const Seen<Reading>* reading : said(story, "nccl_port_event", "port error")) {
    Finding finding = nccl_finding({reading}, "LB-PORT-FLAP", FindingClass::marginal);
    finding.component = (*reading)->component;
    finding.detail = "NCCL was told by the adapter that the port lost its link while a job used it";
    finding.origin = "a port in use keeps its link";
    out.findings.push_back(std::move(finding));
  }
}

void apply(const Story& story, RuleOutput& out) {
  const bool any = std::any_of(story.readings.begin(), story.readings.end(), [](const auto& one) {
    return one->quantity.starts_with("nccl_") || one->quantity == "rdma_connection";
  });
  if (!any) return;
  judge_transport(story, network_ports(story), out);
  judge_connections(story, out);
  judge_port_events(story, out);
}

}  // namespace

const Rule nccl_network_rule{
    "nccl_network", "Does NCCL use the network that this node has, and do connections come about?",
    apply};

}  // namespace linkburn
