// Does every active port run at its rated rate, on all of its lanes? A port that is down shows a
// rate that its driver has made up, so only active ports are judged.
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "bench/base/text.h"
#include "report/rules/network_port.h"
#include "report/rules/table.h"

namespace linkburn {
namespace {

// Nominal rates are rounded: FDR is 54.5 or 56 Gb/s, depending on who says it. No two rates of
// neighbouring speeds or widths are nearer than a fifth.
constexpr double kTolerance = 0.05;
bool is_below(double gbps, double limit_gbps) { return gbps < limit_gbps * (1 - kTolerance); }

// InfiniBand ports and the Ethernet modes from 40 to 200 Gb/s have four lanes; slower modes have
// one [InfiniBand Architecture Specification, volume 1, PortInfo; IEEE 802.3, clause 80].
constexpr int kUsualLanes = 4;
constexpr double kFourLanesFrom_gbps = 40;
constexpr int kMostLanes = 16;  // no Ethernet mode has more

/// What keeps a port below its rating, other than a fault of its link.
struct Limiter {
  double gbps = 0;
  std::string words;
  FindingClass cls = FindingClass::limited;
};

/// "Mellanox MCP1600-E001", else "the module".
std::string name_of(const Module& module) {
  const std::string name = fmt::format("{} {}", module.vendor, module.part_number);
  return trim(name).empty() ? "the module" : "the module " + std::string(trim(name));
}

/// The lowest of what module, settings and partner give, if any of them gives less than `rated`.
/// What says less than the port runs at is wrong, and holds nothing back.
std::optional<Limiter> limiter_of(const NetworkPort& port, double rated_gbps) {
  std::vector<Limiter> limiters;
  const auto add = [&](std::optional<double> gbps, const std::string& words, FindingClass cls) {
    if (gbps && *gbps > 0 && is_below(*gbps, rated_gbps) &&
        !is_below(*gbps, port.negotiated_gbps().value_or(0)))
      limiters.push_back({*gbps, words, cls});
  };
  const Interface* interface = port.interface;
  if (interface == nullptr) return std::nullopt;
  if (interface->module && interface->module->rate_gbps)
    add(interface->module->rate_gbps,
        fmt::format("{} carries {:g} Gb/s", name_of(*interface->module),
                    *interface->module->rate_gbps),
        FindingClass::limited);
  if (interface->partner_gbps)
    add(interface->partner_gbps,
        fmt::format("the partner offers {:g} Gb/s", *interface->partner_gbps),
        FindingClass::limited);
  // Without negotiation nothing is advertised, whatever the driver lists.
  if (interface->autonegotiation != false && interface->advertised_gbps &&
      interface->supported_gbps &&
      is_below(*interface->advertised_gbps, *interface->supported_gbps))
    add(interface->advertised_gbps,
        fmt::format("{} is set to {:g} of the {:g} Gb/s that it supports",
                    interface->component.text(), *interface->advertised_gbps,
                    *interface->supported_gbps),
        FindingClass::misconfigured);
  // Of equal ones the cable and the partner come first: a setting that gives as much as they do
  // takes nothing away. A module's nominal rate counts its coding: 25.75 for 25 Gb/s.
  const auto lowest =
      std::min_element(limiters.begin(), limiters.end(),
                       [](const auto& a, const auto& b) { return is_below(a.gbps, b.gbps); });
  return lowest == limiters.end() ? std::nullopt : std::optional(*lowest);
}

/// The lanes of a mode's name: 4 of "100000baseCR4/Full", 1 of "25000baseKR/Full"
/// [linux include/uapi/linux/ethtool.h, enum ethtool_link_mode_bit_indices].
int lanes_of_mode(std::string_view mode) {
  const std::string_view medium = mode.substr(0, mode.find('/'));
  const std::size_t digits = medium.find_last_not_of("0123456789");
  if (digits == std::string_view::npos || digits + 1 == medium.size()) return 1;
  const auto lanes = parse_int(medium.substr(digits + 1));
  return lanes && *lanes > 0 && *lanes <= kMostLanes ? static_cast<int>(*lanes) : 1;
}

/// The fewest lanes that give the rated rate.
int rated_lanes(const NetworkPort& port, double rated_gbps) {
  std::optional<int> fewest;
  if (port.interface != nullptr && !port.is_infiniband()) {
    for (const std::string& mode : port.interface->supported_modes) {
      const auto mbps = leading_number(mode);
      if (mbps && !is_below(*mbps / 1000, rated_gbps))
        fewest = std::min(fewest.value_or(kMostLanes), lanes_of_mode(mode));
    }
  }
  return fewest.value_or(rated_gbps < kFourLanesFrom_gbps ? 1 : kUsualLanes);
}

/// Ports of equal adapters that are active, this one included.
std::vector<const NetworkPort*> equals_of(const std::vector<NetworkPort>& ports,
                                          const NetworkPort& port) {
  std::vector<const NetworkPort*> equals;
  const auto model = port.model();
  for (const NetworkPort& other : ports)
    if (model && other.is_active() && other.is_hardware() && other.model() == model)
      equals.push_back(&other);
  return equals;
}

/// Half of the lanes is what a splitting cable gives, from HDR on.
bool looks_split(const NetworkPort& port) {
  constexpr std::array<std::string_view, 3> kSpeeds{"HDR", "NDR", "XDR"};
  return port.is_infiniband() && port.negotiated_lanes() == 2 &&
         std::find(kSpeeds.begin(), kSpeeds.end(), port.port().speed_name) != kSpeeds.end();
}

/// Rates that a driver shows when it does not know the true one: the preset of mlx5, the interface
/// speed that nobody told, and the name that kernels older than the speed give to its code
/// [linux drivers/infiniband/hw/mlx5/main.c; drivers/infiniband/core/verbs.c, ib_get_eth_speed;
/// drivers/infiniband/core/sysfs.c, rate_show]. Empty: no such rate.
std::string why_rate_is_doubted(const std::vector<NetworkPort>& ports, const NetworkPort& port,
                                double rated_gbps) {
  const Port& rdma = port.port();
  const bool from_interface = port.interface != nullptr && port.interface->speed_gbps;
  if (!port.is_infiniband()) {
    const bool preset = rdma.speed_name == "QDR" || (rdma.lanes == 1 && rdma.speed_name == "SDR");
    return preset && !from_interface
               ? "an Ethernet port shows this rate also when its speed is not known"
               : "";
  }
  const bool unnamed = rdma.speed_name.empty() || rdma.speed_name == "SDR";
  const bool kernel_knows = std::any_of(ports.begin(), ports.end(), [&](const NetworkPort& other) {
    return other.is_infiniband() && !is_below(other.negotiated_gbps().value_or(0), rated_gbps);
  });
  // The kernel has known EDR as long as it has had a driver for adapters with it.
  constexpr double kEdr_gbps = 100;
  if (unnamed && rdma.lanes == kUsualLanes && rated_gbps > kEdr_gbps && !kernel_knows)
    return "a kernel older than the port's speed shows this rate for it";
  return {};
}

struct Judged {
  const Story& story;
  const std::vector<NetworkPort>& ports;
  const NetworkPort& port;
  Rated<double> rated;
  double negotiated_gbps = 0;
};

Finding rate_finding(const Judged& judged, std::string code, FindingClass cls) {
  Finding finding = port_finding(judged.story, judged.port, std::move(code), cls, Aspect::ports);
  finding.rated = finding.limit = rate_quantity(judged.rated.value);
  finding.origin = judged.rated.origin;
  return finding;
}

Finding undecided_rate(const Judged& judged, std::string detail, std::string missing) {
  Finding finding = rate_finding(judged, "LB-NO-EVIDENCE", FindingClass::undecided);
  finding.detail = std::move(detail);
  finding.missing = std::move(missing);
  return finding;
}

/// "1 of 4 lanes"; empty when all are there or nobody says how many.
std::string missing_lanes(const Judged& judged) {
  const auto lanes = judged.port.negotiated_lanes();
  const int all = rated_lanes(judged.port, judged.rated.value);
  return lanes && *lanes > 0 && *lanes < all ? fmt::format("{} of {} lanes", *lanes, all) : "";
}

Finding limited_rate(const Judged& judged, const Limiter& limiter) {
  const bool limited = limiter.cls == FindingClass::limited;
  Finding finding = rate_finding(judged, limited ? "LB-PORT-LIMITED" : "LB-PORT-RATE", limiter.cls);
  finding.limit = rate_quantity(limiter.gbps);
  finding.origin = fmt::format("{}; the port itself: {}", limiter.words, judged.rated.origin);
  finding.detail = limiter.words;
  return finding;
}

Finding slow_port(const Judged& judged, const std::optional<Limiter>& limiter) {
  const std::string lanes = missing_lanes(judged);
  Finding finding = rate_finding(judged, lanes.empty() ? "LB-PORT-RATE" : "LB-PORT-WIDTH",
                                 FindingClass::degraded);
  finding.detail =
      fmt::format("runs at {}{} instead of {:g} Gb/s", judged.port.negotiated_text(),
                  lanes.empty() ? "" : fmt::format(", on {},", lanes), judged.rated.value);
  if (limiter) finding.detail += fmt::format("; {}", limiter->words);
  const Interface* interface = judged.port.interface;
  if (interface != nullptr && !interface->module && !interface->module_absent.empty())
    finding.detail +=
        fmt::format("; what is plugged in is not known: {}", interface->module_absent);
  return finding;
}

/// Nothing here says what the fabric gives, and ports that are plugged into less than they can do
/// look like this one. Equal ports that run at more say that it gives more.
bool may_be_by_design(const Judged& judged, const std::vector<const NetworkPort*>& equals) {
  const NetworkPort& port = judged.port;
  const bool lacks_lanes = !missing_lanes(judged).empty();
  // No InfiniBand fabric is built to give fewer lanes, but for splitting cables.
  if (port.is_infiniband() && lacks_lanes && !looks_split(port)) return false;
  const auto count = [&](auto is_such) {
    return std::count_if(equals.begin(), equals.end(), is_such);
  };
  const auto alike = count([&](const NetworkPort* other) {
    return other->negotiated_gbps() == port.negotiated_gbps() &&
           other->negotiated_lanes() == port.negotiated_lanes();
  });
  const auto faster = count([&](const NetworkPort* other) {
    return is_below(judged.negotiated_gbps, other->negotiated_gbps().value_or(0));
  });
  // One for computing, one for storage: of two Ethernet ports neither is the odd one.
  const int enough = port.is_infiniband() ? 1 : 2;
  if (faster > 0) return (!lacks_lanes || looks_split(port)) && (alike > 1 || faster < enough);
  // A cable with all lanes, of which few came up, is no design of its own; an adapter in the cage
  // and the cable of a slower port would have shown.
  const bool all_lanes_plugged = port.interface != nullptr && port.interface->module;
  return alike > 1 || !lacks_lanes || looks_split(port) || !all_lanes_plugged;
}

Finding maybe_by_design(const Judged& judged, std::size_t equals) {
  const std::string lanes = missing_lanes(judged);
  std::string detail =
      fmt::format("runs at {}{} instead of {:g} Gb/s", judged.port.negotiated_text(),
                  lanes.empty() ? "" : fmt::format(", on {},", lanes), judged.rated.value);
  if (looks_split(judged.port))
    detail += "; a cable that splits a port looks the same as two dead lanes";
  else if (equals > 1)
    detail += fmt::format(
        "; the fabric may give no more, and the {} active ports of its kind do not settle it",
        equals);
  else
    detail += "; the fabric may give no more, and no port of its kind is here to compare it with";
  Finding finding = rate_finding(judged, lanes.empty() ? "LB-PORT-RATE" : "LB-PORT-WIDTH",
                                 FindingClass::undecided);
  finding.detail = std::move(detail);
  finding.missing = "what the fabric gives: the rate of these ports in a site file";
  return finding;
}

/// A port below its rating: is it the port, or does something else explain it?
Finding judge_low_rate(const Judged& judged) {
  const NetworkPort& port = judged.port;
  const auto limiter = limiter_of(port, judged.rated.value);
  // What the site expects stands, whatever was plugged in.
  if (port.site_rated) return slow_port(judged, limiter);
  if (const std::string doubt = why_rate_is_doubted(judged.ports, port, judged.rated.value);
      !doubt.empty())
    return undecided_rate(judged, fmt::format("{}: {}", port.negotiated_text(), doubt),
                          port.is_infiniband()
                              ? "the rate as the port's firmware says it (ibstat, mlxlink)"
                              : "the speed of its interface");
  if (limiter && !is_below(judged.negotiated_gbps, limiter->gbps))
    return limited_rate(judged, *limiter);
  // The partner said what the fabric gives, and it is more.
  if (port.interface != nullptr && port.interface->partner_gbps) return slow_port(judged, limiter);
  const auto equals = equals_of(judged.ports, port);
  return may_be_by_design(judged, equals) ? maybe_by_design(judged, equals.size())
                                          : slow_port(judged, limiter);
}

std::string second_opinion(const NetworkPort& port, double negotiated_gbps) {
  const double rdma_gbps = port.port().rate_gbps.value_or(negotiated_gbps);
  return rdma_gbps == negotiated_gbps
             ? ""
             : fmt::format("the RDMA port says {:g} Gb/s, its interface {:g} Gb/s", rdma_gbps,
                           negotiated_gbps);
}

/// Interfaces that are not for RDMA are plugged into whatever is at hand: a 10 Gb/s interface in a
/// management network of 1 Gb/s is no fault unless the site says so.
bool is_plugged_at_will(const NetworkPort& port) {
  return port.rdma == nullptr && !port.captured && !port.carries_rdma && !port.site_rated;
}

/// Half duplex comes about where one side negotiates and the other one is set to a fixed speed:
/// both sides send at will, and one of them takes it for collisions [IEEE 802.3, clause 28].
bool is_half_of_full_duplex(const NetworkPort& port) {
  const Interface* interface = port.interface;
  if (port.is_infiniband() || interface == nullptr || interface->duplex != "half" ||
      !interface->speed_gbps)
    return false;
  return std::any_of(interface->supported_modes.begin(), interface->supported_modes.end(),
                     [&](const std::string& mode) {
                       return mode.ends_with("/Full") &&
                              leading_number(mode) == *interface->speed_gbps * 1000;
                     });
}

Finding half_duplex(const Judged& judged) {
  Finding finding = rate_finding(judged, "LB-PORT-RATE", FindingClass::misconfigured);
  finding.detail = fmt::format(
      "runs at {} in half duplex, though it supports full duplex: one side "
      "negotiates and the other does not",
      judged.port.negotiated_text());
  return finding;
}

void judge_port(const Judged& judged, RuleOutput& out) {
  const NetworkPort& port = judged.port;
  if (port.matters() && is_half_of_full_duplex(port)) {
    out.findings.push_back(half_duplex(judged));
  } else if (is_below(judged.rated.value, judged.negotiated_gbps)) {
    out.findings.push_back(
        undecided_rate(judged,
                       fmt::format("runs at {}, above its rating of {:g} Gb/s",
                                   port.negotiated_text(), judged.rated.value),
                       "a rating that fits: check the site file, and which card this is"));
  } else if (!is_below(judged.negotiated_gbps, judged.rated.value)) {
    Finding finding = rate_finding(judged, "LB-HEALTHY", FindingClass::healthy);
    finding.detail = second_opinion(port, judged.negotiated_gbps);
    out.findings.push_back(std::move(finding));
  } else if (is_plugged_at_will(port)) {
    out.not_judged.push_back({fmt::format("rate of {} ({} of {:g} Gb/s)", port.component.text(),
                                          port.negotiated_text(), judged.rated.value),
                              "the network that it is plugged into may give no more",
                              "its rate in a site file",
                              {}});
  } else {
    out.findings.push_back(judge_low_rate(judged));
  }
}

void apply(const Story& story, RuleOutput& out) {
  const std::vector<NetworkPort> ports = network_ports(story);
  for (const NetworkPort& port : ports) {
    if (!port.is_active() || !port.is_hardware()) continue;
    const std::string what = fmt::format("rate of {}", port.component.text());
    const auto rated = rating_of(story, port);
    const auto negotiated = port.negotiated_gbps();
    if (!rated)
      out.not_judged.push_back(
          {what, "no rating for it without a site file", "what this port is rated for", {}});
    else if (negotiated.value_or(0) > 0)
      judge_port({story, ports, port, *rated, *negotiated}, out);
    else if (is_plugged_at_will(port))
      out.not_judged.push_back({what, "its driver does not say", "its rate in a site file", {}});
    else
      out.findings.push_back(undecided_rate({story, ports, port, *rated, 0},
                                            "it is active and shows no rate", "its rate file"));
  }
}

}  // namespace

const Rule port_rate_rule{
    "port_rate", "Does every active port run at its rated rate, on all of its lanes?", apply};

}  // namespace linkburn
