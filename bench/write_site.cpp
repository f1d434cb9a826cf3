// A node that is known to be good, as a site file.
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "bench/base/text.h"
#include "bench/site_file.h"
#include "report/completeness.h"
#include "report/rules/gid_choice.h"
#include "report/rules/link_view.h"
#include "report/rules/network_port.h"

namespace linkburn {
namespace {

/// A TOML basic string.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : printable(text, 512)) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

/// A host name that is its own pattern; what a pattern would read as something else becomes "?".
std::string exact_pattern(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '[' || c == ']' || c == '*'; }, '?');
  return name;
}

/// What a good node may leave undecided: links that idle slowly, and ports of which nobody has said
/// whether they are used and what their fabric gives. The file says it of the ports.
bool is_harmless(const Finding& finding) {
  constexpr std::array<std::string_view, 4> kCodes{"LB-NEEDS-LOAD", "LB-PORT-STATE", "LB-PORT-RATE",
                                                   "LB-PORT-WIDTH"};
  return std::find(kCodes.begin(), kCodes.end(), finding.code) != kCodes.end();
}

std::optional<Error> why_not(const Story& story, const Evidence& evidence, const Verdict& verdict) {
  const auto refuse = [](const std::string& why) {
    return Error{Code::invalid,
                 "no site file is written: " + why,
                 {},
                 "mend the node first, then describe it"};
  };
  if (story.start == nullptr || story.start->node.empty()) return refuse("the node has no name");
  for (const Finding& finding : verdict.findings) {
    if (is_failure(finding.cls))
      return refuse(fmt::format("{} is {} ({})", finding.component.text(), to_string(finding.cls),
                                finding.code));
    if (finding.cls == FindingClass::undecided && !is_harmless(finding))
      return refuse(fmt::format("{} is undecided: {}", finding.component.text(), finding.detail));
  }
  const auto gaps = gaps_in(story, evidence);
  if (!gaps.empty()) return refuse(gaps.front());
  const bool undecided =
      std::any_of(verdict.findings.begin(), verdict.findings.end(),
                  [](const Finding& finding) { return finding.cls == FindingClass::undecided; });
  if (verdict.outcome == Outcome::incomplete && !undecided)
    return refuse(verdict.reasons.empty() ? "nothing was judged" : verdict.reasons.front());
  return std::nullopt;
}

std::string heading(const Story& story, const Verdict& verdict) {
  std::string text = story.start->drill ? "# DRILL: this was no hardware.\n" : "";
  text += fmt::format(
      "# What is expected of {}, written from the node itself on {}.\n"
      "# It takes the node as it was then for good: read it before it is used.\n"
      "# Format: report/ratings/README.md of linkburn {}.\n",
      printable(story.start->node, 128), story.start->started, story.start->version);
  const auto idle =
      std::count_if(verdict.findings.begin(), verdict.findings.end(),
                    [](const Finding& finding) { return finding.code == "LB-NEEDS-LOAD"; });
  if (idle > 0)
    text += fmt::format(
        "# {} link{} slow while idle, so {} speed below is what both ends can do, not what was "
        "seen.\n",
        idle, idle == 1 ? " was" : "s were", idle == 1 ? "its" : "their");
  return text + fmt::format("schema = {}\n\n[[host]]\nmatch = [{}]\n", kSiteSchema,
                            quoted(exact_pattern(story.start->node)));
}

std::string counts(const Story& story) {
  std::map<std::string, int> found;
  for (const auto& entry : story.components)
    if (!entry.second->physical_function) ++found[entry.second->type];
  const auto ports = std::count_if(story.ports.begin(), story.ports.end(), [&](const auto& port) {
    const Component* device = port->pci ? story.component(*port->pci) : nullptr;
    return port->pci && (device == nullptr || !device->physical_function);
  });
  std::string text =
      "\n# How many there are; fewer are a failure, more are only noted.\n[host.expect]\n";
  for (const char* type : {"gpu", "accelerator", "infiniband", "nic", "nvme", "numa"})
    if (found[type] > 0) text += fmt::format("{} = {}\n", type, found[type]);
  if (ports > 0) text += fmt::format("port = {}\n", ports);
  return text;
}

