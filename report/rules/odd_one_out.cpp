// Is one of many equal devices unlike the others? Where no site file and no product rating says
// what is right, its equals do.
//
// It calls nothing healthy: that all are alike does not say that all are right.
#include <fmt/core.h>

#include <algorithm>
#include <tuple>

#include "report/rules/equals.h"
#include "report/rules/link_view.h"
#include "report/rules/table.h"

namespace linkburn {
namespace {

bool is_compared(const Component& device) {
  return device.type == "gpu" || device.type == "accelerator" || device.type == "nic" ||
         device.type == "infiniband" || device.type == "nvme";
}

using Model = std::tuple<std::string, std::string, std::string, std::string, std::string>;
Model model_of(const Component& device) {
  return {device.type, device.vendor_id, device.device_id, device.subsystem_vendor_id,
          device.subsystem_device_id};
}

/// Of a port whose adapter is known from a capture by its ids alone.
Model model_of(const Port& port) {
  return {"port", port.vendor_id, port.device_id, {}, port.board_id};
}

/// A value of one of several equals.
template <class T>
struct Equal {
  ComponentId component;
  T value{};
};

/// The value that the clear majority has; nothing when there is none.
template <class T>
std::optional<T> common(const std::vector<Equal<T>>& equals) {
  if (equals.size() < kFewestEquals) return std::nullopt;
  for (const Equal<T>& one : equals) {
    const auto same = std::count_if(equals.begin(), equals.end(), [&](const Equal<T>& other) {
      return other.value == one.value;
    });
    if (is_majority(static_cast<std::size_t>(same), equals.size())) return one.value;
  }
  return std::nullopt;
}

template <class T>
std::size_t below(const std::vector<Equal<T>>& equals, const T& usual) {
  return static_cast<std::size_t>(std::count_if(
      equals.begin(), equals.end(), [&](const Equal<T>& one) { return one.value < usual; }));
}

using Links = std::vector<const LinkStory*>;

/// All links of one model that are known well enough to be compared.
std::map<Model, Links> links_by_model(const Story& story) {
  std::map<Model, Links> models;
  for (const LinkStory& link : story.links) {
    const Component* device = story.component(link.link->component);
    if (device == nullptr || !is_compared(*device) || device->device_id.empty()) continue;
    if (!not_a_plain_link(story, *link.link).empty()) continue;
    if (is_silent(*link.link) || is_asleep(link)) continue;
    models[model_of(*device)].push_back(&link);
  }
  return models;
}

bool said_by_site(const Story& story, const LinkStory& link) {
  return story.site.slot(link.link->component, link.link->slot) != nullptr;
}

bool is_gpu(const Story& story, const LinkStory& link) {
  const std::string& type = story.component(link.link->component)->type;
  return type == "gpu" || type == "accelerator";
}

/// The lower rating is the card's own, not its slot's. Only of GPUs: boards of NICs share their ids
/// with narrower ones, and a backplane can split the lanes of a disk in two.
bool own_ability_is_lower(const Story& story, const LinkStory& link, LinkWidth usual) {
  const auto& own = link.link->device_end.max_width;
  return is_gpu(story, link) && own && is_lane_count(*own) && *own < usual;
}

bool one_of_many_gpus(const Story& story, const LinkStory& link, std::size_t all, std::size_t odd) {
  return is_gpu(story, link) && all >= kBuiltAlike && odd == 1;
}

Finding odd_link(const Story& story, const LinkStory& link, Aspect aspect, bool sure,
                 std::string_view what, const std::string& has, const std::string& usual,
                 std::size_t same) {
  Finding finding = link_finding(story, link, "LB-ODD-ONE-OUT",
                                 sure ? FindingClass::degraded : FindingClass::marginal, aspect);
  finding.detail =
      fmt::format("rated for {} {}, {} equal devices of this node for {}", what, has, same, usual);
  finding.origin = "its equals in this node";
  return finding;
}

void compare_widths(const Story& story, const Links& links, RuleOutput& out) {
  std::vector<Equal<LinkWidth>> equals;
  for (const LinkStory* link : links)
    if (link->rating.width) equals.push_back({link->link->component, link->rating.width->value});
  const auto usual = common(equals);
  if (!usual) return;
  const std::size_t odd = below(equals, *usual);
  for (const LinkStory* link : links) {
    if (!link->rating.width || !(link->rating.width->value < *usual)) continue;
    if (said_by_site(story, *link)) continue;
    const bool sure = own_ability_is_lower(story, *link, *usual) ||
                      one_of_many_gpus(story, *link, equals.size(), odd);
    Finding finding =
        odd_link(story, *link, Aspect::width, sure, "link width",
                 to_string(link->rating.width->value), to_string(*usual), equals.size() - odd);
    finding.limit = quantity(std::nullopt, *usual);
    out.findings.push_back(std::move(finding));
  }
}

/// An idle device may claim a lower speed than it has, so its own claim proves nothing here.
void compare_speeds(const Story& story, const Links& links, RuleOutput& out) {
  std::vector<Equal<LinkSpeed>> equals;
  for (const LinkStory* link : links)
    if (link->rating.speed) equals.push_back({link->link->component, link->rating.speed->value});
  const auto usual = common(equals);
  if (!usual) return;
  const std::size_t odd = below(equals, *usual);
  for (const LinkStory* link : links) {
    if (!link->rating.speed || !(link->rating.speed->value < *usual)) continue;
    if (said_by_site(story, *link)) continue;
    const auto& port = link->link->peer_end.max_speed;
    const bool sure = port && *port < *usual && one_of_many_gpus(story, *link, equals.size(), odd);
    Finding finding =
        odd_link(story, *link, Aspect::speed, sure, "link speed",
                 to_string(link->rating.speed->value), to_string(*usual), equals.size() - odd);
    finding.limit = quantity(*usual, std::nullopt);
    out.findings.push_back(std::move(finding));
  }
}

/// What an active port runs at in Gb/s; on Ethernet its interface knows better.
std::optional<double> rate_of(const Story& story, const Port& port) {
  if (port.state != "ACTIVE") return std::nullopt;
  const Interface* interface = interface_of(story, port);
  if (interface != nullptr && interface->speed_gbps) return interface->speed_gbps;
  return port.rate_gbps;
}

/// A port with a rating is judged by it.
bool has_rating(const Story& story, const Port& port) {
  const Component* device = port.pci ? story.component(*port.pci) : nullptr;
  return rate_port(port, interface_of(story, port), {&story.site, device, port.board_id})
      .has_value();
}

Finding odd_port(const Story& story, const Seen<Port>& port, double gbps, double usual_gbps,
                 std::size_t same) {
  Finding finding;
  finding.code = "LB-ODD-ONE-OUT";
  finding.cls = FindingClass::marginal;
  finding.aspect = Aspect::ports;
  finding.component = port->component;
  finding.phase = story.live_run ? Phase::idle : Phase::passive;
  finding.at_ns = port.at_ns;
  finding.evidence = {port.seq};
  finding.negotiated.text = fmt::format("{:g} Gb/s", gbps);
  finding.negotiated.rate_gbs = gbps / 8;
  finding.limit.text = fmt::format("{:g} Gb/s", usual_gbps);
  finding.limit.rate_gbs = usual_gbps / 8;
  finding.origin = "its equals in this node";
  finding.detail = fmt::format("runs at {:g} Gb/s, {} equal ports of this node at {:g} Gb/s", gbps,
                               same, usual_gbps);
  return finding;
}

/// One rail alone below all others is a fault of it, or a port for something else. An inspect of
/// texts that passes for it would be read as "all ports run as they should".
void ask_about_odd_port(Finding& finding) {
  finding.cls = FindingClass::undecided;
  finding.missing =
      "what the port is for and its adapter is rated for: its board (ibv_devinfo), or its rate in "
      "a "
      "site file";
}

void compare_ports(const Story& story, RuleOutput& out) {
  std::map<std::pair<Model, std::string>, std::vector<const Seen<Port>*>> models;
  for (const auto& port : story.ports) {
    const Component* device = port->pci ? story.component(*port->pci) : nullptr;
    if (device != nullptr && device->physical_function) continue;
    const Model model = device != nullptr ? model_of(*device) : model_of(*port);
    if (std::get<2>(model).empty()) continue;
    if (rate_of(story, *port)) models[{model, port->link_layer}].push_back(&port);
  }
  for (const auto& model : models) {
    std::vector<Equal<double>> equals;
    for (const Seen<Port>* port : model.second)
      equals.push_back({(*port)->component, *rate_of(story, **port)});
    const auto usual = common(equals);
    if (!usual) continue;
    const std::size_t odd = below(equals, *usual);
    for (std::size_t i = 0; i < equals.size(); ++i) {
      if (!(equals[i].value < *usual) || has_rating(story, **model.second[i])) continue;
      Finding finding =
          odd_port(story, *model.second[i], equals[i].value, *usual, equals.size() - odd);
      if (odd == 1 && !story.capture_parts.empty()) ask_about_odd_port(finding);
      out.findings.push_back(std::move(finding));
    }
  }
}

void apply(const Story& story, RuleOutput& out) {
  for (const auto& model : links_by_model(story)) {
    compare_widths(story, model.second, out);
    compare_speeds(story, model.second, out);
  }
  compare_ports(story, out);
}

}  // namespace

const Rule odd_one_out_rule{"odd_one_out", "Is one of many equal devices unlike the others?",
                            apply};

}  // namespace linkburn
