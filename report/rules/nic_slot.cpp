// Can the slot of an adapter carry what its active ports receive? Counted with the rating of each
// hop on the way to the root port; a hop below its rating has a finding of its own.
#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "report/rules/link_view.h"
#include "report/rules/network_port.h"
#include "report/rules/table.h"

namespace linkburn {
namespace {

// A packet carries at most the payload size of its path and 24 bytes besides: framing, sequence
// number and link CRC 8, header with a 64-bit address 16 [PCI Express Base Specification 6.0,
// sections 2.2 and 3.6]. Acknowledgements and flow control take about a twentieth of the rest.
constexpr double kPacketOverhead_bytes = 24;
constexpr double kLinkEfficiency = 0.95;
// Where the payload size cannot be read: what platforms set, 128 being left for old devices.
constexpr int kUsualPayload_bytes = 256;

struct Hop {
  const LinkStory* link = nullptr;
  double gbps = 0;  ///< payload that it can carry at its rating, one direction
};

double payload_gbps(const LinkStory& link, int payload_bytes) {
  const Rate rate = link_rate(link.rating.speed->value, link.rating.width->value);
  const double efficiency =
      kLinkEfficiency * payload_bytes / (payload_bytes + kPacketOverhead_bytes);
  return rate.gbit_per_s() * efficiency;
}

bool is_below_rating(const LinkStory& link) {
  const auto speed = negotiated_speed(*link.link).value;
  const auto width = negotiated_width(*link.link).value;
  return (speed && *speed < link.rating.speed->value) ||
         (width && *width < link.rating.width->value);
}

/// All links from the adapter to its root port, each once.
std::vector<const LinkStory*> links_above(const Story& story, const ComponentId& adapter) {
  std::vector<const LinkStory*> links;
  const auto add = [&](const ComponentId& id) {
    const LinkStory* link = story.link_of(id);
    if (link != nullptr && std::find(links.begin(), links.end(), link) == links.end())
      links.push_back(link);
  };
  add(adapter);
  if (const Component* component = story.component(adapter))
    for (const ComponentId& hop : component->path) add(hop);
  return links;
}

/// The hop that carries least. Nothing when one of them cannot be told, is no plain link, or runs
/// below its rating.
std::optional<Hop> narrowest(const Story& story, const ComponentId& adapter) {
  const LinkStory* own = story.link_of(adapter);
  if (own == nullptr) return std::nullopt;
  const auto& registers = own->link->device_end.registers;
  const int payload_bytes =
      registers ? registers->max_payload_bytes.value_or(kUsualPayload_bytes) : kUsualPayload_bytes;
  std::optional<Hop> least;
  for (const LinkStory* link : links_above(story, adapter)) {
    const bool judged = link->link->kind == kLinkPcie && !is_silent(*link->link) &&
                        not_a_plain_link(story, *link->link).empty();
    if (!judged || !link->rating.speed || !link->rating.width || is_below_rating(*link))
      return std::nullopt;
    const Hop hop{link, payload_gbps(*link, payload_bytes)};
    if (!least || hop.gbps < least->gbps) least = hop;
  }
  return least;
}

/// One adapter: its active ports, and the links that lead to them. A card of two functions in two
/// slots (socket-direct) has one port that both serve.
struct Adapter {
  std::vector<const NetworkPort*> ports;
  std::set<const LinkStory*> links;

  /// Ports below one link share it; a port with several links has them all.
  double wanted_gbps() const {
    double sum = 0, most = 0;
    for (const NetworkPort* port : ports) {
      sum += port->negotiated_gbps().value_or(0);
      most = std::max(most, port->negotiated_gbps().value_or(0));
    }
    return links.size() > 1 ? most : sum;
  }
};

std::string key_of(const LinkStory& link, const NetworkPort& port) {
  const std::string& guid = port.port().system_image_guid;
  return guid.empty() ? link.link->component.text() : guid;
}

/// Virtual functions send through the ports of their card, which are counted already.
std::map<std::string, Adapter> adapters_of(const Story& story,
                                           const std::vector<NetworkPort>& ports) {
  std::map<std::string, Adapter> adapters;
  for (const NetworkPort& port : ports) {
    const bool counts = port.is_active() && port.is_hardware() && port.negotiated_gbps() &&
                        !port.is_virtual_function();
    const LinkStory* link = counts && port.pci ? story.link_of(*port.pci) : nullptr;
    if (link == nullptr) continue;
    Adapter& adapter = adapters[key_of(*link, port)];
    adapter.ports.push_back(&port);
    adapter.links.insert(link);
  }
  return adapters;
}

std::string ports_in_words(const Adapter& adapter) {
  if (adapter.ports.size() == 1)
    return fmt::format("its port {} runs at {}", adapter.ports.front()->component.text(),
                       adapter.ports.front()->negotiated_text());
  return fmt::format("its {} active ports run at {:g} Gb/s together", adapter.ports.size(),
                     adapter.wanted_gbps());
}

Finding limited_adapter(const Story& story, const Adapter& adapter, const Hop& hop,
                        double carried_gbps) {
  const LinkStory& own = **adapter.links.begin();
  Finding finding =
      link_finding(story, own, "LB-PORT-SLOT-LIMIT", FindingClass::limited, Aspect::ports);
  finding.limiter = hop.link->link->component;
  finding.limit = rate_quantity(carried_gbps);
  finding.limit.text = fmt::format("about {:.0f} Gb/s of payload", carried_gbps);
  finding.origin =
      fmt::format("rating of {}: {}", hop.link->link->component.text(),
                  quantity(hop.link->rating.speed->value, hop.link->rating.width->value).text);
  finding.detail =
      fmt::format("{}, and the link at {} carries about {:.0f} Gb/s{}", ports_in_words(adapter),
                  hop.link->link->component.text(), carried_gbps,
                  adapter.ports.size() > 1 ? ": they cannot all run full at the same time" : "");
  for (const NetworkPort* port : adapter.ports)
    finding.evidence.insert(finding.evidence.end(), port->evidence.begin(), port->evidence.end());
  return finding;
}

void judge_adapter(const Story& story, const Adapter& adapter, RuleOutput& out) {
  double carried_gbps = 0;
  std::optional<Hop> least;
  for (const LinkStory* link : adapter.links) {
    const auto hop = narrowest(story, link->link->component);
    if (!hop) return;
    carried_gbps += hop->gbps;
    if (!least || hop->gbps < least->gbps) least = hop;
  }
  if (least && carried_gbps < adapter.wanted_gbps())
    out.findings.push_back(limited_adapter(story, adapter, *least, carried_gbps));
}

void apply(const Story& story, RuleOutput& out) {
  const std::vector<NetworkPort> ports = network_ports(story);
  for (const auto& [key, adapter] : adapters_of(story, ports)) judge_adapter(story, adapter, out);
}

}  // namespace

const Rule nic_slot_rule{"nic_slot", "Can the slot of an adapter carry what its ports receive?",
                         apply};

}  // namespace linkburn