/// True when no other link's place goes by this label.
bool is_unique(const Story& story, const LinkStory& link) {
  const auto& place = link.link->slot;
  if (!place || trim(place->label).empty() || parse_pci_address(place->label)) return false;
  return std::none_of(story.links.begin(), story.links.end(), [&](const LinkStory& other) {
    return &other != &link && names_place(place->label, other.link->slot);
  });
}

std::string slot_entry(const Story& story, const LinkStory& link) {
  const Component* device = story.component(link.link->component);
  const std::string& address = link.link->component.text();
  std::string text = "\n[[host.slot]]\n";
  text += is_unique(story, link)
              ? fmt::format("slot = {}  # {}\n", quoted(link.link->slot->label), address)
              : fmt::format("address = {}\n", quoted(address));
  const bool has_type =
      device != nullptr &&
      (device->type == "gpu" || device->type == "accelerator" || device->type == "nic" ||
       device->type == "nvme" || device->type == "infiniband");
  if (has_type) text += fmt::format("type = {}\n", quoted(device->type));
  if (!not_a_plain_link(story, *link.link).empty()) return text;
  if (link.rating.speed) text += fmt::format("speed_gts = {:g}\n", link.rating.speed->value.gts());
  if (link.rating.width) text += fmt::format("width = {}\n", link.rating.width->value.lanes);
  return text;
}

std::string port_entry(const char* key, const std::string& name, bool up,
                       std::optional<double> gbps) {
  std::string text = fmt::format("\n[[host.port]]\n{} = {}\n", key, quoted(name));
  if (up && gbps.value_or(0) >= 0.1) text += fmt::format("rate_gbps = {:g}\n", *gbps);
  text += up ? "expect = \"up\"\n" : "expect = \"down\"  # unused when this was written\n";
  return text;
}

/// Up, and without an address that is routed: not for RDMA between nodes.
bool lacks_ip(const Port& port) {
  const Gid* best = uses_gids(port) ? recommended_gid(port, {}) : nullptr;
  return same_word(port.state, "ACTIVE") && best != nullptr &&
         scope_of(best->gid) == GidScope::link_local;
}

std::string rdma_ports(const Story& story) {
  std::string text;
  for (const auto& port : story.ports) {
    const Interface* interface = interface_of(story, *port);
    const bool by_interface = interface != nullptr && interface->speed_gbps;
    text += port_entry("port", port->component.text(), port->state == "ACTIVE",
                       by_interface ? interface->speed_gbps : port->rate_gbps);
    if (lacks_ip(*port)) text += "ip = \"none\"  # had no routed address when this was written\n";
  }
  return text;
}

/// Interfaces of hardware that are up and that no RDMA port stands for. Spare ones are nobody's
/// business.
std::string bare_interfaces(const Story& story) {
  std::string text;
  for (const auto& interface : story.interfaces) {
    const std::string& name = interface->component.text();
    const bool has_port = std::any_of(story.ports.begin(), story.ports.end(),
                                      [&](const auto& port) { return port->netdev == name; });
    if (has_port || interface->type != "physical" || !interface->pci ||
        !interface->carrier.value_or(false))
      continue;
    text += port_entry("interface", name, true, interface->speed_gbps);
  }
  return text;
}

}  // namespace

Result<std::string> write_site(const Evidence& evidence, const Verdict& verdict) {
  const Story story = Story::of(evidence);
  if (const auto error = why_not(story, evidence, verdict)) return *error;
  std::string text = heading(story, verdict) + counts(story);
  text += "\n# Every slot: what is in it, and what its link is rated for.\n";
  for (const LinkStory& link : story.links)
    if (!without_files(*link.link)) text += slot_entry(story, link);
  text += "\n# Every port: its rate, and whether it is used.\n";
  return text + rdma_ports(story) + bare_interfaces(story);
}

}  // namespace linkburn
