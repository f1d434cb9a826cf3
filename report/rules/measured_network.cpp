// Do RDMA ports and collectives give what other tools' numbers can show? Between two nodes lie
// switches, cables and another node, so a low rate never makes this node's port a fault.
#include <fmt/core.h>

#include <algorithm>

#include "report/rules/network_port.h"
#include "report/rules/table.h"

namespace linkburn {
namespace {

/// Smaller messages measure latency; 64 KiB is what perftest sends unless told otherwise.
constexpr std::int64_t kLeastBytes = 64 * 1024;

// Payload of a port's rate: 99 per cent on InfiniBand with an MTU of 4096, 91 on RoCE v2 over IPv6
// with one of 1024 [header sizes of InfiniBand and Ethernet]. Below this it is not the headers.
constexpr double kUsual = 0.90;
/// Of both directions together; the host's memory and slot are shared by them.
constexpr double kUsualDuplex = 0.80;

Finding network_finding(const Seen<Measurement>& measured, std::string code, FindingClass cls) {
  Finding finding;
  finding.code = std::move(code);
  finding.cls = cls;
  finding.aspect = Aspect::rate;
  finding.component = measured->component;
  finding.phase = Phase::passive;
  finding.evidence = {measured.seq};
  finding.achieved.text = measured->text;
  finding.achieved.rate_gbs = measured->rate_gbs;
  return finding;
}

/// The port of the measurement. The tests print the device alone, so its only port is meant where
/// the first is not there.
const NetworkPort* port_of(const std::vector<NetworkPort>& ports, const ComponentId& measured) {
  const std::string& text = measured.text();
  const std::string device = text.substr(0, text.find('/') + 1);
  const NetworkPort* only = nullptr;
  for (const NetworkPort& port : ports) {
    if (port.component == measured) return &port;
    if (device.empty() || !port.component.text().starts_with(device)) continue;
    if (only != nullptr) return nullptr;
    only = &port;
  }
  return only;
}

void judge_rdma(const std::vector<NetworkPort>& ports, const Seen<Measurement>& measured,
                RuleOutput& out) {
  const NetworkPort* port = port_of(ports, measured->component);
  const auto note = [&](std::string why, std::string needs) {
    out.not_judged.push_back(
        {fmt::format("{} of {} at {}", measured->test, measured->text, measured->component.text()),
         std::move(why),
         std::move(needs),
         {}});
  };
  if (!measured->rate_gbs || (measured->bytes && *measured->bytes < kLeastBytes))
    return note("messages below 64 KiB measure latency", "a test with larger messages");
  if (port == nullptr || !port->negotiated_gbps())
    return note("the rate of its port is not known",
                "ibstat, ibv_devinfo -v or ethtool of the port");
  if (!port->is_hardware())
    return note("the port has no cable of its own", "a test over a port of an adapter");
  const bool duplex = measured->direction == "duplex";
  const double rate_gbps = *measured->rate_gbs * 8;
  const double share = rate_gbps / (*port->negotiated_gbps() * (duplex ? 2 : 1));
  const bool usual = share >= (duplex ? kUsualDuplex : kUsual);
  Finding finding = network_finding(measured, usual ? "LB-HEALTHY" : "LB-RATE-NETWORK",
                                    usual ? FindingClass::healthy : FindingClass::marginal);
  finding.component = port->component;
  finding.negotiated = rate_quantity(*port->negotiated_gbps());
  finding.detail = fmt::format("{}{} {:.1f} Gb/s, {:.0f} % of the port's {:g} Gb/s{}",
                               measured->test, duplex ? " both directions together" : "", rate_gbps,
                               share * 100, *port->negotiated_gbps(), duplex ? " each way" : "");
  if (!usual) {
    finding.limit.text = fmt::format("{:.0f} %", (duplex ? kUsualDuplex : kUsual) * 100);
    finding.origin = "what headers leave of a port's rate";
    finding.detail +=
        "; the port itself runs at its rate. One queue pair, a small MTU, the PCIe slot of either "
        "adapter, a process on another NUMA node, congestion or the other node look like this: "
        "repeat with -q 4 and larger messages, the other way round, and with a third node";
  }
  out.findings.push_back(std::move(finding));
}

void judge_collective(const Seen<Measurement>& measured, RuleOutput& out) {
  if (measured->wrong) {
    const bool wrong = *measured->wrong > 0;
    Finding finding = network_finding(measured, wrong ? "LB-DATA-WRONG" : "LB-HEALTHY",
                                      wrong ? FindingClass::degraded : FindingClass::healthy);
    finding.aspect = Aspect::data;
    finding.detail = fmt::format("{}: {} element{} arrived with another value", measured->tool,
                                 *measured->wrong, *measured->wrong == 1 ? "" : "s");
    if (wrong) {
      finding.limit.text = "0 elements";
      finding.origin = "data must arrive as it was sent";
    }
    out.findings.push_back(std::move(finding));
  }
  if (measured->rate_gbs)
    out.not_judged.push_back({fmt::format("{} of {}", measured->text, measured->tool),
                              "the rate of a collective tells of a link only where ranks, "
                              "algorithm and fabric are known",
                              "the same test on an equal node, or tests of single links",
                              {}});
}

void apply(const Story& story, RuleOutput& out) {
  const bool any = std::any_of(story.measurements.begin(), story.measurements.end(),
                               [](const auto& one) { return one->tool == "perftest"; });
  const std::vector<NetworkPort> ports = any ? network_ports(story) : std::vector<NetworkPort>();
  for (const auto& measured : story.measurements) {
    if (measured->tool == "perftest") judge_rdma(ports, measured, out);
    if (measured->direction == "collective") judge_collective(measured, out);
  }
}

}  // namespace

const Rule measured_network_rule{
    "measured_network", "Do RDMA tests and collectives give what they should, and right?", apply};

}  // namespace linkburn
